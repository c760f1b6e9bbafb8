/** Reads the plans of all statements that PostgreSQL runs, from its log. */
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import type postgres from 'postgres'

interface Node {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows'?: number
  readonly 'Actual Loops'?: number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly Node[]
}

export interface Planned {
  readonly text: string
  readonly ms: number
  /** The number of rows that the scans read, with those that a filter removed. */
  readonly rows: number
  /** The tables that were read completely. */
  readonly scanned: readonly string[]
}

/** Makes PostgreSQL log the plan of every statement that takes at least `minMs`. */
export async function logPlans(database: postgres.Sql, minMs = 0): Promise<void> {
  const [row] = await database`SELECT current_database() AS name`
  const settings = {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': String(minMs),
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_format': 'json',
  }
  for (const [name, value] of Object.entries(settings))
    await database.unsafe(`ALTER DATABASE ${row?.name} SET ${name} = '${value}'`)
  // The services connect again, with these settings.
  await database`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`
}

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]
const SCAN = /(Seq|Index|Index Only|Bitmap Heap) Scan$/

const rowsOf = (node: Node): number =>
  (node['Actual Loops'] ?? 0) *
  ((node['Actual Rows'] ?? 0) +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0))

/** Returns null if the lines of several processes are mixed. */
function parse(json: string): { readonly 'Query Text': string; readonly Plan: Node } | null {
  try {
    return JSON.parse(json)
  } catch {
    return null
  }
}

const PLAN = /duration: ([\d.]+) ms {2}plan:\n((?:\t.*\n)+)/g

/** Returns a function that reads the plans which were logged since its last call. */
export function readPlansFrom(file: string): () => Planned[] {
  let read = statSync(file).size
  return () => {
    const { size } = statSync(file)
    // The launcher has begun a new file.
    if (size < read) read = 0
    const bytes = Buffer.alloc(size - read)
    const log = openSync(file, 'r')
    readSync(log, bytes, 0, bytes.length, read)
    closeSync(log)
    read += bytes.length
    return [...bytes.toString().matchAll(PLAN)].flatMap(([, ms, json = '']) => {
      const plan = parse(json)
      if (!plan) return []
      const { 'Query Text': text, Plan: top } = plan
      const scans = nodesOf(top).filter((node) => SCAN.test(node['Node Type']))
      return {
        text,
        ms: Number(ms),
        rows: scans.map(rowsOf).reduce((sum, rows) => sum + rows, 0),
        scanned: scans
          .filter((node) => node['Node Type'].endsWith('Seq Scan'))
          .map((node) => node['Relation Name'] ?? ''),
      }
    })
  }
}
