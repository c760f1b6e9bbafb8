/** Tables of figures: printed row by row as they are measured, then given to `npm run bench`, which writes them down. */
export interface Table {
  readonly title: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

export function startTable(title: string, first: string, ...others: string[]) {
  const columns = [first, ...others]
  const rows: string[][] = []
  const print = (cells: readonly string[]) =>
    console.log(
      cells.map((cell, i) => (i === 0 ? cell.padEnd(34) : cell.padStart(columns[i]?.length ?? 0))).join('  '),
    )
  console.log(`\n${title}\n`)
  print(columns)
  return {
    row(...cells: string[]): void {
      print(cells)
      rows.push(cells)
    },
    /** Gives it to whoever started this benchmark, if it was not a person. */
    end(): void {
      process.send?.({ title, columns, rows } satisfies Table)
    },
  }
}
