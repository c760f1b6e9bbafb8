/**
 * Rules for the groups of a section's fields. Pages show the fields of a group together, and the progress counts a
 * group as one item.
 */
import type { Section } from './fields.ts'
import type { Form } from './form.ts'

/** The groups of each section in their order, without file lists. */
const GROUPS = {
  nature_of_business: {
    registration: [
      'country_of_incorporation',
      'legal_company_name',
      'company_registration_id',
      'date_of_incorporation',
      'company_type',
      'vat_number',
      'tax_residency_country',
      'different_commercial_name',
      'comercial_name',
    ],
    address: ['legal_address', 'postal_code_address', 'city_address', 'state_address', 'country_address'],
    activity: [
      'description_activity',
      'products_offered',
      'subject_of_supervision',
      'phone',
      'email',
      'website',
      'website_legal_name_check',
      'website_activity_check',
      'directors_residency_country',
    ],
  },
  usage_of_account: {
    purpose: [
      'usage',
      'list_of_services',
      'nesting_confirmation',
      'nesting_justification',
      'risky_activities',
      'introduced_to_service',
    ],
    payments: [
      'trx_count_monthly',
      'trx_value_monthly',
      'list_of_countries_operated',
      'list_of_countries_intended',
      'flow_of_funds_description',
    ],
    funds: [
      'source_of_funds',
      'ubo_source_of_wealth',
      'ubo_source_of_wealth_other',
      'fund_origin_confirmation',
    ],
  },
  beneficiaries: { confirmation: ['shareholders_confirmation'] },
  business_files: { signature: ['signature_type', 'public_registry_shares'] },
} as const satisfies Record<Section, Record<string, readonly string[]>>

type NameOf<S> = S extends unknown ? keyof S & string : never
export type GroupName = NameOf<(typeof GROUPS)[Section]>

export interface Group {
  readonly name: GroupName
  readonly paths: readonly string[]
}

export const isGroup = (section: Section, name: string): boolean => Object.hasOwn(GROUPS[section], name)

/**
 * Returns the groups of a section. Fields that name no group of the section are added to the last group. File lists
 * belong to no group.
 */
export function groupsOf({ company }: Pick<Form, 'company'>, section: Section): Group[] {
  const groups: Readonly<Record<string, readonly string[]>> = GROUPS[section]
  const names = Object.keys(groups) as GroupName[]
  const listed = Object.values(groups).flat()
  const questions = (fields: Form['company'][Section]) =>
    Object.entries(fields).filter(([, { type }]) => type !== 'files')
  const others = [
    ...questions(company[section]).flatMap(([name]) =>
      listed.includes(name) ? [] : { path: `${section}.${name}`, group: names.at(-1) },
    ),
    ...questions(company.additional).flatMap(([name, { section: shownIn, group = '' }]) =>
      shownIn === section
        ? { path: `additional.${name}`, group: isGroup(section, group) ? group : names.at(-1) }
        : [],
    ),
  ]
  return names.map((name) => ({
    name,
    paths: [
      ...(groups[name] ?? []).map((field) => `${section}.${field}`),
      ...others.filter(({ group }) => group === name).map(({ path }) => path),
    ],
  }))
}
