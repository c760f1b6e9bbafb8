/** Tests the periods, the texts and the CSV files of reports, without a database. */
import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { expect, test } from 'vitest'
import { type Figures, spanOf } from '../../../src/domain/review/figures.ts'
import type { Frame } from '../../../src/pages/components/layout.tsx'
import { csvOf } from '../../../src/pages/console/base/csv.ts'
import { viewOf } from '../../../src/pages/console/figures/views.ts'
import { wordsOf } from '../../../src/pages/console/figures/wording.ts'
import { translate } from '../../../src/pages/texts/index.ts'

const frameIn = (language: 'en' | 'de') => ({ language, t: translate(language) }) as Frame

test('ends periods today, without gaps', () => {
  const span = spanOf(365, new Date('2026-03-01T23:59:59Z'))
  expect([span.days[0], span.days.at(-1), span.days.length]).toEqual(['2025-02-24', '2026-02-23', 53])
  expect(spanOf(7, new Date('2026-03-01T00:00:00Z')).days).toEqual([
    ...['2026-02-23', '2026-02-24', '2026-02-25', '2026-02-26', '2026-02-27', '2026-02-28', '2026-03-01'],
  ])
})

test('writes the columns first, quotes special characters and disarms formulas', () => {
  expect(
    csvOf([
      { day: '2026-03-01', count: 3, times: null },
      { day: '=HYPERLINK("https://evil.example")', count: -1, times: '+1\r\n' },
    ]),
  ).toBe('day,count,times\r\n2026-03-01,3,\r\n"\'=HYPERLINK(""https://evil.example"")",-1,"\'+1\r\n"\r\n')
  expect(csvOf([{ text: 'Mill & Co;=1;@a' }])).toBe(`text\r\n"Mill & Co;'=1;'@a"\r\n`)
  for (const begins of ['=', '+', '-', '@', '\t', '＝', '＋', '－', '＠'])
    expect(csvOf([{ text: `${begins}1` }])).toBe(`text\r\n'${begins}1\r\n`)
})

test.each([
  ['en', { completed: 3, failed: 1, unfinished: 1 }, '5 deliveries, 3 delivered'],
  ['en', { completed: 1 }, '1 delivery, 1 delivered'],
  ['de', { partial: 2, unfinished: 2 }, '4 Zustellungen, 0 zugestellt'],
] as const)('counts deliveries in %s: %o', (language, counts, sentence) => {
  const row = { day: '2026-03-01', completed: 0, partial: 0, failed: 0, unfinished: 0, ...counts }
  const figure = { rows: [row] } as unknown as Figures['deliveries']
  expect(viewOf(frameIn(language), 'deliveries', figure).sentence).toBe(sentence)
})

test('calls the times of decisions the same in the chart and above it', () => {
  const times = { decisions: 2, median_seconds: 3_600, p90_seconds: 7_200 }
  const figure = { overall: times, rows: [{ day: '2026-03-01', ...times }] }
  const { plot } = viewOf(frameIn('en'), 'decision_times', figure as unknown as Figures['decision_times'])
  expect(renderToString(plot as VNode)).toMatch(/90% within.*Half within/s)
})

test.each([
  ['en', ['0–1 hr', '1–3 days', 'over 7 days']],
  ['de', ['0–1 Std.', '1–3 Tage', 'über 7 Tage']],
] as const)('states ages in %s with the units of other durations', (language, expected) => {
  const { age } = wordsOf(frameIn(language))
  const hours = [
    [0, 1],
    [24, 72],
    [168, null],
  ] as const
  const ages = hours.map(([from, to]) =>
    age({ from_seconds: from * 3_600, to_seconds: to === null ? null : to * 3_600 }),
  )
  expect(ages).toEqual(expected)
})

test('rounds durations to whole days from ten days on', () => {
  const { duration } = wordsOf(frameIn('en'))
  expect([2.55, 9.96, 20.4].map((days) => duration(days * 86_400))).toEqual([
    '2.6 days',
    '10 days',
    '20 days',
  ])
})
