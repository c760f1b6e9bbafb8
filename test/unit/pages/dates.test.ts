/** Tests that pages write days so that lines do not break within them. */
import { expect, test } from 'vitest'
import { momentOf } from '../../../src/pages/console/base/words.ts'
import { dayText, formatOf, shortDayText } from '../../../src/pages/values/dates.ts'

const AT = new Date('2026-11-05T10:00:00Z')
const weekdayText = formatOf({ weekday: 'long', day: 'numeric', month: 'long' })

test.each([
  ['en', '5~November~2026', '5~Nov~2026', '5~Nov~2026, 10:00', 'Thursday 5~November'],
  ['de', '5.~November~2026', '05.11.2026', '05.11.2026, 10:00', 'Donnerstag, 5.~November'],
  ['pl', '5~listopada~2026', '5~lis~2026', '5~lis~2026, 10:00', 'czwartek, 5~listopada'],
] as const)('in %s', (language, ...expected) => {
  const texts = [dayText, shortDayText, momentOf, weekdayText].map((text) => text({ language }, AT))
  expect(texts.map((text) => text.replaceAll('\u00a0', '~'))).toEqual(expected)
})
