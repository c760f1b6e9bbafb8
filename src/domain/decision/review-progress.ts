/** Rules for the party that acts next and the progress of the review, as clients see them. */
import type { IdentificationState } from '../identification/identification.ts'
import type { KybStatus, ReviewOutcome, WaitingOn } from '../kyb/application.ts'

export const PARTIES = ['client', 'applicant', 'operator', 'provider'] as const
export type Party = (typeof PARTIES)[number]

export const REVIEW_STATES = [
  'not_submitted',
  'in_review',
  'revision_requested',
  'approved',
  'rejected',
] as const
export type ReviewState = (typeof REVIEW_STATES)[number]

export interface ReviewProgress {
  /** The party that acts next, or null if no one has to act. */
  readonly waitingOn: Party | null
  /** The state of the review, or null if the case was closed or erased before the review ended. */
  readonly reviewState: ReviewState | null
}

const REVIEWERS: readonly unknown[] = ['operator', 'provider']

function reviewProgress(
  waitingOn: Party | 'nobody',
  ended: 'approved' | 'rejected' | null,
  isRevision: boolean,
): ReviewProgress {
  if (ended) return { waitingOn: waitingOn === 'nobody' ? null : waitingOn, reviewState: ended }
  if (waitingOn === 'nobody') return { waitingOn: null, reviewState: null }
  if (REVIEWERS.includes(waitingOn)) return { waitingOn, reviewState: 'in_review' }
  return { waitingOn, reviewState: isRevision ? 'revision_requested' : 'not_submitted' }
}

/** Returns the review progress of an application. `outcome` is the outcome of the latest decision. */
export function kybReviewProgress(
  status: KybStatus,
  waitingOn: WaitingOn,
  outcome: ReviewOutcome | null,
): ReviewProgress {
  const ended = status === 'processed' && outcome !== 'revision_requested' ? outcome : null
  return reviewProgress(waitingOn, ended, outcome !== null)
}

/**
 * Returns the review progress of an identification. While the review of the company's application is open, returns the
 * progress of the application (`kyb`).
 */
export function identificationReviewProgress(
  {
    verification,
    waitingOn,
    awaitsKyb,
  }: Pick<IdentificationState, 'verification' | 'waitingOn' | 'awaitsKyb'>,
  isReviewed: boolean,
  kyb: ReviewProgress | null,
): ReviewProgress {
  if (kyb && awaitsKyb && verification === 'initiated') return kyb
  const ended = verification === 'approved' || verification === 'rejected' ? verification : null
  return reviewProgress(waitingOn, ended, isReviewed)
}
