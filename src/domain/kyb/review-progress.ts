/** Rules for the review progress of an application. */
import { reviewProgress } from '../decision/review-progress.ts'
import type { KybStatus, ReviewOutcome, WaitingOn } from './application.ts'

/** Returns the review progress of an application. `outcome` is the outcome of the latest decision. */
export function kybReviewProgress(status: KybStatus, waitingOn: WaitingOn, outcome: ReviewOutcome | null) {
  const ended = status === 'processed' && outcome !== 'revision_requested' ? outcome : null
  return reviewProgress(waitingOn, ended, outcome !== null)
}
