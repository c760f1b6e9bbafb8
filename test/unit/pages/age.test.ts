/** Tests waiting times, and the times that requests took, as text. */
import { expect, test } from 'vitest'
import type { Frame } from '../../../src/pages/components/layout.tsx'
import { ageText, sinceText, targetText } from '../../../src/pages/console/base/age.ts'
import { translate } from '../../../src/pages/texts/index.ts'
import { tookText } from '../../../src/pages/values/durations.ts'

test.each([
  ['en', 30, '0 min', '0 min'],
  ['en', 3_600, '1 hr', '1 hr'],
  ['en', 86_400, '1 day', '1 day'],
  ['en', 200_000, '2 days', '2 days'],
  ['de', 90, '1 Min.', '1 Min.'],
  ['de', 86_399, '23 Std.', '23 Std.'],
  ['de', 86_400, '1 Tag', '1 Tag'],
  ['de', 900_000, '10 Tage', '10 Tagen'],
] as const)('in %s, %i seconds are %s, or since %s', (language, seconds, age, since) => {
  const frame = { language, t: translate(language) } as Frame
  const then = new Date(Date.now() - seconds * 1_000)
  expect([ageText(frame, then), sinceText(frame, then)]).toEqual([age, since])
})

test.each([
  ['en', 300, 24, '5 min of 24 hr'],
  ['en', 7_199, 24, '1 hr of 24 hr'],
  ['en', 180_000, 24, '50 hr of 24 hr'],
  ['de', 59, 48, '0 Min. von 48 Std.'],
] as const)('in %s, %i seconds of a target of %i hours are %s', (language, seconds, hours, text) => {
  const frame = { language, t: translate(language) } as Frame
  expect(targetText(frame, seconds / (hours * 3_600), hours)).toBe(text)
})

test.each([
  ['en', 0, '0 ms'],
  ['en', 999, '999 ms'],
  ['en', 1_000, '1 sec'],
  ['en', 10_004, '10 sec'],
  ['de', 1_250, '1,3 Sek.'],
] as const)('in %s, a request that took %i milliseconds took %s', (language, ms, text) => {
  expect(tookText(language, ms)).toBe(text)
})
