/** What an application must still say before it is complete (`requirements.currently_due`). */
import type { Beneficiary, KybContent, Section } from './kyb-fields.ts'

type Rule = readonly [field: string, when?: (content: KybContent) => boolean]

const REQUIRED: Record<Section, readonly Rule[]> = {
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
  beneficiaries: [['shareholders_confirmation'], ['evidence_of_ubos']],
}

/** Names of the section's fields that are required as the content is now, given or not. */
export const requiredFields = (section: Section, content: KybContent): string[] =>
  REQUIRED[section].flatMap(([field, when]) => (when === undefined || when(content) ? [field] : []))

/** A person's verification by a hosted page of their own stands in for identification documents. */
export interface Verified {
  has(beneficiaryId: string): boolean
}

/** Names of the fields that are required of a person with these roles, given or not. */
export const requiredOfPerson = (
  { external_id, roles }: Pick<Beneficiary, 'external_id' | 'roles'>,
  verified: Verified,
): string[] => [
  'full_name',
  'roles',
  ...(roles?.includes('ubo') ? ['stake_in_company'] : []),
  ...(verified.has(external_id) ? [] : ['beneficiary_identification']),
]

/** Paths of everything required that is missing; a beneficiary's path names its `external_id`. */
export function currentlyDue(content: KybContent, verified: Verified): string[] {
  const dueIn = (section: Section) =>
    missingIn(content[section], requiredFields(section, content)).map((field) => `${section}.${field}`)
  return [
    ...dueIn('nature_of_business'),
    ...dueIn('usage_of_account'),
    ...dueIn('business_files'),
    ...peopleDue(content.beneficiaries.beneficiaries_list, verified),
    ...dueIn('beneficiaries'),
  ]
}

function peopleDue(people: readonly Beneficiary[], verified: Verified): string[] {
  const isThere = people.some(({ roles }) => roles?.includes('ubo') || roles?.includes('director'))
  return [
    ...(isThere ? [] : ['beneficiaries.beneficiaries_list']),
    ...people.flatMap((person) =>
      missingIn(person, requiredOfPerson(person, verified)).map((field) =>
        beneficiaryPath(person.external_id, field),
      ),
    ),
  ]
}

const missingIn = (values: object, required: readonly string[]): string[] =>
  required.filter((field) => !isGiven((values as Readonly<Record<string, unknown>>)[field]))

export const beneficiaryPath = (id: string, field: string): string =>
  `beneficiaries.beneficiaries_list.${id}.${field}`

/** `false` is an answer; an empty text or an empty list is none. */
const isGiven = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== ''
