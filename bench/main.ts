/** Command: `npm run bench`. Runs the benchmarks of the summary, and writes it into `docs/performance.md`. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { summarise } from './summary.ts'
import type { Table } from './table.ts'

/** The benchmarks, each with a pattern for its rows in the summary. */
const PARTS = [
  ['api.ts', '^(GET /identifications|PATCH|POST|lists|creations)'],
  ['webhooks.ts', 'events per second$|publishers?$'],
  ['feed.ts'],
  ['pages.ts'],
] as const
const DOCUMENT = new URL('../docs/performance.md', import.meta.url)
/** The summary replaces the text between these markers. */
const [BEGIN, END] = ['<!-- npm run bench -->', '<!-- end -->']

const tables: Table[] = []
for (const [part, rows] of PARTS) {
  const child = fork(new URL(part, import.meta.url), rows === undefined ? [] : ['--only', rows])
  child.on('message', (table: Table) => tables.push(table))
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${part} ended with ${code}; nothing was written`)
}

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
const markdown = ({ title, columns, rows }: Table) =>
  [`**${title}**`, '', row(columns), row(columns.map(() => '---')), ...rows.map(row)].join('\n')
const gigabytes = (totalmem() / 2 ** 30).toFixed(0)
const machine =
  `Measured on ${new Date().toISOString().slice(0, 10)}: ${availableParallelism()} processors ` +
  `(${cpus()[0]?.model.trim()}), ${gigabytes} GiB, Node.js ${process.versions.node}, ${process.platform}.`

const text = readFileSync(DOCUMENT, 'utf8')
const [before, rest] = text.split(BEGIN)
const after = rest?.split(END)[1]
if (before === undefined || after === undefined)
  throw new Error(`${DOCUMENT.pathname} lacks ${BEGIN} … ${END}`)
writeFileSync(
  DOCUMENT,
  `${before}${BEGIN}\n${[machine, ...summarise(tables).map(markdown)].join('\n\n')}\n${END}${after}`,
)
