/** Tests that tables omit the columns that are empty in all rows. */
import { renderToString } from 'preact-render-to-string'
import { expect, test } from 'vitest'
import { DataTable } from '../../../src/pages/components/data-table.tsx'

test.each([
  [['a', 'b'], ['Name', 'Link'], 4],
  [['a', null], ['Name', 'Link'], 4],
  [[null, null], ['Name'], 2],
  [[''], ['Name', 'Link'], 2],
  [[], ['Name', 'Link'], 0],
] as const)('with the links %j, the table has the columns %j', (links, heads, cells) => {
  const html = renderToString(
    DataTable({
      rows: links.map((link, n) => ({ link, name: `Case ${n}` })),
      keyOf: ({ name }) => name,
      columns: [
        { key: 'name', head: 'Name', cell: ({ name }) => name },
        { key: 'link', head: 'Link', cell: ({ link }) => link },
      ],
    }),
  )
  expect([...html.matchAll(/<th scope[^>]*>([^<]*)/g)].map(([, head]) => head)).toEqual(heads)
  expect(html.match(/<td/g)?.length ?? 0).toBe(cells)
})
