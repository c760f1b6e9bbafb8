/** Tests the review target: hours on working days, from Monday to Friday in UTC. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { overdueBefore, reviewDueAt, targetShare } from '../../../src/domain/review/review-target.ts'

const at = (text: string) => new Date(`${text}Z`)

// 2 March 2026 is a Monday.
test.each([
  ['2026-03-02T10:00', 24, '2026-03-03T10:00'],
  ['2026-03-06T10:00', 24, '2026-03-09T10:00'],
  ['2026-03-06T10:00', 4, '2026-03-06T14:00'],
  ['2026-03-07T00:00', 24, '2026-03-10T00:00'],
  ['2026-03-07T12:00', 1, '2026-03-09T01:00'],
  ['2026-03-08T23:59', 1, '2026-03-09T01:00'],
  ['2026-03-06T00:00', 24, '2026-03-09T00:00'],
  ['2026-03-02T00:00', 720, '2026-04-13T00:00'],
  ['1969-12-26T22:00', 4, '1969-12-29T02:00'],
])('a case that has waited since %s, with a target of %i hours, is due at %s', (since, hours, due) => {
  expect(reviewDueAt(at(since), hours)).toEqual(at(due))
})

test.each([
  ['2026-03-02T10:00', '2026-03-02T10:00', 0],
  ['2026-03-02T10:00', '2026-03-02T22:00', 0.5],
  ['2026-03-06T12:00', '2026-03-07T00:00', 0.5],
  ['2026-03-06T12:00', '2026-03-08T23:00', 0.5],
  ['2026-03-06T12:00', '2026-03-10T00:00', 1.5],
  ['2026-03-02T10:00', '2026-03-02T09:00', 0],
])('for a case that has waited since %s, the fraction of 24 hours at %s is %d', (since, now, share) => {
  expect(targetShare(at(since), 24, at(now))).toBe(share)
})

test.each([
  ['2026-03-03T10:00', '2026-03-02T10:00'],
  ['2026-03-09T10:00', '2026-03-06T10:00'],
  ['2026-03-08T10:00', '2026-03-06T00:00'],
  ['2026-03-10T00:00', '2026-03-07T00:00'],
])('at %s, cases that began to wait before %s are overdue', (now, before) => {
  expect(overdueBefore(at(now), 24)).toEqual(at(before))
})

const MINUTE = 60_000
const moments = fc
  .integer({ min: 0, max: 4 * 7 * 24 * 60 })
  .map((n) => new Date(at('2026-03-02T00:00').getTime() + n * MINUTE))

test('the due date, the share and the limit agree on overdue cases', () => {
  fc.assert(
    fc.property(moments, moments, fc.integer({ min: 1, max: 720 }), (since, now, hours) => {
      const due = reviewDueAt(since, hours)
      const isOverdue = due < now
      expect(targetShare(since, hours, now) > 1).toBe(isOverdue)
      expect(since < overdueBefore(now, hours)).toBe(isOverdue)
      expect(targetShare(since, hours, due)).toBe(1)
      expect([0, 6]).not.toContain(due.getUTCDay())
    }),
  )
})
