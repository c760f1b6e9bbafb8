/** Writes rows as CSV for spreadsheets (RFC 4180). */
import type { Response } from 'express'
import { isoDay } from '../../values/dates.ts'

type Cell = string | number | null
type CsvRow = Readonly<Record<string, Cell>>

/**
 * The starts of formulas, also in full-width characters. Spreadsheets in some languages split cells at semicolons, even
 * within quotes.
 */
const FORMULA = /^(?=[\t\r])|(?<=^|[;\t\r\n])(?=[=+\-@＝＋－＠])/g

/** Returns a cell. Quotes text with separators, and prefixes text that a spreadsheet would run as a formula. */
function cellOf(value: Cell): string {
  if (typeof value === 'number') return String(value)
  const text = (value ?? '').replace(FORMULA, "'")
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Returns the rows as CSV, with the column names in the first line. All rows must have the same columns. */
export function csvOf(rows: readonly CsvRow[]): string {
  const columns = Object.keys(rows[0] ?? {})
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? null))]
  return lines.map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('')
}

/** Sends the rows as a file, whose name contains the date. */
export function sendCsv(res: Response, name: string, rows: readonly CsvRow[]): void {
  const file = `${name}-${isoDay(new Date())}.csv`
  res
    .setHeader('Content-Disposition', `attachment; filename="${file}"`)
    .type('text/csv; charset=utf-8; header=present')
    .send(csvOf(rows))
}
