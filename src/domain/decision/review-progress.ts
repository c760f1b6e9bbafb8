/** Rules for the party that acts next and the progress of the review, as clients see them. */

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

/** Returns the party that acts next. If the applicant's email was not delivered, the client corrects the address. */
export const nextParty = <P extends Party | 'nobody'>(waitingOn: P, undeliveredAt: Date | null) =>
  waitingOn === 'applicant' && undeliveredAt ? 'client' : waitingOn

const REVIEWERS: readonly unknown[] = ['operator', 'provider']

/**
 * Returns the review progress. `ended` is the outcome of a finished review. `isRevision` means that an operator has
 * requested changes.
 */
export function reviewProgress(
  waitingOn: Party | 'nobody',
  ended: 'approved' | 'rejected' | null,
  isRevision: boolean,
): ReviewProgress {
  if (ended) return { waitingOn: waitingOn === 'nobody' ? null : waitingOn, reviewState: ended }
  if (waitingOn === 'nobody') return { waitingOn: null, reviewState: null }
  if (REVIEWERS.includes(waitingOn)) return { waitingOn, reviewState: 'in_review' }
  return { waitingOn, reviewState: isRevision ? 'revision_requested' : 'not_submitted' }
}
