/** Tests the places of the labels in the chart of decision times, and the colours of all charts. */
import { readFileSync } from 'node:fs'
import { renderToString } from 'preact-render-to-string'
import { expect, test } from 'vitest'
import { contrast } from '../../../src/domain/access/branding.ts'
import { LOOKS } from '../../../src/pages/console/figures/drawing.tsx'
import { drawTimes } from '../../../src/pages/console/figures/plots.tsx'

const HEIGHT = 190
type Rows = readonly [median: number | null, p90: number | null][]
const draw = (rows: Rows) => {
  const days = rows.map(([median_seconds, p90_seconds], index) => ({
    day: `2026-03-0${index + 1}`,
    ...{ count: 1, median_seconds, p90_seconds },
  }))
  const figure = { rows: days, overall: { count: 1, median_seconds: 0, p90_seconds: 0 } }
  const text = { date: String, axis: String, unitSeconds: 1 }
  return renderToString(drawTimes('Times', figure as never, { median: 'median', p90: '90%' }, text as never))
}
const labelsOf = (rows: Rows) => {
  const found = draw(rows).matchAll(/<text x="([\d.]+)%" dx="8" y="([\d.-]+)"/g)
  return [...found].map(([, x, y]) => [Number(x), Number(y)])
}

test('puts the labels next to the ends of lines, one above the other and above the axis', () => {
  const rows: Rows = [...Array.from({ length: 4 }, (): [number, number] => [50, 100]), [1, 1], [null, null]]
  const [p90 = [], median = []] = labelsOf(rows)
  expect([p90[0], median[0]]).toEqual([80, 80])
  expect(Number(median[1]) - Number(p90[1])).toBeGreaterThanOrEqual(16)
  expect(Number(median[1])).toBeLessThanOrEqual(HEIGHT - 8)
})

test('draws times of zero at the axis', () => {
  const [, median = []] = labelsOf(Array.from({ length: 5 }, () => [0, 0]))
  expect(median[1]).toBe(HEIGHT - 8)
})

test('labels the last two dots if there are few, and connects the dots of each day', () => {
  const rows: Rows = [
    [50, 100],
    [null, null],
    [20, 80],
    [null, null],
  ]
  expect(labelsOf(rows).map(([x]) => x)).toEqual([66.7, 66.7])
  expect(draw(rows).match(/<line x1="(0|66\.7)%"[^>]* x2="\1%"/g)).toHaveLength(2)
})

const tokens = readFileSync(new URL('../../../src/pages/styles/tokens.css', import.meta.url), 'utf8')
/** Returns the colour of a token in the light or the dark scheme. */
function colorIn(token: string, scheme: 0 | 1): string {
  const [, ...values] = new RegExp(`${token}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(tokens) ?? []
  const color = values[scheme]
  if (!color) throw new Error(`${token} is not a colour`)
  return color
}

test.each([
  ['approved', 'rejected', 'closed', 'in_review', 'waiting'],
  ['completed', 'partial', 'failed', 'unfinished'],
  ['approved', 'rejected', 'more_asked', 'attention'],
  ['kyb', 'identification'],
])('the states of a chart differ without colour: %s', (...states) => {
  for (const [n, state] of states.entries())
    for (const other of states.slice(n + 1)) {
      const [[color = '', texture], [otherColor = '', otherTexture]] = [
        LOOKS[state] ?? [],
        LOOKS[other] ?? [],
      ]
      if (texture === otherTexture)
        for (const scheme of [0, 1] as const)
          expect(contrast(colorIn(color, scheme), colorIn(otherColor, scheme)), other).toBeGreaterThan(1.1)
    }
})

test.each([...new Set(Object.values(LOOKS).map(([token]) => token))])(
  'the colour %s has enough contrast to cards',
  (token) => {
    for (const scheme of [0, 1] as const)
      expect(contrast(colorIn(token, scheme), colorIn('--card', scheme))).toBeGreaterThan(3)
  },
)
