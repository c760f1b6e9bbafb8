/** Prints tables of results, each row as soon as it is measured. `npm run bench` collects the tables. */
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
    /** Sends the table to `npm run bench`, if that started this process. */
    end(): void {
      process.send?.({ title, columns, rows } satisfies Table)
    },
  }
}
