/** Rules for edits of an application's content: merges, lists of files, beneficiaries, and limits. */

import type { ErrorCode, Problem } from '../base/errors.ts'
import type { Facts } from '../fields/condition.ts'
import type { Fields as FieldTable } from '../fields/field.ts'
import { findLimitReason } from '../fields/limits.ts'
import { DUE_REASONS } from '../fields/values.ts'
import { areSame, fileReferencesIn, listOf, MAX_FILES } from './content.ts'
import { type Beneficiary, isSameEmail, type KybContent, MAX_BENEFICIARIES, personIn } from './fields.ts'
import {
  addedFields,
  changeable,
  companyHolder,
  type Form,
  factsOf,
  factsOfPerson,
  fileLists,
  PLACES,
  personFileLists,
  personHolder,
  personValue,
  valuesOf,
} from './form.ts'
import { nameProblemsByPerson } from './problem-paths.ts'
import { beneficiaryPath } from './requirements.ts'

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
      const known = personIn(before, person.external_id)
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

/**
 * Merges people. An `external_id` identifies a person. If there is none, an email does. `_destroy: true` removes the
 * person if present.
 */
function mergePeople(people: Beneficiary[], patches: readonly Fields[], { form, newId }: EditContext) {
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
