/**
 * Rules for the shares in a company. Pages show errors in the shares, but applications with such errors can be
 * submitted.
 */
import type { Beneficiary } from './fields.ts'

/** The minimum share, in per cent, of an ultimate beneficial owner. */
const OWNER_SHARE = 25

interface Shares {
  /** The people with a share, in the order of the application. */
  readonly holders: readonly { readonly person: Beneficiary; readonly share: number }[]
  /** The sum of all shares, in per cent. */
  readonly total: number
  /** The rest up to 100 per cent, or 0 if the shares are complete or exceed it. */
  readonly missing: number
  /** Whether the shares add up to 100 per cent, apart from rounding. */
  readonly isComplete: boolean
  /** Whether the rest is too small for another ultimate beneficial owner. */
  readonly isOfOthers: boolean
  readonly isOver: boolean
  /** The people with a share of at least `OWNER_SHARE` who do not have the role `ubo`. */
  readonly withoutRole: readonly Beneficiary[]
}

/** Removes rounding errors, which occur because shares are binary fractions. */
const rounded = (percent: number): number => Number(percent.toFixed(6))

/** Returns the largest error of a rounded share, which is half of its last decimal place. Whole numbers are exact. */
function roundingError({ stake_in_company: stake = '' }: Beneficiary): number {
  const places = stake.split('.')[1]?.length ?? 0
  return places === 0 ? 0 : 0.5 / 10 ** places
}

/** Returns a person's share in per cent, or 0 if none is entered. */
export const shareOf = ({ stake_in_company: stake }: Beneficiary): number => Number(stake) || 0

export function sharesOf(people: readonly Beneficiary[]): Shares {
  const holders = people
    .map((person) => ({ person, share: shareOf(person) }))
    .filter(({ share }) => share > 0)
  const total = rounded(holders.reduce((sum, { share }) => sum + share, 0))
  const tolerance = rounded(holders.reduce((sum, { person }) => sum + roundingError(person), 0))
  const isComplete = rounded(Math.abs(100 - total)) <= tolerance
  const missing = isComplete ? 0 : rounded(Math.max(0, 100 - total))
  return {
    holders,
    total,
    missing,
    isComplete,
    isOfOthers: missing > 0 && missing < OWNER_SHARE,
    isOver: !isComplete && total > 100,
    withoutRole: holders
      .filter(({ person, share }) => share >= OWNER_SHARE && !person.roles?.includes('ubo'))
      .map(({ person }) => person),
  }
}
