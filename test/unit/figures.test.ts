/** Tests the periods and the CSV files of reports, without a database. */
import { expect, test } from 'vitest'
import { spanOf } from '../../src/domain/review/figures.ts'
import { csvOf } from '../../src/pages/console/figures/csv.ts'

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
