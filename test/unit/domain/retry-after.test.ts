/** Tests the header `Retry-After` and the times of the attempts after it. */
import { describe, expect, test } from 'vitest'
import { pauseUntilNext, readRetryAfter } from '../../../src/domain/webhook/delivery-schedule.ts'

const NOW = Date.parse('Sat, 28 Nov 2026 10:00:00 GMT')

describe('readRetryAfter', () => {
  test.each([
    ['0', 0],
    [' 15 ', 15],
    ['1000000000', 3_600],
    ['9'.repeat(400), 3_600],
    ['Sat, 28 Nov 2026 10:00:20 GMT', 20],
    ['Saturday, 28-Nov-26 10:00:20 GMT', 20],
    ['Sat Nov 28 10:00:20 2026', 20],
    ['Sat, 28 Nov 2026 09:00:00 GMT', 0],
    ['Sat, 28 Nov 2099 10:00:00 GMT', 3_600],
  ])('reads %j as %d seconds', (value, seconds) => {
    expect(readRetryAfter(value, NOW)).toBe(seconds)
  })
  test.each([
    '',
    '-5',
    '+5',
    '1e9',
    '1.5',
    '0x10',
    'soon',
    '15, 20',
    '15s',
    'NaN',
    'Infinity',
    '٣',
    '2026-11-28T10:00:20Z',
    'Sat, 31 Feb 2026 10:00:20 CET',
    'Sat, 99 Nov 2026 99:99:99 GMT',
  ])('ignores %j', (value) => {
    expect(readRetryAfter(value, NOW)).toBeNull()
  })
})

describe('pauseUntilNext', () => {
  const asked = (retryAfter: number | null, durationMs = 0) => [{ retryAfter, durationMs }]
  test.each([
    ['no header', 1, 10_000, asked(null), 10_000],
    ['a shorter time', 1, 10_000, asked(2), 10_000],
    ['a longer time, counted from the response', 1, 10_000, asked(15, 500), 15_500],
    ['the longest of several times', 1, 10_000, [...asked(12), ...asked(18), ...asked(null)], 18_000],
    ['a time after the schedule', 1, 10_000, asked(3_600), 30_000],
    ['a time after the schedule, later', 2, 10_000, asked(3_600), 20_000],
    ['a time before the last attempt', 3, 10_000, asked(3_600), 10_000],
    ['a long retry', 5, 7_200_000, asked(3_600), 7_200_000],
  ])('follows %s', (_name, number, pauseMs, results, expected) => {
    expect(pauseUntilNext(number, pauseMs, results)).toBe(expected)
  })
})
