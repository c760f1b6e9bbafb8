/** Queries that find the webhook logs that a batch may have left unfinished, and move them to another batch. */
import { and, sql } from 'drizzle-orm'
import { NIL } from 'uuid'
import { unfinished, webhookLogs } from '../../../drizzle/schema.ts'
import type { Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { lowestIdAt } from '../connection/id-time.ts'
import { selectPendingVaults } from './pending-vaults.ts'

/**
 * The range of one scan, which covers the oldest pending logs of this number of vaults. These include all claimed logs.
 */
const PENDING_SCAN = { vaults: 50, logsOfVault: 1_000 }
/** The number of logs in progress that one scan covers. */
const PROCESSING_SCAN = 20_000
/**
 * A process may still be gathering a batch that is younger than this, and may not have started the batch's workflow
 * yet.
 */
const YOUNG_MS = 10_000
/** Exceeds any acceptable clock difference. */
const AHEAD_MS = 120_000

export interface BatchedLog {
  readonly id: string
  readonly batchId: string
}

interface Scanned extends BatchedLog, Record<string, unknown> {
  /** The number of the row in the scan. */
  readonly nth: number
  readonly isFound: boolean
}

interface ScanPage<Cursor> {
  readonly found: readonly BatchedLog[]
  /** The position at which the next scan continues, or null to start from the beginning. */
  readonly next: Cursor | null
}

/** Finds pending logs in old batches, for vaults with IDs above `after`. */
export async function findPendingInOldBatches(db: Database, after: string | null): Promise<ScanPage<string>> {
  const rows = await db.orm.execute<Scanned & { vaultId: string }>(sql`
    WITH RECURSIVE ${selectPendingVaults({ after, atMost: PENDING_SCAN.vaults })}
    SELECT vault_id AS "vaultId", nth, id, batch_id AS "batchId", id IS NOT NULL AS "isFound" FROM vaults LEFT JOIN LATERAL (
      SELECT id, batch_id FROM (
        SELECT id, batch_id FROM webhook_logs WHERE status = 'pending' AND vault_id = vaults.vault_id
        ORDER BY round, id LIMIT ${PENDING_SCAN.logsOfVault}) AS oldest
      WHERE ${isOldBatch()}) AS claimed ON true
    ORDER BY nth`)
  const last = rows.at(-1)
  return {
    found: foundIn(rows),
    next: last?.nth === PENDING_SCAN.vaults ? last.vaultId : null,
  }
}

/** A position in the index of unfinished logs. */
export interface LogCursor {
  readonly vaultId: string
  readonly round: number
  readonly id: string
}

/**
 * Finds logs in progress in old batches, starting after the position `after`. Omits logs whose next attempt is hours
 * away.
 */
export async function findProcessingInOldBatches(
  db: Database,
  after: LogCursor | null,
): Promise<ScanPage<LogCursor>> {
  const { vaultId, round, id } = after ?? { vaultId: NIL, round: 0, id: NIL }
  const rows = await db.orm.execute<Scanned & LogCursor>(sql`
    SELECT * FROM (
      SELECT id, batch_id AS "batchId", vault_id AS "vaultId", round, (row_number() OVER (ORDER BY vault_id, round, id))::int AS nth,
        ${isOldBatch()} AND (due_at IS NULL OR due_at < clock_timestamp() - interval '1 minute') AS "isFound"
      FROM webhook_logs
      WHERE status = 'processing' AND (vault_id, round, id) > (${vaultId}::uuid, ${round}::int, ${id}::uuid)
      ORDER BY vault_id, round, id LIMIT ${PROCESSING_SCAN}
    ) AS scanned WHERE "isFound" OR nth = ${PROCESSING_SCAN} ORDER BY nth`)
  const last = rows.at(-1)
  return {
    found: foundIn(rows),
    next: last?.nth === PROCESSING_SCAN ? { vaultId: last.vaultId, round: last.round, id: last.id } : null,
  }
}

/** Returns the logs that a scan found. Other rows only show how far the scan went. */
const foundIn = (rows: readonly Scanned[]): BatchedLog[] =>
  rows.flatMap(({ id, batchId, isFound }) => (isFound ? [{ id, batchId }] : []))

/**
 * Matches old batches. A batch from the future counts as old, because its process may have had a fast clock and may
 * have stopped.
 */
function isOldBatch() {
  const [young, ahead] = [-YOUNG_MS, AHEAD_MS].map((ms) => lowestIdAt(new Date(Date.now() + ms)))
  return sql`(batch_id < ${young}::uuid OR batch_id > ${ahead}::uuid)`
}

/** Moves the unfinished logs among these to another batch, and returns their IDs. */
export async function moveToBatch(db: Database, ids: readonly string[], batchId: string): Promise<string[]> {
  const moved = await db.orm
    .update(webhookLogs)
    .set({ batchId })
    .where(and(eqAny(webhookLogs.id, ids), unfinished))
    .returning({ id: webhookLogs.id })
  return moved.map(({ id }) => id)
}
