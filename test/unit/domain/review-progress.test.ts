/** Tests the current party and the review state of applications and identifications. */

import { describe, expect, test } from 'vitest'
import { identificationReviewProgress } from '../../../src/domain/identification/identification.ts'
import { kybReviewProgress } from '../../../src/domain/kyb/application.ts'

describe('an application', () => {
  test.each([
    ['open', 'client', null, 'client', 'not_submitted'],
    ['open', 'operator', null, 'operator', 'in_review'],
    ['open', 'client', 'revision_requested', 'client', 'revision_requested'],
    ['open', 'operator', 'revision_requested', 'operator', 'in_review'],
    ['processed', 'nobody', 'approved', null, 'approved'],
    ['processed', 'nobody', 'rejected', null, 'rejected'],
    ['abandoned', 'nobody', 'revision_requested', null, null],
  ] as const)(
    'with status %s, waiting on %s, after the decision %s, shows the party %s and the state %s',
    (status, waits, outcome, waitingOn, reviewState) => {
      expect(kybReviewProgress(status, waits, outcome)).toEqual({ waitingOn, reviewState })
    },
  )
})

describe('an identification', () => {
  test.each([
    ['initiated', 'applicant', false, 'applicant', 'not_submitted'],
    ['initiated', 'applicant', true, 'applicant', 'revision_requested'],
    ['initiated', 'client', true, 'client', 'revision_requested'],
    ['initiated', 'provider', false, 'provider', 'in_review'],
    ['initiated', 'operator', true, 'operator', 'in_review'],
    ['attention', 'operator', true, 'operator', 'in_review'],
    ['approved', 'nobody', true, null, 'approved'],
    ['approved', 'operator', true, 'operator', 'approved'],
    ['rejected', 'nobody', true, null, 'rejected'],
    ['closed', 'nobody', true, null, null],
    // This identification was erased before its submission.
    ['initiated', 'nobody', false, null, null],
  ] as const)(
    'with status %s, waiting on %s, reviewed %s, shows the party %s and the state %s',
    (verification, waits, isReviewed, waitingOn, reviewState) => {
      const state = { verification, waitingOn: waits, awaitsKyb: false }
      expect(identificationReviewProgress(state, isReviewed, null, null)).toEqual({ waitingOn, reviewState })
    },
  )
  test('has the progress of its application while that is under review', () => {
    const kyb = kybReviewProgress('open', 'operator', 'revision_requested')
    const state = { verification: 'initiated', waitingOn: 'client', awaitsKyb: true } as const
    expect(identificationReviewProgress(state, false, kyb, null)).toEqual(kyb)
    const escalated = { ...state, verification: 'attention', waitingOn: 'operator' } as const
    expect(
      identificationReviewProgress(escalated, true, kybReviewProgress('open', 'client', null), null),
    ).toEqual(kyb)
    expect(
      identificationReviewProgress({ ...escalated, awaitsKyb: false }, true, kyb, null).reviewState,
    ).toBe('in_review')
  })
})
