/** Selects the columns that `docs/performance.md` shows. The commands print all columns. */
import type { Table } from './table.ts'

interface Selection {
  /** The title of a table. */
  readonly title: string
  readonly columns: readonly string[]
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
  },
  { title: 'Creations', columns: ['Applications', 'Per second', 'Backlog s'] },
  { title: 'Lists', columns: ['List', 'Page 1 ms', 'Page 100 ms'] },
  {
    title: 'Deliveries',
    columns: ['Load', 'Per second', 'Ratio', 'Spread', 'Lost', 'Median ms', 'p95 ms', 'CPU ms'],
  },
  { title: 'Event feed', columns: ['Measurement', 'Value'] },
  { title: 'Pages', columns: ['Page', 'Cold ms', 'Median ms', 'Spread', 'p95 ms', 'kB'] },
]

/** Returns the selected columns. Throws if a table or a column is missing. */
export function summarise(tables: readonly Table[]): Table[] {
  return SELECTIONS.map(({ title, columns }) => {
    const table = tables.find((each) => each.title === title)
    const indexes = columns.map((column) => table?.columns.indexOf(column) ?? -1)
    if (!table || indexes.includes(-1)) throw new Error(`the benchmarks lack ${title}: ${columns.join(', ')}`)
    return { title, columns, rows: table.rows.map((row) => indexes.map((index) => row[index] ?? '')) }
  })
}
