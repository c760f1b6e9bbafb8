/** What housekeeping does about webhook logs: their index for search, their counts, and their end. */
import { sql } from 'drizzle-orm'
import { final } from '../../drizzle/schema.ts'
import type { LogStatus, Topic } from '../domain/events.ts'
import type { Database } from './database.ts'
import { idAt } from './id-time.ts'

/** Kept small, so that no statement takes long or keeps others waiting; the next pass comes soon. */
const INDEXED = { atOnce: 500, statements: 20 }
const FOLDED = { atOnce: 20_000, statements: 5 }
const DELETED = { atOnce: 1_000, statements: 10 }
/** On a machine that is busy, a pass does less. */
const MAX_PASS_MS = 5_000

const LOWEST_ID = '00000000-0000-0000-0000-000000000000'
const DAY_MS = 86_400_000

/** Repeats a statement while it finds as much as it may do at once; gives how much it did. */
async function inBatches(
  { atOnce, statements }: { atOnce: number; statements: number },
  statement: (limit: number) => Promise<number>,
): Promise<number> {
  const end = performance.now() + MAX_PASS_MS
  let total = 0
  for (let i = 0; i < statements && performance.now() < end; i += 1) {
    const done = await statement(atOnce)
    total += done
    if (done < atOnce) break
  }
  return total
}

/**
 * Makes the payloads of deliveries that have ended searchable by index. It costs as much as delivering them, so
 * beyond its first statement it goes on only while no log waits to be delivered.
 */
export async function indexWebhookLogs(db: Database): Promise<number> {
  // A pass begins at any vault, so that a busy one does not keep those behind it waiting.
  const rows = await db.orm.execute<{ id: string }>(
    sql`SELECT vault_id AS id FROM webhook_settings ORDER BY random() LIMIT 1`,
  )
  let begun = false
  const indexFrom = (vaultId: string) =>
    inBatches(INDEXED, async (limit) => {
      if (begun && (await isAnyWaiting(db))) return 0
      begun = true
      const { count } = await db.orm.execute(sql`
        UPDATE webhook_logs SET indexed = true WHERE id = ANY(ARRAY(
          SELECT id FROM webhook_logs WHERE NOT indexed AND ${final} AND vault_id >= ${vaultId}
          ORDER BY vault_id, topic, status, id LIMIT ${limit} FOR UPDATE SKIP LOCKED))`)
      return count
    })
  const most = INDEXED.atOnce * INDEXED.statements
  const indexed = await indexFrom(rows[0]?.id ?? LOWEST_ID)
  return indexed < most ? indexed + (await indexFrom(LOWEST_ID)) : indexed
}

async function isAnyWaiting(db: Database): Promise<boolean> {
  const rows = await db.orm.execute(sql`SELECT FROM webhook_logs WHERE status = 'pending' LIMIT 1`)
  return rows.length > 0
}

/** Puts the rows of each group's count together in one. Readers see it before or after, never between. */
export const foldWebhookLogCounts = (db: Database): Promise<number> =>
  inBatches(FOLDED, async (limit) => {
    const rows = await db.orm.execute<{ count: number }>(sql`
      WITH folded AS (
        DELETE FROM webhook_log_counts WHERE id = ANY(ARRAY(
          SELECT id FROM webhook_log_counts WHERE (vault_id, topic, status, day) IN (
            SELECT vault_id, topic, status, day FROM webhook_log_counts GROUP BY 1, 2, 3, 4 HAVING count(*) > 1)
          ORDER BY id LIMIT ${limit}))
        RETURNING vault_id, topic, status, day, delta
      ), sums AS (
        INSERT INTO webhook_log_counts (vault_id, topic, status, day, delta)
        SELECT vault_id, topic, status, day, sum(delta) FROM folded GROUP BY 1, 2, 3, 4 HAVING sum(delta) <> 0
      )
      SELECT count(*)::int AS count FROM folded`)
    return rows[0]?.count ?? 0
  })

interface CountDifference extends Record<string, unknown> {
  readonly vault_id: string
  readonly topic: Topic
  readonly status: LogStatus
  /** As YYYY-MM-DD. */
  readonly day: string
  /** How many more logs there are than were counted. */
  readonly delta: number
}

/** Counts all logs again and gives where the counts say otherwise; `repair` mends these. Writers go on meanwhile. */
export async function recountWebhookLogs(
  db: Database,
  { repair }: { repair: boolean },
): Promise<CountDifference[]> {
  const differences = sql`
    SELECT vault_id, topic, status, day, coalesce(sum(actual), 0) - coalesce(sum(counted), 0) AS delta
    FROM (
      SELECT vault_id, topic, status, (created_at AT TIME ZONE 'UTC')::date AS day, count(*) AS actual, 0 AS counted
      FROM webhook_logs GROUP BY 1, 2, 3, 4
      UNION ALL
      SELECT vault_id, topic, status, day, 0, sum(delta) FROM webhook_log_counts GROUP BY 1, 2, 3, 4
    ) AS both_counts
    GROUP BY 1, 2, 3, 4
    HAVING coalesce(sum(actual), 0) <> coalesce(sum(counted), 0)`
  const mended = sql`INSERT INTO webhook_log_counts (vault_id, topic, status, day, delta) ${differences}
    RETURNING vault_id, topic, status, day, delta`
  const rows = await db.orm.execute<CountDifference>(sql`
    WITH differences AS (${repair ? mended : differences})
    SELECT vault_id, topic, status, day::text, delta FROM differences ORDER BY 1, 2, 3, 4`)
  return rows.map((row) => ({ ...row, delta: Number(row.delta) }))
}

/** Deletes logs created so many days ago whose delivery has ended, with their attempts. */
export const deleteOldWebhookLogs = (db: Database, retentionDays: number): Promise<number> => {
  const end = idAt(new Date(Date.now() - retentionDays * DAY_MS))
  return inBatches(DELETED, async (limit) => {
    const rows = await db.orm.execute<{ count: number }>(sql`
      WITH old AS (
        DELETE FROM webhook_logs WHERE id = ANY(ARRAY(
          SELECT id FROM webhook_logs WHERE id < ${end} AND ${final}
          ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED))
        RETURNING id
      ), attempts AS (
        DELETE FROM webhook_attempts WHERE webhook_log_id IN (SELECT id FROM old)
      )
      SELECT count(*)::int AS count FROM old`)
    return rows[0]?.count ?? 0
  })
}
