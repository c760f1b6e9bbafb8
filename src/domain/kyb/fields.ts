/**
 * Rules for the fields of a KYB application (specification, "KYB application"). A new field needs one row in a table
 * and a label in each language. Types, requirements, schemas, forms, the review page and the API reference derive from
 * the row.
 */
import type { Values } from '../fields/field.ts'
import { BENEFICIARIES, type BENEFICIARY_FIELDS } from './fields/beneficiaries.ts'
import { BUSINESS_FILES } from './fields/business-files.ts'
import { NATURE_OF_BUSINESS } from './fields/nature-of-business.ts'
import { USAGE_OF_ACCOUNT } from './fields/usage-of-account.ts'

export const KYB_FIELDS = {
  nature_of_business: NATURE_OF_BUSINESS,
  usage_of_account: USAGE_OF_ACCOUNT,
  business_files: BUSINESS_FILES,
  beneficiaries: BENEFICIARIES,
} as const

/** The maximum number of beneficiaries per application. */
export const MAX_BENEFICIARIES = 100

export type Section = keyof typeof KYB_FIELDS
export const SECTIONS = Object.keys(KYB_FIELDS) as Section[]

/** The values of the fields that a profile adds, keyed by name. */
export type Additional = { [name: string]: unknown }

/** A stored beneficiary. Its file lists contain file IDs. Gatehouse assigns the `external_id`. */
export type Beneficiary = Values<typeof BENEFICIARY_FIELDS> & {
  email: string
  external_id: string
  additional?: Additional
}

/** Compares emails without regard to case. */
export const isSameEmail = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/** The content of an application: its four sections and its additional fields. File lists contain file IDs. */
export type KybContent = { [S in Section]: Values<(typeof KYB_FIELDS)[S]> } & {
  beneficiaries: { beneficiaries_list: Beneficiary[] }
  additional?: Additional
}

export const personIn = ({ beneficiaries }: Pick<KybContent, 'beneficiaries'>, id: string | undefined) =>
  beneficiaries.beneficiaries_list.find(({ external_id }) => external_id === id)

export const emptyContent = (): KybContent => ({
  nature_of_business: {},
  usage_of_account: {},
  business_files: {},
  beneficiaries: { beneficiaries_list: [] },
})
