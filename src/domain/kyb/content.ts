/** Rules for edits of an application's content: merges, file lists, beneficiaries and corrections. */

import type { ErrorCode, Problem } from '../base/errors.ts'
import type { Correction, Place, Reply } from '../decision/decision.ts'
import type { Facts } from '../fields/condition.ts'
import type { Fields as FieldTable } from '../fields/field.ts'
import { findLimitReason } from '../fields/limits.ts'
import { DUE_REASONS } from '../fields/values.ts'
import { type Beneficiary, isSameEmail, type KybContent, MAX_BENEFICIARIES } from './fields.ts'
import {
  addedFields,
  changeable,
  companyHolder,
  type Form,
  factsOf,
  factsOfPerson,
  fieldAt,
  fileLists,
  PLACES,
  personFileLists,
  personHolder,
  personValue,
  retiredValues,
  valueIn,
  valuesOf,
} from './form.ts'
import { beneficiaryPath, PEOPLE_PATH } from './requirements.ts'

type Fields = Record<string, unknown>

/**
 * A validated `PATCH` body. Lists of people and files add or change entries, and omitted entries remain. `null` clears
 * a field or a list.
 */
export type KybPatch = { [section: string]: Fields | null }

export type KybEdit =
  | { readonly kind: 'patch'; readonly patch: KybPatch }
  | {
      readonly kind: 'attach'
      readonly fileId: string
      readonly attribute: string
      /** The beneficiary to whom the list belongs, identified by `external_id` or by email. */
      readonly externalId?: string
      readonly email?: string
    }
  | { readonly kind: 'detach'; readonly fileId: string; readonly attribute: string }

interface EditContext {
  readonly form: Form
  /** The IDs of the files that were uploaded to this application. */
  readonly uploaded: { has(fileId: string): boolean }
  readonly newId: () => string
}

type Edited = { readonly content: KybContent } | { readonly problems: readonly Problem[] }

/** Returns the content after the edit, or all problems. Does not change the given content. */
export function editContent(content: KybContent, edit: KybEdit, context: EditContext): Edited {
  const next = structuredClone(content)
  const problems = [
    ...applyEdit(next, edit, context),
    ...outsideLimits(context.form, next, content),
    ...tooMany(context.form, next, content),
  ]
  for (const each of [next, ...next.beneficiaries.beneficiaries_list])
    if (Object.keys(each.additional ?? {}).length === 0) delete each.additional
  return problems.length > 0 ? { problems } : { content: next }
}

/** The maximum number of files per application, across all requests. */
export const MAX_FILES = 500
/** The maximum number of references to files. A file can be in several lists. */
const MAX_FILE_REFERENCES = 2 * MAX_FILES

function tooMany(form: Form, content: KybContent, before: KybContent): Problem[] {
  const problems: Problem[] = []
  if (content.beneficiaries.beneficiaries_list.length > MAX_BENEFICIARIES) {
    problems.push({ code: 'too_many', field: 'beneficiaries.beneficiaries_list' })
  }
  const references = fileReferencesIn(form, content)
  const isFull =
    references.length > MAX_FILE_REFERENCES && references.length > fileReferencesIn(form, before).length
  if (isFull || new Set(references).size > MAX_FILES) problems.push({ code: 'too_many', field: 'file' })
  return problems
}

/** Returns a problem for each changed value that is outside the limits of its field. */
function outsideLimits(form: Form, next: KybContent, before: KybContent): Problem[] {
  const check = (fields: FieldTable, facts: Facts, earlier: Read, prefix: string, read: Read) =>
    Object.entries(fields).flatMap(([name, field]): Problem[] => {
      const value = read(name)
      const reason = value === earlier(name) ? null : findLimitReason(field, value, facts)
      return reason ? [{ code: 'invalid', field: prefix + name, message: DUE_REASONS[reason] }] : []
    })
  if (form.version === 0) return []
  return [
    ...PLACES.flatMap((place) => {
      const [now, earlier] = [valuesOf(next, place), valuesOf(before, place)]
      return check(
        form.company[place],
        factsOf(form, next),
        (name) => earlier[name],
        `${place}.`,
        (name) => now[name],
      )
    }),
    ...next.beneficiaries.beneficiaries_list.flatMap((person, position) => {
      const known = before.beneficiaries.beneficiaries_list.find(
        ({ external_id }) => external_id === person.external_id,
      )
      return check(
        form.person,
        factsOfPerson(form, next, person),
        (name) => known && personValue(known, name),
        beneficiaryPath(known ? known.external_id : String(position), ''),
        (name) => personValue(person, name),
      )
    }),
  ]
}

type Read = (name: string) => unknown

function applyEdit(next: KybContent, edit: KybEdit, context: EditContext): Problem[] {
  switch (edit.kind) {
    case 'patch':
      return mergePatch(next, edit.patch, context)
    case 'attach':
      return attach(next, edit, context.form)
    case 'detach':
      return detach(next, edit, context.form)
  }
}

function mergePatch(next: KybContent, patch: KybPatch, context: EditContext): Problem[] {
  const problems = unknownFiles(next, patch, context)
  if (patch.additional === null) delete next.additional
  for (const place of PLACES) {
    const { beneficiaries_list: people, ...fields } = patch[place] ?? {}
    merge(changeable(next, place), fields, context.form.company[place])
    if (people === null) next.beneficiaries.beneficiaries_list = []
    else if (people)
      problems.push(...mergePeople(next.beneficiaries.beneficiaries_list, people as Fields[], context))
  }
  return problems
}

/**
 * Merges fields. In a list of files, the files in the request come first, in the given order. A selection whose options
 * are the same keeps its order.
 */
function merge(target: Fields, fields: Fields, table: FieldTable): void {
  for (const [name, value] of Object.entries(fields)) {
    if (value === null) delete target[name]
    else if (table[name]?.type === 'files')
      target[name] = [...new Set([...listOf(value), ...listOf(target[name])])]
    else if (table[name]?.type !== 'some_of' || !haveSameOptions(target[name], value)) target[name] = value
  }
}

const haveSameOptions = (one: unknown, other: unknown): boolean =>
  areSame([...listOf(one)].sort(), [...listOf(other)].sort())

const listOf = (files: unknown): string[] => (files ?? []) as string[]

/**
 * Merges people. An `external_id` identifies a person. If there is none, an email does. `_destroy: true` removes the
 * person if present.
 */
function mergePeople(
  people: Beneficiary[],
  patches: readonly Fields[],
  { form, newId }: EditContext,
): Problem[] {
  const problems: Problem[] = []
  const written: { readonly person: Beneficiary; readonly place: string }[] = []
  // An email identifies the person who had this email before the request.
  const entries = patches.map((patch) => {
    const known = people.find((person) => isNamed(person, patch))
    return {
      patch,
      known,
      name: known?.external_id ?? patch.external_id ?? String(patch.email).toLowerCase(),
    }
  })
  for (const [index, { patch, known, name }] of entries.entries()) {
    const { _destroy, external_id, email, additional, ...fields } = patch
    const place = String(index)
    const refuse = (code: ErrorCode, field: string, message?: string) =>
      problems.push({ code, ...(message && { message }), field: beneficiaryPath(place, field) })
    const isSecond = entries.findIndex((each) => each.name === name) < index
    if (isSecond) refuse('duplicate_beneficiary', external_id === undefined ? 'email' : 'external_id')
    else if (_destroy === true) {
      if (known) people.splice(people.indexOf(known), 1)
    } else if (!known && external_id !== undefined) refuse('unknown_beneficiary', 'external_id', UNKNOWN_ID)
    else {
      const person = known ?? { email: String(email), external_id: newId() }
      // An email that differs only in case counts as unchanged and keeps its first spelling.
      if (typeof email === 'string' && !isSameEmail(person.email, email)) person.email = email
      merge(person, fields, form.person)
      person.additional = additional === null ? {} : { ...person.additional }
      merge(person.additional, (additional ?? {}) as Fields, addedFields(form))
      if (!known) people.push(person)
      written.push({ person, place })
    }
  }
  for (const { person, place } of written) {
    const isTaken = people.some((other) => other !== person && isSameEmail(other.email, person.email))
    if (isTaken) problems.push({ code: 'duplicate_beneficiary', field: beneficiaryPath(place, 'email') })
  }
  return problems
}

const isNamed = (person: Beneficiary, { external_id, email }: Fields): boolean =>
  external_id === undefined ? isSameEmail(person.email, String(email)) : person.external_id === external_id

const UNKNOWN_ID =
  'No beneficiary of the application has this external_id. To add a person, omit external_id.'

/** Returns a problem for each file in a list that was not uploaded to this application. */
function unknownFiles(content: KybContent, patch: KybPatch, { form, uploaded }: EditContext): Problem[] {
  const problems: Problem[] = []
  const check = (value: unknown, path: string) => {
    for (const [index, id] of ((value ?? []) as string[]).entries()) {
      if (!uploaded.has(id)) problems.push({ code: 'unknown_file', field: `${path}.${index}.id` })
    }
  }
  for (const path of fileLists(form).values()) {
    const [place = '', name = ''] = path.split('.')
    check(patch[place]?.[name], path)
  }
  const people = (patch.beneficiaries?.beneficiaries_list ?? []) as Fields[]
  for (const [index, person] of people.entries()) {
    for (const list of personFileLists(form))
      check(personValue(person, list), beneficiaryPath(String(index), list))
  }
  return nameProblemsByPerson(content, patch, problems)
}

const PLACE = /^(beneficiaries\.beneficiaries_list\.)(\d+)(?=\.|$)/

/**
 * Replaces positions in the paths of problems with the `external_id`s of known people. New people keep their positions.
 * The request may be malformed.
 */
export function nameProblemsByPerson(
  { beneficiaries }: KybContent,
  patch: unknown,
  problems: readonly Problem[],
): Problem[] {
  const sent = (patch as { beneficiaries?: { beneficiaries_list?: unknown } } | null)?.beneficiaries
  const people = Array.isArray(sent?.beneficiaries_list) ? (sent.beneficiaries_list as unknown[]) : []
  const ids = new Map(
    beneficiaries.beneficiaries_list.flatMap(({ email, external_id: id }) => [
      [email.toLowerCase(), id],
      [id, id],
    ]),
  )
  const idBy = (name: unknown) => (typeof name === 'string' ? ids.get(name.toLowerCase()) : undefined)
  // Looks up each person only once, because a request can have thousands of problems and very long emails.
  const names = people.map((person) => {
    const { external_id, email } = (person ?? {}) as { external_id?: unknown; email?: unknown }
    return external_id === undefined ? idBy(email) : idBy(external_id)
  })
  return problems.map((problem) =>
    problem.field === undefined
      ? problem
      : {
          ...problem,
          field: problem.field.replace(PLACE, (_, list, place) => list + (names[Number(place)] ?? place)),
        },
  )
}

function attach(next: KybContent, edit: Extract<KybEdit, { kind: 'attach' }>, form: Form): Problem[] {
  const path = fileLists(form).get(edit.attribute)
  const { externalId, email = '' } = edit
  const isOwner = (person: Beneficiary) =>
    externalId === undefined ? isSameEmail(person.email, email) : person.external_id === externalId
  const owner = path ?? next.beneficiaries.beneficiaries_list.find(isOwner)
  if (!owner)
    return [{ code: 'unknown_beneficiary', field: externalId === undefined ? 'email' : 'external_id' }]
  const [values, name] =
    typeof owner === 'string' ? companyHolder(next, owner) : personHolder(owner, edit.attribute)
  values[name] = [...listOf(values[name]), edit.fileId]
  return []
}

function detach(next: KybContent, edit: Extract<KybEdit, { kind: 'detach' }>, form: Form): Problem[] {
  const path = fileLists(form).get(edit.attribute)
  const owners = path
    ? [companyHolder(next, path)]
    : next.beneficiaries.beneficiaries_list.map((person) => personHolder(person, edit.attribute))
  let found = false
  for (const [owner, name] of owners) {
    const list = listOf(owner[name])
    if (!list.includes(edit.fileId)) continue
    owner[name] = list.filter((id) => id !== edit.fileId)
    found = true
  }
  const message = 'Record not found: the list does not have this file. It may already have been deleted.'
  return found ? [] : [{ code: 'not_found', field: 'blob_key', message }]
}

/**
 * Returns the IDs of all files in the lists, including those that only an earlier version of the profile has. A file that
 * is in several lists appears once.
 */
export const namedFiles = (form: Form, content: KybContent): Set<string> =>
  new Set([
    ...fileReferencesIn(form, content),
    ...[
      retiredValues(content.additional, form.company.additional),
      ...content.beneficiaries.beneficiaries_list.map((person) =>
        retiredValues(person.additional, addedFields(form)),
      ),
    ].flatMap((values) => Object.values(values).flatMap((value) => (Array.isArray(value) ? value : []))),
  ])

/** Returns the file IDs in all lists. A file that is in several lists appears repeatedly. */
function fileReferencesIn(form: Form, content: KybContent): string[] {
  const ofPeople = personFileLists(form)
  return [
    ...[...fileLists(form).values()].map((path) => valueIn(content, path)),
    ...content.beneficiaries.beneficiaries_list.flatMap((person) =>
      ofPeople.map((list) => personValue(person, list)),
    ),
  ].flatMap(listOf)
}

/**
 * Returns whether both values are equal. A missing list equals an empty one, because responses show it as an empty
 * list.
 */
export const areSame = (one: unknown, other: unknown): boolean => withoutEmpty(one) === withoutEmpty(other)

const withoutEmpty = (value: unknown): string | undefined =>
  JSON.stringify(value, (_name, each) => (Array.isArray(each) && each.length === 0 ? undefined : each))

/** The path of a correction that names no field. Submitting or changing any content resolves this correction. */
export const WHOLE_APPLICATION = 'application'

export const countFieldCorrections = (corrections: readonly Place[]): number =>
  corrections.filter(({ path }) => path !== WHOLE_APPLICATION).length

interface Edit {
  readonly form: Form
  readonly before: KybContent
  readonly after: KybContent
}

/**
 * Returns the open corrections. A change to the field, or the removal of the person to whom it belongs, resolves a
 * correction.
 */
export function openCorrections<C extends Correction>(
  corrections: readonly C[],
  { before, after, form }: Edit,
): C[] {
  // Compares each path only once, because several findings can have the same path, and a path can stand for the whole
  // application.
  const paths = [...new Set(corrections.map(({ path }) => path))]
  const exists = (path: string) => path === WHOLE_APPLICATION || isFieldPath(form, after, path)
  const isSame = (path: string) => areSame(valueAt(before, path), valueAt(after, path))
  const open = new Set(paths.filter((path) => exists(path) && isSame(path)))
  return corrections.filter(({ path }) => open.has(path))
}

/** Returns whether the path belongs to a person who is no longer in the application. */
export function isOfRemovedPerson({ beneficiaries }: KybContent, path: string): boolean {
  const [, list, id] = path.split('.')
  if (list !== 'beneficiaries_list' || id === undefined) return false
  return beneficiaries.beneficiaries_list.every(({ external_id }) => external_id !== id)
}

/**
 * Returns the replies that still apply. These are replies about the whole application, about a document that is still
 * in its list, or about an unchanged value.
 */
export function openReplies(replies: readonly Reply[], edit: Edit): Reply[] {
  const isSame = openCorrections(replies, edit)
  return replies.filter(
    (each) =>
      each.path === WHOLE_APPLICATION ||
      (each.fileId === undefined ? isSame.includes(each) : hasFile(edit.after, each.path, each.fileId)),
  )
}

function valueAt(content: KybContent, path: string): unknown {
  if (path === WHOLE_APPLICATION) return content
  const [, , id, ...ofPerson] = path.split('.')
  if (id === undefined) return valueIn(content, path)
  const person = content.beneficiaries.beneficiaries_list.find(({ external_id }) => external_id === id)
  return ofPerson.length === 0 ? person : person && personValue(person, ofPerson.join('.'))
}

/** Returns whether the field at this path contains the file. */
export function hasFile(content: KybContent, path: string, fileId: string): boolean {
  const value = valueAt(content, path)
  return Array.isArray(value) && value.includes(fileId)
}

/** Returns whether the path belongs to a field of this application, which a request for changes can name. */
export function isFieldPath(form: Form, content: KybContent, path: string): boolean {
  if (path === PEOPLE_PATH) return true
  const [place, list, id, ...ofPerson] = path.split('.')
  if (id === undefined) return fieldAt(form, path) !== undefined
  const isKnown =
    `${place}.${list}` === PEOPLE_PATH &&
    content.beneficiaries.beneficiaries_list.some(({ external_id }) => external_id === id)
  return isKnown && (ofPerson.length === 0 || fieldAt(form, path) !== undefined)
}
