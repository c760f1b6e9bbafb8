/** Tests the limits that depend on the current date, which differs between time zones. */
import { expect, test } from 'vitest'
import { findLimitReason } from '../../../src/domain/fields/limits.ts'
import { newestDay } from '../../../src/domain/fields/values.ts'

test.each([
  ['2026-11-30T09:00:00Z', 'today', '2026-11-29', true],
  ['2026-11-30T10:30:00Z', 'today', '2026-11-30', true],
  ['2026-11-30T23:59:59Z', 'today', '2026-11-30', true],
  ['2026-12-01T00:00:00Z', 'today', '2026-11-30', true],
  ['2026-12-01T10:30:00Z', 'today', '2026-11-30', false],
  ['2024-02-29T12:00:00Z', 'today', '2024-02-29', true],
  ['2026-11-30T12:00:00Z', 'P3M', '2026-08-30', true],
  ['2026-11-30T12:00:00Z', 'P3M', '2026-08-29', false],
  ['2026-11-30T12:00:00Z', '2026-11-30', '2026-11-29', false],
])('at %s, a date with the earliest date %s can be %s: %s', (now, earliest, date, isAccepted) => {
  const facts = { today: newestDay(new Date(now)), valueAt: () => undefined }
  expect(findLimitReason({ earliest, latest: '9999-12-31' }, date, facts)).toBe(
    isAccepted ? null : 'outside_limits',
  )
})
