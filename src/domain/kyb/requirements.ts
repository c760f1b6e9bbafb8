/** Rules for requirements, which are the fields that an application still needs (`requirements.currently_due`). */
import type { Progress } from '../base/progress.ts'
import { describeCondition, type Facts } from '../fields/condition.ts'
import { type Field, type Fields, requiredIn } from '../fields/field.ts'
import { DUE_REASONS, type DueReason, findDueReason, type Known } from '../fields/values.ts'
import { BENEFICIARY_FIELDS } from './fields/beneficiaries.ts'
import { type Beneficiary, KYB_FIELDS, type KybContent, SECTIONS, type Section } from './fields.ts'

/** Returns the names of the section's fields that the content requires, whether they are filled in or not. */
export const requiredFields = (section: Section, content: KybContent): string[] =>
  requiredIn(KYB_FIELDS[section], answersIn(content))

/** Returns the answers in the content, for conditions. */
export const answersIn = (content: KybContent): Facts => ({ valueAt: (path) => valueIn(content, path) })

/** Returns the value of the field at a path in a section. */
export function valueIn(content: KybContent, path: string): unknown {
  const [section = '', field = ''] = path.split('.')
  return (content as unknown as Record<string, Record<string, unknown>>)[section]?.[field]
}

/** Circumstances outside the content that affect its requirements. */
export interface Circumstances extends Known {
  /** The people whose own verification replaces their identity documents. */
  readonly verified: { has(beneficiaryId: string): boolean }
  /** The people whose verification does not count, because it verified another name. */
  readonly mismatched: { has(beneficiaryId: string): boolean }
}

/** Returns the names of the fields that are required for a beneficiary, whether they are filled in or not. */
export const requiredOfPerson = (
  person: Partial<Beneficiary> & Pick<Beneficiary, 'external_id'>,
  verified: Circumstances['verified'],
): string[] => {
  // The condition checks only whether the person is `approved`. Responses show the exact verification.
  const verification = verified.has(person.external_id) ? 'approved' : 'initiated'
  const values: Readonly<Record<string, unknown>> = { ...person, verification }
  return requiredIn(BENEFICIARY_FIELDS, { valueAt: (field) => values[field] })
}

const isFileList = (field: Field | undefined): boolean => field?.type === 'files'

/** Returns the number of required file lists, and how many of them are not in `due`. */
export function countDocuments(
  content: KybContent,
  { verified, due }: Pick<Circumstances, 'verified'> & { readonly due: readonly string[] },
): Progress {
  const paths = [
    ...SECTIONS.flatMap((section) => requiredFields(section, content).map((name) => `${section}.${name}`)),
    ...content.beneficiaries.beneficiaries_list.flatMap((person) =>
      requiredOfPerson(person, verified).map((name) => beneficiaryPath(person.external_id, name)),
    ),
  ].filter((path) => isFileList(fieldAt(path)))
  return { done: paths.filter((path) => !due.includes(path)).length, total: paths.length }
}

/** The file lists that every company must fill, regardless of its other data. */
export const DOCUMENTS_OF_EVERY_COMPANY: readonly string[] = (
  ['business_files', 'beneficiaries'] as const
).flatMap((section) =>
  Object.entries<Field>(KYB_FIELDS[section]).flatMap(([name, { type, required }]) =>
    type === 'files' && required === true ? name : [],
  ),
)

export interface Due {
  readonly path: string
  readonly reason: DueReason
}

/**
 * Returns each required field whose value is missing or does not count. The path of a beneficiary contains the
 * `external_id`.
 */
export function findDue(content: KybContent, known: Circumstances): Due[] {
  const inSection = (section: Section) =>
    findDueFields(
      content[section],
      KYB_FIELDS[section],
      requiredFields(section, content),
      known,
      `${section}.`,
    )
  return [
    ...inSection('nature_of_business'),
    ...inSection('usage_of_account'),
    ...inSection('business_files'),
    ...peopleDue(content.beneficiaries.beneficiaries_list, known),
    ...inSection('beneficiaries'),
  ]
}

export const currentlyDue = (content: KybContent, known: Circumstances): string[] =>
  findDue(content, known).map(({ path }) => path)

/** Returns the reason for each of these paths, which were due after the latest change to the application. */
export function reasonsFor(paths: readonly string[], content: KybContent, known: Circumstances): Due[] {
  const reasons = new Map(findDue(content, known).map(({ path, reason }) => [path, reason]))
  return paths.map((path) => ({ path, reason: reasons.get(path) ?? 'to_be_checked' }))
}

/** Returns the reason as text. */
export function dueMessage({ path, reason }: Due): string {
  if (reason === 'verified_as_another') return DUE_REASONS[reason]
  const required = fieldAt(path)?.required
  const because =
    typeof required === 'object' ? ` It is required because ${describeCondition(required)}.` : ''
  return DUE_REASONS[reason] + because
}

/** Returns the field table's row for a path, or undefined if the path does not belong to a field. */
export function fieldAt(path: string): Field | undefined {
  const [section = '', name = '', , ofPerson] = path.split('.')
  const fields: Fields = ofPerson ? BENEFICIARY_FIELDS : KYB_FIELDS[section as Section]
  return fields?.[ofPerson ?? name]
}

function peopleDue(people: readonly Beneficiary[], known: Circumstances): Due[] {
  const hasPersonInCharge = people.some(({ roles }) => roles?.includes('ubo') || roles?.includes('director'))
  return [
    ...(hasPersonInCharge
      ? []
      : [{ path: 'beneficiaries.beneficiaries_list', reason: 'nobody_in_charge' } as const]),
    ...people.flatMap((person) =>
      findDueFields(
        person,
        BENEFICIARY_FIELDS,
        requiredOfPerson(person, known.verified),
        known,
        beneficiaryPath(person.external_id, ''),
      ).map(({ path, reason }) => ({ path, reason: reasonOf(person, reason, known) })),
    ),
  ]
}

/**
 * Returns the reason for a person's field. If the person has no identity document and the check verified another name,
 * returns `verified_as_another`.
 */
const reasonOf = (
  { external_id: id }: Beneficiary,
  reason: DueReason,
  { mismatched }: Circumstances,
): DueReason => (reason === 'no_document' && mismatched.has(id) ? 'verified_as_another' : reason)

const findDueFields = (
  values: object,
  fields: Fields,
  required: readonly string[],
  known: Known,
  prefix: string,
): Due[] =>
  required.flatMap((name) => {
    const value = (values as Readonly<Record<string, unknown>>)[name]
    const reason = findDueReason((fields[name] as Field).type, value, known)
    return reason ? [{ path: `${prefix}${name}`, reason }] : []
  })

/** Returns whether the path is that of the person or of one of the person's fields. */
export const isAboutPerson = (path: string, id: string): boolean =>
  `${path}.`.startsWith(beneficiaryPath(id, ''))

export const beneficiaryPath = (id: string, field: string): string =>
  `beneficiaries.beneficiaries_list.${id}.${field}`
