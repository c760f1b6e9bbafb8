/**
 * Rules for values and files that a change removes. Under a legal hold or an internal hold, only operators still see them.
 */

import { type ApplicantForm, isPersonFile } from '../identification/person-form.ts'
import type { Profile } from '../identification/profile.ts'
import { areSame } from '../kyb/content.ts'
import { type Beneficiary, type KybContent, personIn } from '../kyb/fields.ts'
import { ADDED, companyHolder, type Form, fieldAt, PLACES, personHolder, valuesOf } from '../kyb/form.ts'
import { beneficiaryPath } from '../kyb/requirements.ts'
import { fullNameOf } from '../names/full-name.ts'

/** A value or a file that is no longer part of a record. */
export interface Removed {
  /** The path of the field, as in the timeline. */
  readonly path: string
  /** The value, or the ID of the file. */
  readonly value: unknown
  readonly isFile: boolean
}

export interface KeptValue extends Removed {
  readonly removedAt: Date
}

/** Returns the values that the new profile no longer has, because they were cleared or replaced. */
export const removedFromProfile = (before: Profile, after: Profile, form?: ApplicantForm): Removed[] =>
  Object.entries(before)
    .filter(([path, value]) => after[path] !== value)
    .map(([path, value]) => ({ path, value, isFile: isPersonFile(path, form) }))

/** Returns the values and files that the new content no longer has, including those of removed people. */
export function removedFromContent(form: Form, before: KybContent, after: KybContent): Removed[] {
  const left = new Map(placesOf(form, after).map(({ path, value }) => [path, value]))
  return placesOf(form, before).flatMap(({ path, value, isFile }): Removed[] => {
    const now = left.get(path)
    if (!isFile) return areSame(value, now) ? [] : [{ path, value, isFile }]
    const gone = (value as string[]).filter((id) => !((now ?? []) as string[]).includes(id))
    return gone.map((id) => ({ path, value: id, isFile }))
  })
}

/** Returns every value with its path. A list of files is one value. */
function placesOf(form: Form, content: KybContent): Removed[] {
  const { beneficiaries_list: people } = content.beneficiaries
  const values = [
    ...PLACES.flatMap((place) =>
      Object.entries(valuesOf(content, place))
        .filter(([name]) => name !== 'beneficiaries_list')
        .map(([name, value]) => ({ path: `${place}.${name}`, value })),
    ),
    ...people.flatMap(({ external_id: id, additional = {}, ...values }) =>
      [
        ...Object.entries(values),
        ...Object.entries(additional).map(([name, value]) => [ADDED + name, value] as const),
      ].map(([name, value]) => ({ path: beneficiaryPath(id, name), value })),
    ),
  ]
  return values.map((each) => ({ ...each, isFile: fieldAt(form, each.path)?.type === 'files' }))
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** Returns the values by which `kept` completes the record: the latest for each path. */
const latest = (kept: readonly Removed[]): Removed[] => [
  ...new Map(kept.filter(({ isFile }) => !isFile).map((each) => [each.path, each])).values(),
]

export const WITHDRAWAL_PATH = 'declined_at'
/** The path under which the erasure of a complete record is kept. */
export const ENTITY_PATH = 'identification'
/** The paths that do not complete a record. The fields of the consent show the withdrawal. */
const NOT_SHOWN = ['consent', 'consented_at', 'consent_language', WITHDRAWAL_PATH, ENTITY_PATH]

/** Returns the values without the one that stands for a complete record. */
export const valuesOnly = <K extends Removed>(kept: readonly K[]): K[] =>
  kept.filter(({ path }) => path !== ENTITY_PATH)

/** Returns the profile with the removed values in the fields that are now empty. */
export const withKeptProfile = (profile: Profile, kept: readonly Removed[]): Profile => ({
  ...Object.fromEntries(
    latest(kept)
      .filter(({ path }) => !NOT_SHOWN.includes(path))
      .map(({ path, value }) => [path, String(value)]),
  ),
  ...profile,
})

/** Returns the content with the removed people and files, and the removed values in the fields that are now empty. */
export function withKeptContent(content: KybContent, kept: readonly Removed[]): KybContent {
  const shown = structuredClone(content)
  for (const { path, value } of latest(kept)) {
    const [owner, name] = ownerOf(shown, path)
    if (isEmpty(owner[name])) owner[name] = value
  }
  for (const { path, value } of kept.filter(({ isFile }) => isFile)) {
    const [owner, name] = ownerOf(shown, path)
    const list = (owner[name] ?? []) as string[]
    if (!list.includes(String(value))) owner[name] = [...list, String(value)]
  }
  return shown
}

/** Returns the object that contains the field at the path. Adds a removed person. */
function ownerOf(content: KybContent, path: string): ReturnType<typeof companyHolder> {
  const [, , person, ...field] = path.split('.')
  if (person === undefined || field.length === 0) return companyHolder(content, path)
  const known = personIn(content, person)
  const found: Beneficiary = known ?? { external_id: person, email: '' }
  if (!known) content.beneficiaries.beneficiaries_list.push(found)
  return personHolder(found, field.join('.'))
}

/** Returns the full names that a person had before the removals. */
export function earlierNamesOfPerson(profile: Profile, kept: readonly Removed[]): string[] {
  const earlier: Record<string, string> = { ...profile }
  return kept.toReversed().flatMap(({ path, value }) => {
    if (path !== 'name' && path !== 'surname') return []
    earlier[path] = String(value)
    return [fullNameOf(earlier)]
  })
}

const NAMES = /\.(?:legal_company_name|comercial_name|full_name)$/

export const removedNames = (kept: readonly Removed[]): string[] =>
  kept.flatMap(({ path, value }) => (NAMES.test(path) && typeof value === 'string' ? [value] : []))

/** Returns the IDs of the people whom the paths name. */
export const peopleIn = (kept: readonly Pick<Removed, 'path'>[]): string[] => [
  ...new Set(
    kept.flatMap(({ path }) => {
      const [, list, id] = path.split('.')
      return list === 'beneficiaries_list' && id !== undefined ? [id] : []
    }),
  ),
]
