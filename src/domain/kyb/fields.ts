/**
 * Every field of a KYB application's four sections and what kind of value it holds (specification,
 * "KYB application"). Validation, answers, file lists and types all come from these tables; what a value of each kind
 * must be like is in `kyb-values.ts`.
 */

const oneOf = <const V extends readonly string[]>(...values: V) => ({ kind: 'one_of', values }) as const
const someOf = <const V extends readonly string[]>(...values: V) => ({ kind: 'some_of', values }) as const

export type FieldKind =
  | 'text'
  | 'short_text'
  | 'boolean'
  | 'confirmation'
  | 'date'
  | 'country'
  | 'country_list'
  | 'url'
  | 'phone'
  | 'email'
  | 'number_text'
  | 'percentage_text'
  | 'files'
  | { readonly kind: 'one_of' | 'some_of'; readonly values: readonly string[] }

export const KYB_FIELDS = {
  nature_of_business: {
    legal_company_name: 'short_text',
    comercial_name: 'short_text',
    different_commercial_name: 'boolean',
    company_registration_id: 'short_text',
    country_of_incorporation: 'country',
    date_of_incorporation: 'date',
    description_activity: 'text',
    products_offered: 'text',
    subject_of_supervision: 'short_text',
    website: 'url',
    phone: 'phone',
    email: 'email',
    legal_address: 'short_text',
    postal_code_address: 'short_text',
    city_address: 'short_text',
    state_address: 'short_text',
    country_address: 'country',
    vat_number: 'short_text',
    company_type: oneOf(
      'limited_liability_company',
      'public_limited_company',
      'partnership',
      'limited_partnership',
      'sole_proprietorship',
      'foundation',
      'association',
      'cooperative',
      'trust',
      'branch',
      'other',
    ),
    tax_residency_country: 'country',
    directors_residency_country: 'country',
    website_legal_name_check: 'boolean',
    website_activity_check: 'boolean',
  },
  usage_of_account: {
    usage: 'text',
    source_of_funds: someOf(
      'revenue',
      'investment',
      'loan',
      'capital_contribution',
      'grant',
      'sale_of_assets',
      'client_funds',
      'other',
    ),
    nesting_confirmation: 'boolean',
    nesting_justification: 'text',
    flow_of_funds_description: 'text',
    fund_origin_confirmation: 'confirmation',
    ubo_source_of_wealth: oneOf(
      'business_income',
      'employment',
      'inheritance',
      'investments',
      'sale_of_assets',
      'savings',
      'gift',
      'other',
    ),
    ubo_source_of_wealth_other: 'text',
    list_of_services: someOf(
      'iban',
      'sepa_payments',
      'swift_payments',
      'card_payments',
      'card_issuing',
      'crypto_trading',
      'crypto_payments',
      'open_banking',
      'settlements',
      'other',
    ),
    list_of_countries_operated: 'country_list',
    list_of_countries_intended: 'country_list',
    fund_evidences: 'files',
    proof_regulations: 'files',
    aml_policies: 'files',
    risky_activities: 'text',
    trx_count_monthly: 'number_text',
    trx_value_monthly: 'number_text',
    introduced_to_service: 'short_text',
  },
  business_files: {
    incorporation_certificates: 'files',
    articles_of_association: 'files',
    legal_structures: 'files',
    residence_proofs: 'files',
    shareholders_registers: 'files',
    directors_registers: 'files',
    good_standing_certificate: 'files',
    internal_shareholder_register: 'files',
    power_of_attorney: 'files',
    signature_type: oneOf('single', 'joint', 'joint_any_two', 'other'),
    public_registry_shares: 'boolean',
  },
  beneficiaries: {
    evidence_of_ubos: 'files',
    shareholders_confirmation: 'confirmation',
  },
} as const satisfies Record<string, Record<string, FieldKind>>

export const BENEFICIARY_FIELDS = {
  full_name: 'short_text',
  stake_in_company: 'percentage_text',
  email: 'email',
  politically_exposed: 'boolean',
  proof_address: 'files',
  beneficiary_identification: 'files',
  roles: someOf('director', 'ubo', 'shareholder', 'signatory', 'authorized_person'),
} as const satisfies Record<string, FieldKind>

/** As many as one application can have. */
export const MAX_BENEFICIARIES = 100

export type Section = keyof typeof KYB_FIELDS
export const SECTIONS = Object.keys(KYB_FIELDS) as Section[]

type ValueOf<K> = K extends 'boolean' | 'confirmation'
  ? boolean
  : K extends 'files'
    ? string[]
    : K extends { kind: 'one_of'; values: readonly (infer V)[] }
      ? V
      : K extends { kind: 'some_of'; values: readonly (infer V)[] }
        ? V[]
        : string

/** The values of a table's fields; a field that was never set, or was cleared, is absent. */
type Values<T> = { -readonly [F in keyof T]?: ValueOf<T[F]> }

/** A beneficiary as stored: file lists hold file ids; `external_id` is the service's. */
export type Beneficiary = Values<typeof BENEFICIARY_FIELDS> & { email: string; external_id: string }

/** E-mails tell people from one another in whatever case they are written. */
export const isSameEmail = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/** What an application says: its four sections, file lists as lists of file ids. */
export type KybContent = { [S in Section]: Values<(typeof KYB_FIELDS)[S]> } & {
  beneficiaries: { beneficiaries_list: Beneficiary[] }
}

export const emptyContent = (): KybContent => ({
  nature_of_business: {},
  usage_of_account: {},
  business_files: {},
  beneficiaries: { beneficiaries_list: [] },
})

export const isFiles = (kind: FieldKind | undefined): boolean => kind === 'files'

/** What is answered with yes or no. */
export const isYesOrNo = (kind: FieldKind | undefined): boolean =>
  kind === 'boolean' || kind === 'confirmation'

const fileFields = (fields: Record<string, FieldKind>): string[] =>
  Object.keys(fields).filter((name) => isFiles(fields[name]))

/** The section of every file list that belongs to the application itself. */
export const FILE_LISTS: ReadonlyMap<string, Section> = new Map(
  SECTIONS.flatMap((section) => fileFields(KYB_FIELDS[section]).map((name) => [name, section] as const)),
)

/** The file lists that belong to one beneficiary. */
export const BENEFICIARY_FILE_LISTS: ReadonlySet<string> = new Set(fileFields(BENEFICIARY_FIELDS))
