/** Queries for the housekeeping of webhook logs: the search index, the counts, and deletions. */
import { and, eq, sql } from 'drizzle-orm'
import { NIL } from 'uuid'
import { final, webhookLogCounts } from '../../../drizzle/schema.ts'
import type { Topic } from '../../domain/base/topics.ts'
import type { StoredStatus } from '../../domain/webhook/events.ts'
import { DELETED, inBatches } from '../connection/batches.ts'
import { type Database, transaction } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { lowestIdAt } from '../connection/id-time.ts'
import { deleteFromFeed } from './event-feed.ts'

const INDEXED = { batchSize: 500, statements: 40 }
const FOLDED = { batchSize: 10_000, statements: 10 }

const DAY_MS = 86_400_000

/**
 * Adds the payloads of ended deliveries to the search index. Indexing costs as much as delivering. After its first
 * statement, this function therefore continues only while no log is pending.
 */
export async function indexWebhookLogs(db: Database): Promise<number> {
  // Each pass starts at a random vault, so that a busy vault does not delay the vaults after it.
  const rows = await db.orm.execute<{ id: string }>(
    sql`SELECT vault_id AS id FROM webhook_settings ORDER BY random() LIMIT 1`,
  )
  let hasBegun = false
  const indexFrom = (vaultId: string) =>
    inBatches(INDEXED, async (limit) => {
      if (hasBegun && (await isAnyPending(db))) return 0
      hasBegun = true
      const { count } = await db.orm.execute(sql`
        UPDATE webhook_logs SET indexed = true WHERE id = ANY(ARRAY(
          SELECT id FROM webhook_logs WHERE NOT indexed AND ${final} AND vault_id >= ${vaultId}
          ORDER BY vault_id, topic, status, id LIMIT ${limit} FOR UPDATE SKIP LOCKED))`)
      return count
    })
  const maxRows = INDEXED.batchSize * INDEXED.statements
  const indexed = await indexFrom(rows[0]?.id ?? NIL)
  return indexed < maxRows ? indexed + (await indexFrom(NIL)) : indexed
}

async function isAnyPending(db: Database): Promise<boolean> {
  const rows = await db.orm.execute(sql`SELECT FROM webhook_logs WHERE status = 'pending' LIMIT 1`)
  return rows.length > 0
}

/**
 * Adds recent counts to the sums of their groups. Readers see either the old or the new counts, never a mixture of
 * both.
 */
export const foldWebhookLogCounts = (db: Database): Promise<number> =>
  inBatches(FOLDED, async (limit) => {
    const [folded] = await db.orm.execute<{ count: number; zeros: string[] }>(sql`
      WITH counted AS (
        DELETE FROM webhook_log_counts WHERE id = ANY(ARRAY(
          SELECT id FROM webhook_log_counts WHERE NOT folded ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED))
        RETURNING vault_id, topic, status, day, delta
      ), sums AS (
        INSERT INTO webhook_log_counts AS sum (vault_id, topic, status, day, delta, folded)
        SELECT vault_id, topic, status, day, sum(delta), true FROM counted GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
        ON CONFLICT (vault_id, topic, status, day) WHERE folded DO UPDATE SET delta = sum.delta + excluded.delta
        RETURNING id, delta
      )
      SELECT (SELECT count(*)::int FROM counted) AS count, ARRAY(SELECT id FROM sums WHERE delta = 0) AS zeros`)
    const { count = 0, zeros = [] } = folded ?? {}
    if (zeros.length > 0)
      await db.orm
        .delete(webhookLogCounts)
        .where(and(eqAny(webhookLogCounts.id, zeros), eq(webhookLogCounts.delta, 0)))
    return count
  })

interface CountDifference extends Record<string, unknown> {
  readonly vault_id: string
  readonly topic: Topic
  readonly status: StoredStatus
  /** The day, in the form YYYY-MM-DD. */
  readonly day: string
  /** The actual number minus the stored count. */
  readonly delta: number
}

/**
 * Prevents concurrent repairs, which would each add the difference. PostgreSQL completes a repair even if the process
 * that started it is killed.
 */
const ONE_REPAIR = sql`SELECT pg_advisory_xact_lock(hashtext('recount_webhook_logs'))`

/**
 * Counts all logs and returns the differences from the stored counts. With `repair`, also corrects the stored counts.
 * Does not block writers.
 */
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
  const corrected = sql`INSERT INTO webhook_log_counts (vault_id, topic, status, day, delta) ${differences}
    RETURNING vault_id, topic, status, day, delta`
  const rows = await transaction(db, async (tx) => {
    if (repair) await tx.orm.execute(ONE_REPAIR)
    // The snapshot of the statement must begin after the lock is acquired.
    return tx.orm.execute<CountDifference>(sql`
      WITH differences AS (${repair ? corrected : differences})
      SELECT vault_id, topic, status, day::text, delta FROM differences ORDER BY 1, 2, 3, 4`)
  })
  return rows.map((row) => ({ ...row, delta: Number(row.delta) }))
}

/**
 * Deletes ended logs that are older than the retention, with their attempts and their places in the feed. The clocks of both this process and
 * PostgreSQL must confirm the age.
 */
export const deleteOldWebhookLogs = (db: Database, retentionDays: number): Promise<number> => {
  const end = lowestIdAt(new Date(Date.now() - retentionDays * DAY_MS))
  return inBatches(DELETED, async (limit) => {
    const rows = await db.orm.execute<{ count: number }>(sql`
      WITH old AS (
        DELETE FROM webhook_logs WHERE id = ANY(ARRAY(
          SELECT id FROM webhook_logs WHERE id < ${end} AND ${final}
            AND created_at < now() - make_interval(days => ${retentionDays})
          ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED))
        RETURNING id
      ), attempts AS (
        DELETE FROM webhook_attempts WHERE webhook_log_id IN (SELECT id FROM old)
      ), ${deleteFromFeed(sql`old`)}
      SELECT count(*)::int AS count FROM old`)
    return rows[0]?.count ?? 0
  })
}
