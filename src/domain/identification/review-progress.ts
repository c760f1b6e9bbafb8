/** Rules for the review progress of an identification. */
import { nextParty, type ReviewProgress, reviewProgress } from '../decision/review-progress.ts'
import type { IdentificationState } from './identification.ts'

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
  undeliveredAt: Date | null,
): ReviewProgress {
  if (kyb && awaitsKyb && verification === 'initiated') return kyb
  const ended = verification === 'approved' || verification === 'rejected' ? verification : null
  return reviewProgress(nextParty(waitingOn, undeliveredAt), ended, isReviewed)
}
