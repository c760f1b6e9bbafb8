/** Selects the results that `docs/performance.md` shows. The commands print all results. */
import type { Table } from './table.ts'

interface Selection {
  /** The title of a table. */
  readonly title: string
  readonly columns: readonly string[]
  readonly rows: RegExp
}

const SELECTIONS: readonly Selection[] = [
  {
    title: 'Requests',
    columns: [
      'Request',
      'Callers',
      'Cold per second',
      'Per second',
      'Median ms',
      'Ratio',
      'Spread',
      'CPU ms',
    ],
    rows: /^(GET \/identifications|PATCH|POST)/,
  },
  { title: 'Creations', columns: ['Applications', 'Per second', 'Backlog s'], rows: /./ },
  { title: 'Lists', columns: ['List', 'Page 1 ms', 'Page 100 ms'], rows: /./ },
  {
    title: 'Deliveries',
    columns: ['Load', 'Per second', 'Ratio', 'Spread', 'Lost', 'Median ms', 'p95 ms', 'CPU ms'],
    rows: /events per second$|publisher$|publishers$/,
  },
  { title: 'Event feed', columns: ['Measurement', 'Value'], rows: /./ },
  { title: 'Pages', columns: ['Page', 'Cold ms', 'Median ms', 'Spread', 'p95 ms', 'kB'], rows: /./ },
]

/** Returns the selected rows and columns. Throws if a table or a column is missing. */
export function summarise(tables: readonly Table[]): Table[] {
  return SELECTIONS.map(({ title, columns, rows }) => {
    const table = tables.find((each) => each.title === title)
    const indexes = columns.map((column) => table?.columns.indexOf(column) ?? -1)
    if (!table || indexes.includes(-1)) throw new Error(`the benchmarks lack ${title}: ${columns.join(', ')}`)
    const selected = table.rows.filter(([first = '']) => rows.test(first))
    return { title, columns, rows: selected.map((row) => indexes.map((index) => row[index] ?? '')) }
  })
}
