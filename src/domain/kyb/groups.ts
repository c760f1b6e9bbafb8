/**
 * Rules for the groups of a section's fields. Pages show the fields of a group together, and the progress counts a
 * group as one item.
 */
import type { Field } from '../fields/field.ts'
import { KYB_FIELDS, type Section } from './fields.ts'

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
  readonly fields: readonly string[]
}

/** Returns the groups of a section. Fields that no group lists are added to the last group. */
export function groupsOf(section: Section): Group[] {
  const groups = Object.entries(GROUPS[section]) as [GroupName, readonly string[]][]
  const listed = groups.flatMap(([, fields]) => fields)
  const others = Object.entries<Field>(KYB_FIELDS[section]).flatMap(([name, { type }]) =>
    type === 'files' || listed.includes(name) ? [] : name,
  )
  return groups.map(([name, fields], index) => ({
    name,
    fields: index === groups.length - 1 ? [...fields, ...others] : fields,
  }))
}
