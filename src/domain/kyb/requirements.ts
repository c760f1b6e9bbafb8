/** Rules for requirements, which are the fields that an application still needs (`requirements.currently_due`). */
import { oncePer } from '../base/once-per.ts'
import type { Progress } from '../base/progress.ts'
import { type Condition, describeCondition, type Facts } from '../fields/condition.ts'
import { type Field, type Fields, requiredIn } from '../fields/field.ts'
import { DUE_REASONS, type DueReason, findDueReason, type Known } from '../fields/values.ts'
import type { Beneficiary, KybContent } from './fields.ts'
import {
  DEFAULT_FORM,
  type Form,
  factsOf,
  factsOfPerson,
  fieldAt,
  PLACES,
  type Place,
  personValue,
  valuesOf,
} from './form.ts'

/** Returns the names of the fields in a place that the content requires, whether they are filled in or not. */
export const requiredFields = (form: Form, place: Place, content: KybContent): string[] =>
  requiredIn(form.company[place], factsOf(form, content))

/** Returns the paths of the company's fields that the content requires, whether they are filled in or not. */
export const requiredPaths = (form: Form, content: KybContent): string[] =>
  PLACES.flatMap((place) => requiredFields(form, place, content).map((name) => `${place}.${name}`))

/** Circumstances outside the content that affect its requirements. */
export interface Circumstances extends Known {
  readonly form: Form
  /** The people whose own verification replaces their identity documents. */
  readonly verified: { has(beneficiaryId: string): boolean }
  /** The people whose verification does not count, because it is about another name. */
  readonly mismatched: { has(beneficiaryId: string): boolean }
}

type SomePerson = Partial<Beneficiary> & Pick<Beneficiary, 'external_id'>

/** Returns the facts for the conditions of a beneficiary's fields, with the person's verification. */
function verifiedFacts(
  person: SomePerson,
  content: KybContent,
  { form, verified }: Pick<Circumstances, 'form' | 'verified'>,
): Facts {
  const facts = factsOfPerson(form, content, person)
  // The condition checks only whether the person is `approved`. Responses show the exact verification.
  const verification = verified.has(person.external_id) ? 'approved' : 'initiated'
  return { ...facts, valueAt: (field) => (field === 'verification' ? verification : facts.valueAt(field)) }
}

/** Returns the names of the fields that are required for a beneficiary, whether they are filled in or not. */
export const requiredOfPerson = (
  person: SomePerson,
  content: KybContent,
  known: Pick<Circumstances, 'form' | 'verified'>,
): string[] => requiredIn(known.form.person, verifiedFacts(person, content, known))

const isFileList = (field: Field | undefined): boolean => field?.type === 'files'

/** Returns the paths of all fields that the content requires of the company and of each person. */
export const allRequiredPaths = (content: KybContent, known: Pick<Circumstances, 'form' | 'verified'>) => [
  ...requiredPaths(known.form, content),
  ...content.beneficiaries.beneficiaries_list.flatMap((person) =>
    requiredOfPerson(person, content, known).map((name) => beneficiaryPath(person.external_id, name)),
  ),
]

/** Returns the number of required file lists, and how many of them are not in `due`. */
export function countDocuments(
  content: KybContent,
  known: Pick<Circumstances, 'form' | 'verified'> & { readonly due: readonly string[] },
): Progress {
  const { form, due } = known
  const open = new Set(due)
  const paths = allRequiredPaths(content, known).filter((path) => isFileList(fieldAt(form, path)))
  return { done: paths.filter((path) => !open.has(path)).length, total: paths.length }
}

/** The file lists that every company must fill, regardless of its other data. */
export const DOCUMENTS_OF_EVERY_COMPANY: readonly string[] = (
  ['business_files', 'beneficiaries'] as const
).flatMap((section) =>
  Object.entries<Field>(DEFAULT_FORM.company[section]).flatMap(([name, { type, required }]) =>
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
  const { form } = known
  const facts = factsOf(form, content)
  const inPlace = (place: Place) =>
    findDueFields((name) => valuesOf(content, place)[name], form.company[place], facts, known, `${place}.`)
  return [
    ...inPlace('nature_of_business'),
    ...inPlace('usage_of_account'),
    ...inPlace('business_files'),
    ...peopleDue(content, known),
    ...inPlace('beneficiaries'),
    ...inPlace('additional'),
  ]
}

export const currentlyDue = (content: KybContent, known: Circumstances): string[] =>
  findDue(content, known).map(({ path }) => path)

/** Returns the reason for each of these paths, which were due after the latest change to the application. */
export function reasonsFor(paths: readonly string[], content: KybContent, known: Circumstances): Due[] {
  const reasons = new Map(findDue(content, known).map(({ path, reason }) => [path, reason]))
  return paths.map((path) => ({ path, reason: reasons.get(path) ?? 'to_be_checked' }))
}

export function dueMessage(form: Form, { path, reason }: Due): string {
  if (reason === 'verified_as_another') return DUE_REASONS[reason]
  const required = fieldAt(form, path)?.required
  return DUE_REASONS[reason] + (typeof required === 'object' ? becauseOf(required) : '')
}

/** The maximum length of a condition in a message. A response can repeat it for each field of each person. */
const MAX_BECAUSE = 300

const becauseOf = oncePer((required: Condition) => {
  const text = describeCondition(required)
  return ` It is required because ${text.length > MAX_BECAUSE ? `${text.slice(0, MAX_BECAUSE)}…` : text}.`
})

function peopleDue(content: KybContent, known: Circumstances): Due[] {
  const people = content.beneficiaries.beneficiaries_list
  const hasPersonInCharge = people.some(({ roles }) => roles?.includes('ubo') || roles?.includes('director'))
  return [
    ...(hasPersonInCharge ? [] : [{ path: PEOPLE_PATH, reason: 'nobody_in_charge' } as const]),
    ...people.flatMap((person) =>
      findDueFields(
        (name) => personValue(person, name),
        known.form.person,
        verifiedFacts(person, content, known),
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
  read: (name: string) => unknown,
  fields: Fields,
  facts: Facts,
  known: Known,
  prefix: string,
): Due[] =>
  requiredIn(fields, facts).flatMap((name) => {
    const reason = findDueReason(fields[name] as Field, read(name), known, facts)
    return reason ? [{ path: `${prefix}${name}`, reason }] : []
  })

/** Returns whether the path is that of the person or of one of the person's fields. */
export const isAboutPerson = (path: string, id: string): boolean =>
  `${path}.`.startsWith(beneficiaryPath(id, ''))

/** The path of the people, which is due while the application lists no owner or director. */
export const PEOPLE_PATH = 'beneficiaries.beneficiaries_list'

export const beneficiaryPath = (id: string, field: string): string => `${PEOPLE_PATH}.${id}.${field}`
