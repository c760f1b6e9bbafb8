/** Rules for screening hits, which are list entries that may match a company or person, and for decisions on them. */
import type { ReviewPolicy } from '../access/review-policy.ts'
import type { Problem } from '../base/errors.ts'
import { unixSeconds } from '../base/unix-time.ts'
import type { HitDecision, HitStatus, Match, Subject } from './screening.ts'

export interface Hit extends Match {
  readonly id: string
  readonly subject: Subject
  readonly status: HitStatus
  readonly foundAt: Date
  readonly decidedBy: string | null
  readonly decidedAt: Date | null
  readonly isConfirmedByTwo: boolean
  readonly comment: string | null
  /** The operator whose dismissal awaits a second approval, or null. */
  readonly dismissalBy: string | null
  readonly dismissalAt: Date | null
}

/**
 * Returns whether a dismissal needs a second operator. It does if approvals need one, because dismissing a hit unblocks
 * an approval. It also does if another operator has confirmed the hit.
 */
export function needsSecondDismissal(
  hit: HitStanding,
  { fourEyes }: Pick<ReviewPolicy, 'fourEyes'>,
  actor: string,
): boolean {
  const isRepeated = hit.dismissalBy !== null && hit.dismissalBy !== actor
  if (hit.status === 'dismissed' || isRepeated) return false
  return (
    fourEyes.some((each) => each === 'approvals' || each === 'high_risk_approvals') || isOfAnother(hit, actor)
  )
}

type HitStanding = Pick<Hit, 'status' | 'decidedBy' | 'isConfirmedByTwo' | 'dismissalBy'>

/** Returns true if another operator has confirmed the hit. */
const isOfAnother = ({ status, decidedBy, isConfirmedByTwo }: HitStanding, actor: string): boolean =>
  status === 'confirmed' && (isConfirmedByTwo || decidedBy !== actor)

/**
 * Returns the owner of the new decision. If another operator has already confirmed the hit, that operator remains the
 * owner.
 */
export const ownerOfDecision = (hit: HitStanding, outcome: HitDecision, actor: string) =>
  outcome === 'confirmed' && isOfAnother(hit, actor)
    ? { decidedBy: hit.decidedBy ?? actor, isConfirmedByTwo: true }
    : { decidedBy: actor, isConfirmedByTwo: false }

export interface ScreeningResult {
  /** When the subjects were last screened, or null if they were not. */
  readonly screenedAt: Date | null
  /** The version of the lists. Null until the current data is screened, and `off` if screening is off. */
  readonly listVersion: string | null
  /** The hits, first the open and then the decided ones, each in descending order of score. */
  readonly hits: readonly Hit[]
}

/**
 * The maximum number of open hits per subject. Hits with the highest scores come first. Once all of them are decided,
 * screening finds the next ones.
 */
export const MAX_OPEN = 10

/** Returns whether more hits can exist than are shown, because a subject has the maximum number of open hits. */
export function canHaveMoreHits({ hits }: Pick<ScreeningResult, 'hits'>): boolean {
  const open = openHitsIn({ hits }).map(({ subject }) => subject.key)
  return open.some((key) => open.filter((each) => each === key).length >= MAX_OPEN)
}

export const openHitsIn = ({ hits }: Pick<ScreeningResult, 'hits'>): Hit[] =>
  hits.filter(({ status }) => status === 'open')

/** A decision on a hit, with the times that the operator saw. An omitted time is not compared. */
export interface DecisionAboutHit {
  readonly outcome: HitDecision
  readonly comment?: string | undefined
  /** When the hit was found, in Unix seconds. */
  readonly foundAt?: number | undefined
  /** When the hit was decided, in Unix seconds, or null if it was open. */
  readonly decidedAt?: number | null | undefined
}

/**
 * Returns `stale_version` if the hit or its decision has changed since the operator read it, or null otherwise.
 * Operators may repeat their own decision.
 */
export function findHitVersionProblem(
  hit: Hit,
  { outcome, foundAt, decidedAt }: DecisionAboutHit,
  actor: string,
): Problem | null {
  const isRepeated = hit.decidedBy === actor && hit.status === outcome
  const isStale =
    (foundAt !== undefined && foundAt !== unixSeconds(hit.foundAt)) ||
    (decidedAt !== undefined && decidedAt !== (hit.decidedAt && unixSeconds(hit.decidedAt)) && !isRepeated)
  return isStale ? { code: 'stale_version' } : null
}
