/** What an application must still say before it is complete (`requirements.currently_due`). */
import type { Beneficiary, KybContent, Section } from './kyb-fields.ts'

type Rule = readonly [field: string, when?: (content: KybContent) => boolean]

const REQUIRED: Record<Exclude<Section, 'beneficiaries'>, readonly Rule[]> = {
  nature_of_business: [
    ['legal_company_name'],
    ['company_registration_id'],
    ['country_of_incorporation'],
    ['date_of_incorporation'],
    ['description_activity'],
    ['phone'],
    ['email'],
    ['legal_address'],
    ['city_address'],
    ['postal_code_address'],
    ['country_address'],
    ['company_type'],
    ['tax_residency_country'],
  ],
  usage_of_account: [
    ['usage'],
    ['source_of_funds'],
    ['list_of_services'],
    ['list_of_countries_operated'],
    ['trx_count_monthly'],
    ['trx_value_monthly'],
    ['flow_of_funds_description'],
    ['fund_origin_confirmation'],
    ['nesting_justification', (content) => content.usage_of_account.nesting_confirmation === true],
    ['ubo_source_of_wealth_other', (content) => content.usage_of_account.ubo_source_of_wealth === 'other'],
    ['proof_regulations', (content) => isGiven(content.nature_of_business.subject_of_supervision)],
  ],
  business_files: [
    ['incorporation_certificates'],
    ['articles_of_association'],
    ['shareholders_registers'],
    ['directors_registers'],
    ['signature_type'],
    [
      'power_of_attorney',
      ({ business_files: { signature_type } }) => isGiven(signature_type) && signature_type !== 'single',
    ],
  ],
}

/** Names of the section's fields that are required as the content is now, given or not. */
export const requiredFields = (section: Section, content: KybContent): string[] =>
  section === 'beneficiaries'
    ? ['shareholders_confirmation', 'evidence_of_ubos']
    : REQUIRED[section].flatMap(([field, when]) => (when === undefined || when(content) ? [field] : []))

/** A person's verification by a hosted page of their own stands in for identification documents. */
export interface Verified {
  has(beneficiaryId: string): boolean
}

/** Paths of everything required that is missing; a beneficiary's path names its `external_id`. */
export function currentlyDue(content: KybContent, verified: Verified): string[] {
  const due: string[] = []
  for (const [section, rules] of Object.entries(REQUIRED)) {
    const values: Record<string, unknown> = content[section as Section]
    for (const [field, when] of rules) {
      if ((when === undefined || when(content)) && !isGiven(values[field])) due.push(`${section}.${field}`)
    }
  }
  return [...due, ...beneficiariesDue(content.beneficiaries, verified)]
}

function beneficiariesDue(section: KybContent['beneficiaries'], verified: Verified): string[] {
  const people = section.beneficiaries_list
  const due: string[] = []
  if (!people.some(({ roles }) => roles?.includes('ubo') || roles?.includes('director'))) {
    due.push('beneficiaries.beneficiaries_list')
  }
  for (const person of people) {
    due.push(...personDue(person, verified).map((field) => beneficiaryPath(person.external_id, field)))
  }
  if (!isGiven(section.shareholders_confirmation)) due.push('beneficiaries.shareholders_confirmation')
  if (!isGiven(section.evidence_of_ubos)) due.push('beneficiaries.evidence_of_ubos')
  return due
}

function personDue(person: Beneficiary, verified: Verified): string[] {
  const due: string[] = []
  if (!isGiven(person.full_name)) due.push('full_name')
  if (!isGiven(person.roles)) due.push('roles')
  if (person.roles?.includes('ubo') && !isGiven(person.stake_in_company)) due.push('stake_in_company')
  if (!isGiven(person.beneficiary_identification) && !verified.has(person.external_id)) {
    due.push('beneficiary_identification')
  }
  return due
}

export const beneficiaryPath = (id: string, field: string): string =>
  `beneficiaries.beneficiaries_list.${id}.${field}`

/** `false` is an answer; an empty text or an empty list is none. */
const isGiven = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== ''
