/** Schemas for the review progress of a case, with the party that it waits on and its last change. */
import { z } from 'zod'
import { timeOf, unixSeconds } from '../domain/base/unix-time.ts'
import { PARTIES, REVIEW_STATES, type ReviewProgress } from '../domain/decision/review-progress.ts'
import { described, unixQuery } from './common.ts'
import { unixTime } from './response.ts'

export const reviewProgress = {
  waiting_on: described(
    z.enum(PARTIES).nullable(),
    'The party that must act next: you (`client`), the person with the link (`applicant`), the reviewer (`operator`) or the verification provider (`provider`). Null if no action is expected.',
  ),
  review_state: described(
    z.enum(REVIEW_STATES).nullable(),
    'State of the review. `revision_requested` becomes `in_review` when the changes are submitted. Null if the case was closed before the review ended.',
  ),
  version: described(
    z.int().min(1),
    'Version of the resource. It increases with every change, and events contain it.',
    3,
  ),
  updated_at: unixTime.describe('When the version last changed, in Unix seconds.'),
}

export const reviewProgressQuery = {
  waiting_on: z.enum(PARTIES).optional().describe('Only entries with this `waiting_on`.'),
  review: z.enum(REVIEW_STATES).optional().describe('Only entries with this `review_state`.'),
  updated_since: described(
    unixQuery.optional(),
    'Only entries that changed at this time or later, in Unix seconds. The most recently changed come first.',
    1_767_225_600,
  ),
}

interface ReviewProgressQuery {
  readonly waiting_on?: (typeof PARTIES)[number] | undefined
  readonly review?: (typeof REVIEW_STATES)[number] | undefined
  readonly updated_since?: number | undefined
}

export const reviewProgressFilter = ({ waiting_on, review, updated_since }: ReviewProgressQuery) => ({
  waitingOn: waiting_on,
  review,
  updatedSince: timeOf(updated_since),
})

export const presentReviewProgress = (
  { waitingOn, reviewState }: ReviewProgress,
  version: number,
  updatedAt: Date,
) => ({
  waiting_on: waitingOn,
  review_state: reviewState,
  version,
  updated_at: unixSeconds(updatedAt),
})
