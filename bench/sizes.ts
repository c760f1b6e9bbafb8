/** Measures the disk space of table rows. */
import type postgres from 'postgres'
import { startTable } from './table.ts'

export async function printSizes(
  database: postgres.Sql,
  title: string,
  names: readonly string[],
): Promise<void> {
  const table = startTable(title, 'Table', 'Bytes per row, with indexes', 'Rows')
  for (const name of names) {
    const [row] = await database`
      SELECT count(*)::int AS rows, pg_total_relation_size(${name}::regclass) / greatest(count(*), 1)::int AS bytes
      FROM ${database(name)}`
    table.row(`\`${name}\``, String(row?.bytes), String(row?.rows))
  }
  table.end()
}
