/** Counts the rows that queries read, from their plans. */
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import type { Database } from '../../src/db/connection/database.ts'
import { NO_SPAN } from '../../src/process/span.ts'
import type { Encryption } from '../../src/storage/encryption.ts'

export interface Plan {
  readonly 'Node Type': string
  /** The table of a scan. */
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly Plan[]
}

export const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** Opens a database that keeps the queries sent to it, so that their plans can be read. */
export function openPlanned(url: string, encryption: Encryption) {
  const sent: { text: string; values: unknown[] }[] = []
  const client = postgres(url, { max: 1 })
  const logger = { logQuery: (text: string, values: unknown[]) => void sent.push({ text, values }) }
  const planned: Database = { encryption, orm: drizzle({ client, logger }), span: NO_SPAN }

  /** Runs the work, and returns the plans of its queries. */
  async function plansOf(work: () => Promise<unknown>): Promise<Plan[]> {
    sent.length = 0
    // The test data cannot be decrypted.
    await work().catch(() => undefined)
    const plans: Plan[] = []
    for (const { text, values } of sent.splice(0)) {
      const [row] = await client.unsafe(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values as never[])
      plans.push(row?.['QUERY PLAN'][0].Plan)
    }
    return plans
  }

  return { client, planned, sent, plansOf }
}

/** Returns the number of rows that the scans of the plans read, including filtered rows. */
export const rowsReadBy = (plans: readonly Plan[]): number =>
  plans
    .flatMap(nodesOf)
    .filter((node) => /(Seq|Index|Index Only|Bitmap Heap) Scan$/.test(node['Node Type']))
    .map(
      (node) =>
        node['Actual Loops'] *
        (node['Actual Rows'] +
          (node['Rows Removed by Filter'] ?? 0) +
          (node['Rows Removed by Index Recheck'] ?? 0)),
    )
    .reduce((sum, rows) => sum + rows, 0)
