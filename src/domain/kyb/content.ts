/** Rules for the content of an application: its paths, its files, and comparisons. */

import type { FlagPlace } from '../decision/decision.ts'
import { type KybContent, personIn } from './fields.ts'
import {
  addedFields,
  type Form,
  fieldAt,
  fileLists,
  personFileLists,
  personValue,
  retiredValues,
  valueIn,
} from './form.ts'
import { PEOPLE_PATH } from './requirements.ts'

/** The path of a correction that names no field. Submitting or changing any content resolves this correction. */
export const WHOLE_APPLICATION = 'application'

/** Returns the value of the field at this path, the person for a person's path, or the whole content. */
export function valueAt(content: KybContent, path: string): unknown {
  if (path === WHOLE_APPLICATION) return content
  const [, , id, ...ofPerson] = path.split('.')
  if (id === undefined) return valueIn(content, path)
  const person = personIn(content, id)
  return ofPerson.length === 0 ? person : person && personValue(person, ofPerson.join('.'))
}

export function hasFile(content: KybContent, path: string, fileId: string): boolean {
  const value = valueAt(content, path)
  return Array.isArray(value) && value.includes(fileId)
}

/** Returns whether the path belongs to a field of this application, which a request for changes can name. */
export function isFieldPath(form: Form, content: KybContent, path: string): boolean {
  if (path === PEOPLE_PATH) return true
  const [place, list, id, ...ofPerson] = path.split('.')
  if (id === undefined) return fieldAt(form, path) !== undefined
  const isKnown = `${place}.${list}` === PEOPLE_PATH && personIn(content, id) !== undefined
  return isKnown && (ofPerson.length === 0 || fieldAt(form, path) !== undefined)
}

/** Returns whether operators can accept or flag the field, or the file in it. */
export const canFlag = (
  { form, content }: { readonly form: Form; readonly content: KybContent },
  { path, fileId = null }: FlagPlace,
): boolean => isFieldPath(form, content, path) && (fileId === null || hasFile(content, path, fileId))

/** Returns false for a document that cannot be opened, because the operator cannot check it. */
export const canAccept = (
  { unreadable }: { readonly unreadable: ReadonlySet<string> },
  { fileId = null }: FlagPlace,
): boolean => fileId === null || !unreadable.has(fileId)

/** Returns whether the path belongs to a person who is no longer in the application. */
export function isOfRemovedPerson(content: KybContent, path: string): boolean {
  const [, list, id] = path.split('.')
  return list === 'beneficiaries_list' && id !== undefined && personIn(content, id) === undefined
}

/**
 * Returns whether both values are equal. A missing list equals an empty one, because responses show it as an empty
 * list.
 */
export const areSame = (one: unknown, other: unknown): boolean => withoutEmpty(one) === withoutEmpty(other)

const withoutEmpty = (value: unknown): string | undefined =>
  JSON.stringify(value, (_name, each) => (Array.isArray(each) && each.length === 0 ? undefined : each))

/** The maximum number of files per application, across all requests. */
export const MAX_FILES = 500

export const listOf = (files: unknown): string[] => (files ?? []) as string[]

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
export function fileReferencesIn(form: Form, content: KybContent): string[] {
  const ofPeople = personFileLists(form)
  return [
    ...[...fileLists(form).values()].map((path) => valueIn(content, path)),
    ...content.beneficiaries.beneficiaries_list.flatMap((person) =>
      ofPeople.map((list) => personValue(person, list)),
    ),
  ].flatMap(listOf)
}
