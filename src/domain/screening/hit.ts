/** A hit of a screening: an entry of a list that a company or person may be, and what was decided about it. */
import type { ReviewPolicy } from '../decision/confirmation.ts'
import type { Problem } from '../errors.ts'
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
  /** The operator whose dismissal waits for a second one, or null. */
  readonly dismissalBy: string | null
  readonly dismissalAt: Date | null
}

/**
 * Whether a dismissal takes effect only once a second operator repeats it: if approvals take two, because a dismissal
 * removes what stands against one, and if someone else has confirmed the hit.
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

/** Returns the new owner of a decision. If the hit is already confirmed, the first operator remains the owner. */
export const ownerOfDecision = (hit: HitStanding, outcome: HitDecision, actor: string) =>
  outcome === 'confirmed' && isOfAnother(hit, actor)
    ? { decidedBy: hit.decidedBy ?? actor, isConfirmedByTwo: true }
    : { decidedBy: actor, isConfirmedByTwo: false }

/** What came of looking for the names on lists. */
export interface ScreeningResult {
  /** When the lists were last searched; null for never. */
  readonly screenedAt: Date | null
  /** Null while what is there now was not screened; `off` where nobody is. */
  readonly listVersion: string | null
  /** The strongest first, those that are still to be decided before the others. */
  readonly hits: readonly Hit[]
}

/** A decision about a hit, with the times that the operator read. Times that are left out are not compared. */
export interface DecisionAboutHit {
  readonly outcome: HitDecision
  readonly comment?: string | undefined
  /** Unix seconds. */
  readonly foundAt?: number | undefined
  /** Unix seconds; null if the hit was open. */
  readonly decidedAt?: number | null | undefined
}

const inSeconds = (date: Date | null): number | null => date && Math.floor(date.getTime() / 1_000)

/** Refuses a decision about another hit, or another decision, than the operator read. Repeating one's own is allowed. */
export function findHitVersionProblem(
  hit: Hit,
  { outcome, foundAt, decidedAt }: DecisionAboutHit,
  actor: string,
): Problem | null {
  const isRepeated = hit.decidedBy === actor && hit.status === outcome
  const isStale =
    (foundAt !== undefined && foundAt !== inSeconds(hit.foundAt)) ||
    (decidedAt !== undefined && decidedAt !== inSeconds(hit.decidedAt) && !isRepeated)
  return isStale ? { code: 'stale_version' } : null
}
