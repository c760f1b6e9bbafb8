/** Rules for the fields and photos of the person form in a hosted verification, and for finding missing ones. */

import type { Problem } from '../base/errors.ts'
import type { Progress } from '../base/progress.ts'
import type { Correction } from '../decision/decision.ts'
import { dateBefore, type Facts } from '../fields/condition.ts'
import { STATELESS } from '../fields/countries.ts'
import { type Field, type Fields, isYesOrNo, requiredIn } from '../fields/field.ts'
import { isGiven } from '../fields/given.ts'
import { findLimitReason } from '../fields/limits.ts'
import { DUE_REASONS, findDueReason } from '../fields/values.ts'
import { ONE_NAME } from '../names/full-name.ts'
import type { Profile } from './profile.ts'

/** The beginning of the names of fields that a profile adds. */
export const ADDED = 'additional.'

const DOCUMENT_TYPES = ['passport', 'identity_card', 'residence_permit', 'driving_licence'] as const

/** The fields of each page, which have the same names in the profile. */
export const PERSON_FIELDS = {
  details: {
    name: { type: 'text', required: true, autocomplete: 'given-name' },
    surname: { type: 'text', required: true, autocomplete: 'family-name', none: ONE_NAME },
    birthdate: { type: 'date', required: true, autocomplete: 'bday' },
    nationality: { type: 'country', required: true, none: STATELESS },
    address: { type: 'text', required: true, autocomplete: 'address-line1' },
    postal_code: { type: 'text', autocomplete: 'postal-code' },
    city: { type: 'text', required: true, autocomplete: 'address-level2' },
    address_country: { type: 'country', required: true, autocomplete: 'country' },
    email: { type: 'email', autocomplete: 'email' },
    phone: { type: 'phone', autocomplete: 'tel' },
  },
  document: {
    document_country: { type: 'country', required: true },
    document_type: { type: 'one_of', values: DOCUMENT_TYPES, required: true },
    document_number: { type: 'text', required: true },
  },
} as const satisfies Record<string, Fields>

/** The maximum age. The oldest known person lived for 122 years, and some systems use 1900 for unknown dates. */
export const MAX_AGE_YEARS = 130

/** Returns whether a person who lives today can have been born on this date. */
export const isBirthdate = (date: string, today: string): boolean =>
  date <= today && date >= (dateBefore(today, `P${MAX_AGE_YEARS}Y`) ?? '')

/** The photos. The profile contains the file ID of each photo. A passport has no back, because one page has all data. */
const PHOTOS = {
  document_front: { type: 'files', required: true },
  document_back: { type: 'files', required: { field: 'document_type', isNot: 'passport' } },
  selfie: { type: 'files', required: true },
} as const satisfies Fields

/** A specified photo, or a document that a profile adds. Each has one file. */
export type SpecifiedPhoto = keyof typeof PHOTOS
export type PersonFile = SpecifiedPhoto | `${typeof ADDED}${string}`
export const PERSON_FILES = Object.keys(PHOTOS) as SpecifiedPhoto[]

/** The specified fields that pages ask for only if a profile has a row for them. */
export const ASKED_BY_PROFILES = {
  document_expires_on: { type: 'date', earliest: 'today', latest: '9999-12-31' },
} as const satisfies Fields

/** The fields of a person. The names of added fields begin with `additional.`, and a profile contains their texts. */
export interface ApplicantForm extends Omit<Facts, 'valueAt'> {
  readonly version: number
  readonly details: Fields
  readonly document: Fields
  readonly photos: Fields
}

/** The form with the specified fields only. */
export const DEFAULT_APPLICANT_FORM: ApplicantForm = {
  version: 0,
  ...PERSON_FIELDS,
  photos: PHOTOS,
  today: '9999-12-31',
}

export const formOf = ({ form }: { readonly form?: ApplicantForm }): ApplicantForm =>
  form ?? DEFAULT_APPLICANT_FORM

export const typedOf = ({ details, document }: ApplicantForm): Fields => ({ ...details, ...document })

/** Returns the fields that a profile adds, keyed by the part of their names after `additional.` */
export const addedOf = (form: ApplicantForm): Fields =>
  Object.fromEntries(
    Object.entries(typedOf(form)).flatMap(([name, field]) =>
      name.startsWith(ADDED) ? [[name.slice(ADDED.length), field]] : [],
    ),
  )

/** Returns a value as the text that a profile contains. */
export const encodeValue = (value: unknown): string | null =>
  value === null || value === undefined ? null : String(value)

/** Returns the value of a text in a profile. */
export function decodeValue(field: Field | undefined, text: string | undefined): unknown {
  if (text === undefined || field === undefined) return text
  if (isYesOrNo(field.type)) return text === 'true'
  return field.type === 'some_of' ? text.split(',') : text
}

/** Returns the values of all fields that people enter. */
export const valuesOf = (profile: Profile, form: ApplicantForm): Readonly<Record<string, unknown>> => ({
  ...profile,
  ...Object.fromEntries(
    Object.entries(typedOf(form)).map(([name, field]) => [name, decodeValue(field, profile[name])]),
  ),
})

export function factsOfApplicant(profile: Profile, form: ApplicantForm): Facts {
  const values = valuesOf(profile, form)
  return { ...form, valueAt: (name) => values[name] }
}

/** Returns a problem for each changed value that is outside the limits of its field. */
export function outsideLimits(before: Profile, after: Profile, form: ApplicantForm): Problem[] {
  const facts = factsOfApplicant(after, form)
  return Object.entries(typedOf(form)).flatMap(([field, row]) => {
    const reason = after[field] === before[field] ? null : findLimitReason(row, facts.valueAt(field), facts)
    return reason ? { code: 'invalid', field, message: DUE_REASONS[reason] } : []
  })
}

/** Returns whether the file can be a PDF. A document can, but a selfie cannot. */
export const acceptsPdf = (file: PersonFile): boolean => file !== 'selfie'

export const filesIn = ({ photos }: Pick<ApplicantForm, 'photos'>) => Object.keys(photos) as PersonFile[]
export const isPersonFile = (name: string, { photos } = DEFAULT_APPLICANT_FORM): name is PersonFile =>
  Object.hasOwn(photos, name)
export const addedFilesIn = (form: Pick<ApplicantForm, 'photos'>) => filesIn(form).filter(isAddedFile)
export const isAddedFile = (name: PersonFile): name is Exclude<PersonFile, SpecifiedPhoto> =>
  name.startsWith(ADDED)

/** The version of the consent texts. Change it together with the texts, which `src/pages/texts/consents` keeps. */
export const CONSENT = '2026-12-01'

/** The versions that count. Remove the earlier ones if applicants must consent again, because the data or purpose is new. */
export const CONSENTS = ['2026-11-29', '2026-11-30', CONSENT]

export const hasConsented = ({ consent }: Profile): boolean =>
  consent !== undefined && CONSENTS.includes(consent)

/** Returns whether the applicant has refused or withdrawn consent. Giving consent again resets this. */
export const hasDeclined = ({ declined_at }: Profile): boolean => declined_at !== undefined

type Changes = Readonly<Record<string, string | null>>

/** Returns the changes that record consent to the text in this language. The same version keeps its time and language. */
export function consentGiven(profile: Profile, language: string, now: Date): Changes {
  const given = profile.consent === CONSENT ? profile.consented_at : undefined
  return {
    consent: CONSENT,
    consented_at: given ?? now.toISOString(),
    consent_language: given === undefined ? language : (profile.consent_language ?? null),
    declined_at: null,
  }
}

/** The fields that the client can provide. They remain if the applicant refuses consent. */
const KNOWN_BY = new Set(['name', 'surname', 'email'])

/** Returns the changes that remove all data that was entered after the consent. */
export const consentDeclined = (profile: Profile, now: Date): Changes => ({
  ...Object.fromEntries(
    [...PERSON_PATHS, ...Object.keys(profile).filter(isOfProfile)]
      .filter((name) => !KNOWN_BY.has(name))
      .map((name) => [name, null]),
  ),
  consent: null,
  consented_at: null,
  consent_language: null,
  declined_at: profile.declined_at ?? now.toISOString(),
})

/** Returns whether only a vault's profile asks for the field. */
const isOfProfile = (name: string): boolean =>
  name.startsWith(ADDED) || Object.hasOwn(ASKED_BY_PROFILES, name)

export const isWithdrawal = ({ consent }: Changes): boolean => consent === null

/** Returns the names of the fields that this profile requires, whether they are filled in or not. */
export const requiredOfApplicant = (profile: Profile, form = DEFAULT_APPLICANT_FORM): string[] => [
  'consent',
  ...requiredIn({ ...typedOf(form), ...form.photos }, factsOfApplicant(profile, form)),
]

/** Returns the paths that a request for changes can name. */
export const pathsOf = (form: ApplicantForm): string[] => [...Object.keys(typedOf(form)), ...filesIn(form)]

/** The paths that a request for changes can name under the default form. */
export const PERSON_PATHS: readonly string[] = pathsOf(DEFAULT_APPLICANT_FORM)

/** Returns whether the profile has a value that counts. */
function isFilled(name: string, profile: Profile, form: ApplicantForm): boolean {
  if (name === 'consent') return hasConsented(profile)
  const field = typedOf(form)[name]
  if (!field || form.version === 0) return isGiven(profile[name])
  const facts = factsOfApplicant(profile, form)
  const known = { today: form.today ?? '', unreadable: new Set<string>() }
  return findDueReason(field, facts.valueAt(name), known, facts) === null
}

/** Returns the fields that prevent a submission, because they are missing or must be corrected. */
export function findPersonDue(
  profile: Profile,
  corrections: readonly Correction[],
  form = DEFAULT_APPLICANT_FORM,
): string[] {
  const required = requiredOfApplicant(profile, form)
  const missing = required.filter((name) => !isFilled(name, profile, form))
  // A correction of the back does not apply to a document that has none.
  const refused = corrections
    .map(({ path }) => path)
    .filter((path) => !isPersonFile(path, form) || required.includes(path))
  return [...new Set([...missing, ...refused])]
}

/** Returns the number of required photos, and how many of them are provided and need no correction. */
export function countPhotos(
  profile: Profile,
  corrections: readonly Correction[],
  form = DEFAULT_APPLICANT_FORM,
): Progress {
  const due = findPersonDue(profile, corrections, form)
  const required = requiredOfApplicant(profile, form).filter((name) => isPersonFile(name, form))
  return { done: required.filter((name) => !due.includes(name)).length, total: required.length }
}

/**
 * Returns the profile with the changes. `null` clears a field. A photo of the back that is no longer needed remains
 * until the submission, because applicants can try several types of document.
 */
export function fillIn(profile: Profile, changes: Changes): Profile {
  const given = Object.entries({ ...profile, ...changes }).filter(
    (entry): entry is [string, string] => entry[1] !== null && entry[1] !== '',
  )
  return Object.fromEntries(given)
}

/** Returns the changes that remove the photos and documents which this profile does not need. */
export function unusedPhotoFields(profile: Profile, form = DEFAULT_APPLICANT_FORM): Record<string, null> {
  const required = requiredOfApplicant(profile, form)
  return Object.fromEntries(
    filesIn(form)
      .filter((name) => !required.includes(name))
      .map((name) => [name, null]),
  )
}

const OF_CONSENT = new Set(['consent', 'consented_at', 'consent_language', 'declined_at'])

/**
 * Returns the data that was entered in the fields of the form, without file IDs and consent. The specified fields, which
 * providers know, belong to every form.
 */
export function entered(profile: Profile, form = DEFAULT_APPLICANT_FORM): Profile {
  const fields = typedOf(form)
  return Object.fromEntries(
    Object.entries(profile).filter(
      ([name]) =>
        !isPersonFile(name, form) &&
        !OF_CONSENT.has(name) &&
        (!name.startsWith(ADDED) || Object.hasOwn(fields, name)),
    ),
  )
}

/** Returns the IDs of a person's photos and documents. */
export const filesOf = (profile: Profile, form = DEFAULT_APPLICANT_FORM): string[] =>
  filesIn(form).flatMap((name) => profile[name] ?? [])
