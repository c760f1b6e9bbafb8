/**
 * Rules for screening against sanctions and PEP lists, with the subjects, the matches, and the approvals that matches
 * block.
 */

import type { Problem } from '../base/errors.ts'

/** A company or person to screen. */
export interface Subject {
  /** The key: `company`, `person` or the ID of a beneficiary. */
  readonly key: string
  readonly kind: 'company' | 'person'
  readonly names: readonly string[]
  /** The surname, if it is known separately. */
  readonly surname?: string
  readonly birthDate?: string
  readonly incorporationDate?: string
  readonly registrationNumber?: string
  /** ISO 3166 codes of two letters, in lower case. */
  readonly countries: readonly string[]
}

export interface ListEntry {
  readonly id: string
  readonly caption: string
  readonly kind: 'company' | 'person' | 'either'
  readonly names: readonly string[]
  /** Less reliable names, such as nicknames. They match only identical names. */
  readonly weakNames: readonly string[]
  readonly birthDates: readonly string[]
  readonly countries: readonly string[]
  readonly registrationNumbers: readonly string[]
  readonly topics: readonly string[]
  readonly datasets: readonly string[]
}

/** A feature that raised or lowered the score of a match. */
export interface ScorePart {
  readonly name: string
  readonly score: number
  /** The compared values or the method, or null if there are none. */
  readonly detail: string | null
}

export interface Match {
  readonly entry: ListEntry
  /** The score, from 0 to 1. */
  readonly score: number
  readonly parts: readonly ScorePart[]
}

export const HIT_STATUSES = ['open', 'confirmed', 'dismissed'] as const
export type HitStatus = (typeof HIT_STATUSES)[number]
export const HIT_DECISIONS = ['confirmed', 'dismissed'] as const satisfies readonly HitStatus[]
export type HitDecision = (typeof HIT_DECISIONS)[number]

/** The screening state of an application or identification. */
export interface Screened {
  /** The version of the lists against which the current data was screened, or null if it was not. */
  readonly screenedWith: string | null
  readonly openHits: number
  /** The number of true matches. */
  readonly confirmedHits: number
}

const isApproval = (kind: string): boolean => kind === 'approve'

/**
 * Returns whether the command first requires a screening against the current lists. A confirmation does, because it may
 * confirm an approval.
 */
export const needsScreening = (kind: string): boolean => isApproval(kind) || kind === 'confirm'

/**
 * Returns the screening problem that blocks a decision, or null. For a confirmation, `kind` is the kind of the
 * confirmed decision.
 */
export function screeningProblem({ screenedWith, openHits }: Screened, kind: string): Problem | null {
  if (!isApproval(kind)) return null
  if (openHits > 0) return { code: 'hits_open' }
  return screenedWith === null ? { code: 'not_screened' } : null
}

export const sameSubjects = (before: readonly Subject[], after: readonly Subject[]): boolean =>
  JSON.stringify(before) === JSON.stringify(after)
