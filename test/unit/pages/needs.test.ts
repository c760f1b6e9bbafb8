/** Tests the order and the number of the points that need an operator. */
import { renderToString } from 'preact-render-to-string'
import { expect, test } from 'vitest'
import type { GlyphState } from '../../../src/pages/components/icon.tsx'
import type { Frame } from '../../../src/pages/components/layout.tsx'
import { Needs } from '../../../src/pages/console/case/needs.tsx'
import { translate } from '../../../src/pages/texts/index.ts'

test.each([
  [[], [], ''],
  [['warning'], ['warning'], '1 open'],
  [['warning', 'info', 'refused'], ['refused', 'warning', 'info'], '3 open'],
  [
    ['info', 'todo', 'refused', 'warning', 'refused'],
    ['refused', 'refused', 'warning', 'info', 'todo'],
    '5 open',
  ],
] as [GlyphState[], GlyphState[], string][])('points %j are listed as %j', (given, shown, count) => {
  const html = renderToString(
    Needs({
      frame: { t: translate('en') } as Frame,
      needs: given.map((state, n) => ({ key: `${n}`, state, title: `<${state}>` })),
      isOptional: false,
    }),
  )
  expect([...html.matchAll(/&lt;(\w+)/g)].map(([, state]) => state)).toEqual(shown)
  expect(html.match(/\d+ open/)?.[0] ?? '').toBe(count)
})
