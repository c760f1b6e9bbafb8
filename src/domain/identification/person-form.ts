/** Rules for the fields and photos of the person form in a hosted verification, and for finding missing ones. */

import type { Progress } from '../base/progress.ts'
import type { Correction } from '../decision/decision.ts'
import { type Fields, requiredIn } from '../fields/field.ts'
import { isGiven } from '../fields/given.ts'
import { ONE_NAME } from '../names/full-name.ts'
import type { Profile } from './profile.ts'

const DOCUMENT_TYPES = ['passport', 'identity_card', 'residence_permit', 'driving_licence'] as const

/** The fields of each page, which have the same names in the profile. */
export const PERSON_FIELDS = {
  details: {
    name: { type: 'text', required: true, autocomplete: 'given-name' },
    surname: { type: 'text', required: true, autocomplete: 'family-name', none: ONE_NAME },
    birthdate: { type: 'date', required: true, autocomplete: 'bday' },
    nationality: { type: 'country', required: true },
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

/** The fields of all pages. */
const TYPED: Fields = { ...PERSON_FIELDS.details, ...PERSON_FIELDS.document }

/** The photos. The profile contains the file ID of each photo. */
export const PERSON_FILES = ['document_front', 'document_back', 'selfie'] as const
export type PersonFile = (typeof PERSON_FILES)[number]

/** Returns whether the file can be a PDF. A document can, but a selfie cannot. */
export const acceptsPdf = (file: PersonFile): boolean => file !== 'selfie'
export const isPersonFile = (name: string): name is PersonFile => PERSON_FILES.some((file) => file === name)

/** The version of the consent texts. Change it together with the texts, so that applicants must consent again. */
export const CONSENT = '2026-11-26'

export const hasConsented = ({ consent }: Profile): boolean => consent === CONSENT

/** Returns whether the applicant has refused or withdrawn consent. Giving consent again resets this. */
export const hasDeclined = ({ declined_at }: Profile): boolean => declined_at !== undefined

type Changes = Readonly<Record<string, string | null>>

/** Returns the changes that record consent. Consent that is given again keeps its time. */
export const consentGiven = (profile: Profile, now: Date): Changes => ({
  consent: CONSENT,
  consented_at: (hasConsented(profile) && profile.consented_at) || now.toISOString(),
  declined_at: null,
})

/** The fields that the client can provide. They remain if the applicant refuses consent. */
const KNOWN_BY = new Set(['name', 'surname', 'email'])

/** Returns the changes that remove all data that was entered after the consent. */
export const consentDeclined = ({ declined_at }: Profile, now: Date): Changes => ({
  ...Object.fromEntries(PERSON_PATHS.filter((name) => !KNOWN_BY.has(name)).map((name) => [name, null])),
  consent: null,
  consented_at: null,
  declined_at: declined_at ?? now.toISOString(),
})

export const isWithdrawal = ({ consent }: Changes): boolean => consent === null

/** Returns whether the document has a back. A passport has none, because one page contains all its data. */
const hasBack = ({ document_type }: Profile): boolean =>
  document_type !== undefined && document_type !== 'passport'

/** Returns the names of the fields that this profile requires, whether they are filled in or not. */
export const requiredOfApplicant = (profile: Profile): string[] => [
  'consent',
  ...requiredIn(TYPED, { valueAt: (field) => profile[field] }),
  'document_front',
  ...(hasBack(profile) ? ['document_back'] : []),
  'selfie',
]

/** The paths that a request for changes can name. */
export const PERSON_PATHS: readonly string[] = [...Object.keys(TYPED), ...PERSON_FILES]

/** Returns the fields that prevent a submission, because they are missing or must be corrected. */
export function findPersonDue(profile: Profile, corrections: readonly Correction[]): string[] {
  const isFilled = (name: string) => (name === 'consent' ? hasConsented(profile) : isGiven(profile[name]))
  const required = requiredOfApplicant(profile)
  const missing = required.filter((name) => !isFilled(name))
  // A correction of the back does not apply to a document that has none.
  const refused = corrections
    .map(({ path }) => path)
    .filter((path) => !isPersonFile(path) || required.includes(path))
  return [...new Set([...missing, ...refused])]
}

/** Returns the number of required photos, and how many of them are provided and need no correction. */
export function countPhotos(profile: Profile, corrections: readonly Correction[]): Progress {
  const due = findPersonDue(profile, corrections)
  const required = requiredOfApplicant(profile).filter(isPersonFile)
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

/** Returns the changes that remove the photos which the chosen document does not need. */
export const unusedPhotoFields = (profile: Profile): Record<string, null> =>
  hasBack(profile) ? {} : { document_back: null }

const OF_CONSENT = new Set(['consent', 'consented_at', 'declined_at'])

/** Returns the data that was entered, without file IDs and consent. */
export const entered = (profile: Profile): Profile =>
  Object.fromEntries(Object.entries(profile).filter(([name]) => !isPersonFile(name) && !OF_CONSENT.has(name)))

/** Returns the IDs of a person's photos. */
export const filesOf = (profile: Profile): string[] => PERSON_FILES.flatMap((name) => profile[name] ?? [])
