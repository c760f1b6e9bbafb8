/** What a person enters and shows in a hosted verification, and what of it is still missing. */
import type { Correction } from '../decision/decision.ts'
import { requiredIn } from '../kyb/condition.ts'
import type { Fields } from '../kyb/field.ts'
import { isGiven } from '../kyb/values.ts'
import type { Profile } from './profile.ts'

const DOCUMENT_TYPES = ['passport', 'identity_card', 'residence_permit', 'driving_licence'] as const

/** Field tables: what is typed or chosen, page by page. The names are those of the profile everywhere. */
export const PERSON_FIELDS = {
  details: {
    name: { type: 'text', required: true, autocomplete: 'given-name' },
    surname: { type: 'text', required: true, autocomplete: 'family-name' },
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

/** Pictures: the profile holds the id of each one's file. */
export const PERSON_FILES = ['document_front', 'document_back', 'selfie'] as const
export type PersonFile = (typeof PERSON_FILES)[number]
export const isPersonFile = (name: string): name is PersonFile => PERSON_FILES.some((file) => file === name)

/** The version of the consent texts. Change it with the texts, so that applicants are asked again. */
export const CONSENT = '2026-11-25'

export const hasConsented = ({ consent }: Profile): boolean => consent === CONSENT

/** When the applicant refused or withdrew the consent; it ends with a new consent. */
export const hasDeclined = ({ declined_at }: Profile): boolean => declined_at !== undefined

type Changes = Readonly<Record<string, string | null>>

export const consentGiven = (now: Date): Changes => ({
  consent: CONSENT,
  consented_at: now.toISOString(),
  declined_at: null,
})

/** The client knows the person by these, so they stay if the applicant declines. */
const KNOWN_BY = new Set(['name', 'surname', 'email'])

/** Removes everything that was asked for after the consent. */
export const consentDeclined = ({ declined_at }: Profile, now: Date): Changes => ({
  ...Object.fromEntries(PERSON_PATHS.filter((name) => !KNOWN_BY.has(name)).map((name) => [name, null])),
  consent: null,
  consented_at: null,
  declined_at: declined_at ?? now.toISOString(),
})

export const isWithdrawal = ({ consent }: Changes): boolean => consent === null

/** A passport says everything on one page. */
const hasBack = ({ document_type }: Profile): boolean =>
  document_type !== undefined && document_type !== 'passport'

/** Names of what is required of a person who says so much already, given or not. */
export const requiredOfApplicant = (profile: Profile): string[] => [
  'consent',
  ...requiredIn(TYPED, (field) => profile[field]),
  'document_front',
  ...(hasBack(profile) ? ['document_back'] : []),
  'selfie',
]

/** Everything that a decision can ask to be mended. */
export const PERSON_PATHS: readonly string[] = [...Object.keys(TYPED), ...PERSON_FILES]

/** Returns what keeps a person from submitting: what is missing, and what is still to be corrected. */
export function findPersonDue(profile: Profile, corrections: readonly Correction[]): string[] {
  const isThere = (name: string) => (name === 'consent' ? hasConsented(profile) : isGiven(profile[name]))
  const required = requiredOfApplicant(profile)
  const missing = required.filter((name) => !isThere(name))
  // A side that the document does not have needs no correction.
  const refused = corrections
    .map(({ path }) => path)
    .filter((path) => !isPersonFile(path) || required.includes(path))
  return [...new Set([...missing, ...refused])]
}

/**
 * The profile with the changes, `null` cleared. A side that the document does not have stays until it is sent: the kind
 * may be chosen by keys, one after the other.
 */
export function fillIn(profile: Profile, changes: Changes): Profile {
  const given = Object.entries({ ...profile, ...changes }).filter(
    (entry): entry is [string, string] => entry[1] !== null && entry[1] !== '',
  )
  return Object.fromEntries(given)
}

/** The pictures that the document, as it was chosen in the end, does not need. */
export const unusedPhotoFields = (profile: Profile): Record<string, null> =>
  hasBack(profile) ? {} : { document_back: null }

const OF_CONSENT = new Set(['consent', 'consented_at', 'declined_at'])

/** What was entered, without what only refers to something else. */
export const entered = (profile: Profile): Profile =>
  Object.fromEntries(Object.entries(profile).filter(([name]) => !isPersonFile(name) && !OF_CONSENT.has(name)))

/** The ids of a person's pictures. */
export const filesOf = (profile: Profile): string[] => PERSON_FILES.flatMap((name) => profile[name] ?? [])

/** What a look at a picture can find; it advises, and keeps nobody from sending it. */
export const IMAGE_WARNINGS = ['blurred', 'dark'] as const
export type ImageWarning = (typeof IMAGE_WARNINGS)[number]
