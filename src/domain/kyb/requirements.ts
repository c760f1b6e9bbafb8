/** What an application must still say before it is complete (`requirements.currently_due`), and why each of it is due. */
import {
  BENEFICIARY_FIELDS,
  type Beneficiary,
  type FieldKind,
  KYB_FIELDS,
  type KybContent,
  type Section,
} from './fields.ts'
import { DUE_REASONS, type DueReason, isGiven, type Known, reasonAgainst } from './values.ts'

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

/** What makes a field needed that is not always. */
const BECAUSE: Readonly<Partial<Record<string, string>>> = {
  nesting_justification: '`nesting_confirmation` is true',
  ubo_source_of_wealth_other: '`ubo_source_of_wealth` is `other`',
  proof_regulations: '`subject_of_supervision` is given',
  power_of_attorney: '`signature_type` is another than `single`',
  stake_in_company: 'the person has the role `ubo`',
  beneficiary_identification: 'the person’s own verification is not approved',
}

/** Names of the section's fields that are required as the content is now, given or not. */
export const requiredFields = (section: Section, content: KybContent): string[] =>
  REQUIRED[section].flatMap(([field, when]) => (when === undefined || when(content) ? [field] : []))

/** Names of the section's fields that are required always or under a condition. */
export const everRequired = (section: Section): string[] => REQUIRED[section].map(([field]) => field)

/** What the content does not say itself. */
export interface Circumstances extends Known {
  /** A person's verification by a hosted page of their own stands in for identification documents. */
  readonly verified: { has(beneficiaryId: string): boolean }
}

/** Names of the fields that are required of a person with these roles, given or not. */
export const requiredOfPerson = (
  { external_id, roles }: Pick<Beneficiary, 'external_id' | 'roles'>,
  verified: Circumstances['verified'],
): string[] => [
  'full_name',
  'roles',
  ...(roles?.includes('ubo') ? ['stake_in_company'] : []),
  'politically_exposed',
  ...(verified.has(external_id) ? [] : ['beneficiary_identification']),
]

/** Names of the fields that are required of some person. */
export const EVER_REQUIRED_OF_PERSON = requiredOfPerson({ external_id: '', roles: ['ubo'] }, new Set())

export interface Due {
  readonly path: string
  readonly reason: DueReason
}

/** Everything required that is missing, or is such that it does not count; a beneficiary's path names its `external_id`. */
export function dueIn(content: KybContent, known: Circumstances): Due[] {
  const inSection = (section: Section) =>
    lacking(content[section], KYB_FIELDS[section], requiredFields(section, content), known, `${section}.`)
  return [
    ...inSection('nature_of_business'),
    ...inSection('usage_of_account'),
    ...inSection('business_files'),
    ...peopleDue(content.beneficiaries.beneficiaries_list, known),
    ...inSection('beneficiaries'),
  ]
}

export const currentlyDue = (content: KybContent, known: Circumstances): string[] =>
  dueIn(content, known).map(({ path }) => path)

/** Why each of these paths is due, which were found so when the application was last changed. */
export function reasonsFor(paths: readonly string[], content: KybContent, known: Circumstances): Due[] {
  const reasons = new Map(dueIn(content, known).map(({ path, reason }) => [path, reason]))
  return paths.map((path) => ({ path, reason: reasons.get(path) ?? 'to_be_checked' }))
}

/** The same in words. */
export function dueMessage({ path, reason }: Due): string {
  const because = BECAUSE[path.split('.').at(-1) ?? '']
  return because ? `${DUE_REASONS[reason]} It is needed because ${because}.` : DUE_REASONS[reason]
}

function peopleDue(people: readonly Beneficiary[], known: Circumstances): Due[] {
  const isThere = people.some(({ roles }) => roles?.includes('ubo') || roles?.includes('director'))
  return [
    ...(isThere ? [] : [{ path: 'beneficiaries.beneficiaries_list', reason: 'nobody_in_charge' } as const]),
    ...people.flatMap((person) =>
      lacking(
        person,
        BENEFICIARY_FIELDS,
        requiredOfPerson(person, known.verified),
        known,
        beneficiaryPath(person.external_id, ''),
      ),
    ),
  ]
}

const lacking = (
  values: object,
  kinds: Readonly<Record<string, FieldKind>>,
  required: readonly string[],
  known: Known,
  prefix: string,
): Due[] =>
  required.flatMap((field) => {
    const value = (values as Readonly<Record<string, unknown>>)[field]
    const reason = reasonAgainst(kinds[field] as FieldKind, value, known)
    return reason ? [{ path: `${prefix}${field}`, reason }] : []
  })

export const beneficiaryPath = (id: string, field: string): string =>
  `beneficiaries.beneficiaries_list.${id}.${field}`
