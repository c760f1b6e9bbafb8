/** Rules for the profiles that Gatehouse ships, with which an administrator can begin a draft. */
import { MAX_AGE_YEARS } from '../../identification/person-form.ts'
import { PARTS, type Part, type ProfileDocument, type ProfileRow, type Texts } from '../document.ts'

export const SHIPPED_NAMES = ['default', 'eu-amlr', 'uk', 'us'] as const
export type ShippedName = (typeof SHIPPED_NAMES)[number]

export interface ShippedProfile {
  readonly name: ShippedName
  /** A profile is a draft while its law can still change. */
  readonly state: 'draft' | 'final'
  readonly title: Texts
  readonly about: Texts
  readonly document: ProfileDocument
  /** The law behind each field, keyed by path. */
  readonly sources: Readonly<Record<string, string>>
}

/** A row with the law that requires it. */
export type SourcedRow = ProfileRow & { readonly source: string }

type Sourced = { readonly [P in Part]: readonly SourcedRow[] }

/** The type and limit of a date of birth, as in the form of a person. */
export const BIRTH_DATE = { type: 'date', earliest: `P${MAX_AGE_YEARS}Y` } as const

export function shippedProfile({
  rows,
  ...profile
}: Omit<ShippedProfile, 'document' | 'sources'> & { readonly rows: Sourced }): ShippedProfile {
  const plain = (part: Part) => ({ rows: rows[part].map(({ source: _, ...row }): ProfileRow => row) })
  return {
    ...profile,
    document: { company: plain('company'), beneficiary: plain('beneficiary'), person: plain('person') },
    sources: Object.fromEntries(
      PARTS.flatMap((part) => rows[part].map(({ path, source }) => [path, source])),
    ),
  }
}
