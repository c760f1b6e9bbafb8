/** Rows as a file for spreadsheets (RFC 4180). */

type Cell = string | number | null

/** What a spreadsheet would take for a formula is a text; what would end the cell is quoted. */
function cellOf(value: Cell): string {
  if (typeof value === 'number') return String(value)
  const text = /^[=+\-@\t\r]/.test(value ?? '') ? `'${value}` : (value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The first line has the names of the columns, which all rows have. */
export function csvOf(rows: readonly Readonly<Record<string, Cell>>[]): string {
  const columns = Object.keys(rows[0] ?? {})
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? null))]
  return lines.map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('')
}
