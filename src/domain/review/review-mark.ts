/** Rules for marks, with which an operator accepts or flags fields and documents before deciding. */

import { timeOf } from '../base/unix-time.ts'
import type { FindingCode } from '../decision/decision.ts'
import { type Records, RULES } from '../entity/rules.ts'
import type { Change } from '../kyb/changes.ts'

export interface MarkPlace {
  readonly path: string
  /** The ID of the document, or null if the mark is about the whole field. */
  readonly fileId: string | null
}

export interface ReviewMark extends MarkPlace {
  /** The finding of a flag, or null if the operator has accepted the value. */
  readonly code: FindingCode | null
  /** A comment for the client, as in a decision. */
  readonly comment: string | null
  readonly createdAt: Date
}

export type NewMark = Omit<ReviewMark, 'createdAt'>

/** Returns the key that represents a field or document in forms. */
export const markKey = ({ path, fileId }: MarkPlace): string => (fileId === null ? path : `${path}#${fileId}`)

export function readMarkKey(key: string): MarkPlace {
  const [path = '', fileId = null] = key.split('#')
  return { path, fileId }
}

/** The facts that determine which marks of a case still apply. */
export interface MarkRules {
  /** When the case last started to wait on an operator. */
  readonly waitingSince: Date
  /** When the latest decision was made, or null if there is none. */
  readonly decidedAt: Date | null
  readonly isChanged: (path: string) => boolean
  /** Returns whether the decision accepts a finding at the place. */
  readonly canFlag: (place: MarkPlace) => boolean
  /** Returns whether the place can be accepted, if it can be flagged. */
  readonly canAccept: (place: MarkPlace) => boolean
}

/** Returns whether the mark still applies. A decision settles flags, and a changed value must be checked again. */
export const isCurrentMark = (
  { code, createdAt, ...place }: ReviewMark,
  { waitingSince, decidedAt, isChanged, canFlag, canAccept }: MarkRules,
): boolean =>
  canFlag(place) &&
  (code === null
    ? canAccept(place) && (createdAt >= waitingSince || !isChanged(place.path))
    : decidedAt === null || createdAt > decidedAt)

export const markRulesOfKyb = (application: Records['kyb'], changes: readonly Change[]): MarkRules => {
  const changed = new Set(changes.map(({ path }) => path))
  return {
    waitingSince: application.waitingSince,
    decidedAt: application.review?.decidedAt ?? null,
    isChanged: (path) => changed.has(path),
    canFlag: (place) => RULES.kyb.canFlag(application, place),
    canAccept: (place) => RULES.kyb.canAccept(application, place),
  }
}

export const markRulesOfIdentification = (identification: Records['identification']): MarkRules => ({
  waitingSince: identification.waitingSince,
  decidedAt: identification.review && timeOf(identification.review.decidedAt),
  isChanged: () => true,
  canFlag: (place) => RULES.identification.canFlag(identification, place),
  canAccept: (place) => RULES.identification.canAccept(identification, place),
})
