/** Writes rows as CSV for spreadsheets (RFC 4180). */

type Cell = string | number | null

/** Returns a cell. Quotes text with separators, and prefixes text that a spreadsheet would run as a formula. */
function cellOf(value: Cell): string {
  if (typeof value === 'number') return String(value)
  const text = /^[=+\-@\t\r]/.test(value ?? '') ? `'${value}` : (value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Returns the rows as CSV, with the column names in the first line. All rows must have the same columns. */
export function csvOf(rows: readonly Readonly<Record<string, Cell>>[]): string {
  const columns = Object.keys(rows[0] ?? {})
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? null))]
  return lines.map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('')
}
