/** Webhook logs on their way out: written with the change they tell of, claimed by batches. */
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import { unfinished, webhookLogs } from '../../drizzle/schema.ts'
import {
  EVENTS,
  envelopeKey,
  eventBody,
  FALLBACK_TOPICS,
  type GatehouseEvent,
  type LogStatus,
  type Topic,
} from '../domain/events.ts'
import { isAnyOf } from './any-of.ts'
import type { Database } from './database.ts'
import { pendingVaults } from './pending-vaults.ts'

export interface NewWebhookLog {
  readonly id: string
  readonly vaultId: string
  readonly topic: Topic
  /** The exact text that is signed and sent. */
  readonly payload: string
}

const NO_URLS = 'no URL was registered for the topic'

/** What every event carries is added where it was left out. */
export const withIdentity = <A extends object>(attributes: A) => ({
  event_id: newId(),
  occurred_at: Math.floor(Date.now() / 1000),
  ...attributes,
})

const rowsOf = (vaultId: string, events: readonly GatehouseEvent[]): NewWebhookLog[] =>
  events.map(({ name, attributes }) => {
    const all = withIdentity(attributes)
    return {
      id: newId(),
      vaultId,
      topic: EVENTS[name].topic,
      payload: eventBody({ name, attributes: all }, envelopeKey(name)),
    }
  })

/** Writes a log row per event; gives the ids of those that are to be sent, for the dispatcher. */
export const insertWebhookLogs = (
  tx: Database,
  vaultId: string,
  events: readonly GatehouseEvent[],
): Promise<string[]> => insertWebhookLogRows(tx, rowsOf(vaultId, events))

/** The same as a statement, for who writes more by the same one. */
export const webhookLogInsert = (vaultId: string, events: readonly GatehouseEvent[]): SQL =>
  insertOf(rowsOf(vaultId, events))

/** Writes the rows and gives the ids of those whose topic has URLs. */
export async function insertWebhookLogRows(tx: Database, rows: readonly NewWebhookLog[]): Promise<string[]> {
  if (rows.length === 0) return []
  const inserted = await tx.orm.execute<{ id: string; status: LogStatus }>(insertOf(rows))
  return inserted.flatMap(({ id, status }) => (status === 'pending' ? [id] : []))
}

/**
 * Those whose topic has no URLs are kept: they have failed, until a client has them sent. Where a topic without URLs has
 * a fallback with some, that topic's URLs and name are used (specification, "Delivery format").
 */
function insertOf(rows: readonly NewWebhookLog[]): SQL {
  const column = (value: (row: NewWebhookLog) => string | null) => sql.param(rows.map(value))
  return sql`
    INSERT INTO webhook_logs (id, vault_id, topic, payload, urls_destiny, status, fail_reason)
    SELECT new.id, new.vault_id, used.topic, new.payload, urls,
      CASE WHEN urls = '{}' THEN 'failed' ELSE 'pending' END,
      CASE WHEN urls = '{}' THEN ${NO_URLS} END
    FROM unnest(
      ${column(({ id }) => id)}::uuid[], ${column(({ vaultId }) => vaultId)}::uuid[],
      ${column(({ topic }) => topic)}::text[],
      ${column(({ topic }) => FALLBACK_TOPICS[topic] ?? null)}::text[],
      ${column(({ payload }) => payload)}::text[]
    ) AS new (id, vault_id, topic, fallback, payload)
    JOIN webhook_settings USING (vault_id)
    CROSS JOIN LATERAL (
      SELECT CASE WHEN coalesce(url_list -> new.topic, '[]') = '[]' AND coalesce(url_list -> new.fallback, '[]') <> '[]'
             THEN new.fallback ELSE new.topic END AS topic
    ) AS used
    CROSS JOIN LATERAL (SELECT ARRAY(SELECT jsonb_array_elements_text(url_list -> used.topic)) AS urls) AS registered
    RETURNING id, status`
}

/** Of each vault so many of its oldest pending logs are looked at: those that were claimed are among them. */
const OLDEST = 1_000
/** The most that one call gives; the next one is asked for what is behind its last, the first for all behind this. */
export const MAX_BATCHES = 1_000

/**
 * Batches of which some log is unfinished, older than 10 s and not due in hours, and their unfinished logs, in the order of their ids,
 * behind `after`.
 */
export async function unfinishedBatches(db: Database, after: string): Promise<Map<string, string[]>> {
  const rows = await db.orm.execute<{ batch_id: string; ids: string[] }>(sql`
    WITH RECURSIVE ${pendingVaults()}, oldest AS (
      SELECT log.* FROM vaults CROSS JOIN LATERAL (
        SELECT id, batch_id, created_at FROM webhook_logs WHERE status = 'pending' AND vault_id = vaults.vault_id
        ORDER BY round, id LIMIT ${OLDEST}) AS log
      UNION ALL
      SELECT id, batch_id, created_at FROM webhook_logs
      WHERE status = 'processing' AND (due_at IS NULL OR due_at < clock_timestamp() - interval '1 minute')
    )
    SELECT batch_id, array_agg(id) AS ids FROM oldest WHERE batch_id > ${after}
    GROUP BY batch_id HAVING min(created_at) < clock_timestamp() - interval '10 seconds'
    ORDER BY batch_id LIMIT ${MAX_BATCHES}`)
  return new Map(rows.map(({ batch_id, ids }) => [batch_id, ids]))
}

/** Moves those of the logs that are unfinished to another batch; gives which they were. */
export async function moveLogs(db: Database, ids: readonly string[], batchId: string): Promise<string[]> {
  const moved = await db.orm
    .update(webhookLogs)
    .set({ batchId })
    .where(and(isAnyOf(webhookLogs.id, ids), unfinished))
    .returning({ id: webhookLogs.id })
  return moved.map(({ id }) => id)
}

/** Moves the unfinished logs of a batch that has ended to a new one; gives those nothing else has moved. */
export async function takeOverBatch(db: Database, batchId: string, newBatchId: string): Promise<string[]> {
  const moved = await db.orm
    .update(webhookLogs)
    .set({ batchId: newBatchId })
    .where(and(eq(webhookLogs.batchId, batchId), unfinished))
    .returning({ id: webhookLogs.id })
  return moved.map(({ id }) => id)
}
