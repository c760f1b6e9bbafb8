/** What a person enters and shows in a hosted verification, and what of it is still missing. */
import type { Correction } from '../decision/decision.ts'
import type { FieldKind } from '../kyb/fields.ts'
import { isGiven } from '../kyb/values.ts'
import type { Profile } from './profile.ts'

const DOCUMENT_TYPES = ['passport', 'identity_card', 'residence_permit', 'driving_licence'] as const

/** What is typed or chosen, page by page; the names are those of the profile everywhere. */
export const PERSON_FIELDS = {
  details: {
    name: 'text',
    surname: 'text',
    birthdate: 'date',
    nationality: 'country',
    address: 'text',
    postal_code: 'text',
    city: 'text',
    address_country: 'country',
    email: 'email',
    phone: 'phone',
  },
  document: {
    document_country: 'country',
    document_type: { kind: 'one_of', values: DOCUMENT_TYPES },
    document_number: 'text',
  },
} as const satisfies Record<string, Record<string, FieldKind>>

/** Pictures: the profile holds the id of each one's file. */
export const PERSON_FILES = ['document_front', 'document_back', 'selfie'] as const
export type PersonFile = (typeof PERSON_FILES)[number]
export const isPersonFile = (name: string): name is PersonFile => PERSON_FILES.some((file) => file === name)

/** The text of the consent that was given; a new text has a new name, and is asked for again. */
export const CONSENT = '2026-11'

export const hasConsented = ({ consent }: Profile): boolean => consent === CONSENT

const OPTIONAL: ReadonlySet<string> = new Set(['postal_code', 'email', 'phone'])

/** A passport says everything on one page. */
const hasBack = ({ document_type }: Profile): boolean =>
  document_type !== undefined && document_type !== 'passport'

/** Names of what is required of a person who says so much already, given or not. */
export const requiredOfApplicant = (profile: Profile): string[] => [
  'consent',
  ...[...Object.keys(PERSON_FIELDS.details), ...Object.keys(PERSON_FIELDS.document)].filter(
    (field) => !OPTIONAL.has(field),
  ),
  'document_front',
  ...(hasBack(profile) ? ['document_back'] : []),
  'selfie',
]

/** Everything that a decision can ask to be mended. */
export const PERSON_PATHS: readonly string[] = [
  ...Object.keys(PERSON_FIELDS.details),
  ...Object.keys(PERSON_FIELDS.document),
  ...PERSON_FILES,
]

/** What keeps a person from sending it: what is missing, and pictures that are to be taken again. */
export function personDue(profile: Profile, corrections: readonly Correction[]): string[] {
  const isThere = (name: string) => (name === 'consent' ? hasConsented(profile) : isGiven(profile[name]))
  const required = requiredOfApplicant(profile)
  const missing = required.filter((name) => !isThere(name))
  const refused = corrections
    .map(({ path }) => path)
    .filter((path) => isPersonFile(path) && required.includes(path))
  return [...new Set([...missing, ...refused])]
}

/**
 * The profile with the changes, `null` cleared. A side that the document does not have stays until it is sent: the kind
 * may be chosen by keys, one after the other.
 */
export function fillIn(profile: Profile, changes: Readonly<Record<string, string | null>>): Profile {
  const given = Object.entries({ ...profile, ...changes }).filter(
    (entry): entry is [string, string] => entry[1] !== null && entry[1] !== '',
  )
  return Object.fromEntries(given)
}

/** The pictures that the document, as it was chosen in the end, does not need. */
export const unusedPhotoFields = (profile: Profile): Record<string, null> =>
  hasBack(profile) ? {} : { document_back: null }

/** What was entered, without what only refers to something else. */
export const entered = (profile: Profile): Profile =>
  Object.fromEntries(
    Object.entries(profile).filter(
      ([name]) => !isPersonFile(name) && name !== 'consent' && name !== 'consented_at',
    ),
  )

/** The ids of a person's pictures. */
export const filesOf = (profile: Profile): string[] => PERSON_FILES.flatMap((name) => profile[name] ?? [])

/** What a look at a picture can find; it advises, and keeps nobody from sending it. */
export const IMAGE_WARNINGS = ['blurred', 'dark'] as const
export type ImageWarning = (typeof IMAGE_WARNINGS)[number]
