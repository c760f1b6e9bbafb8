/** Webhook logs on their way out: written with the change they tell of, claimed by batches. */
import { and, eq, sql } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import { unfinished, webhookLogs } from '../../drizzle/schema.ts'
import {
  EVENTS,
  envelopeKey,
  eventBody,
  FALLBACK_TOPICS,
  type GatehouseEvent,
  type Topic,
} from '../domain/events.ts'
import type { Database } from './database.ts'

export interface NewWebhookLog {
  readonly id: string
  readonly vaultId: string
  readonly topic: Topic
  /** The exact text that is signed and sent. */
  readonly payload: string
}

/** What every event carries is added where it was left out. */
export const withIdentity = <A extends object>(attributes: A) => ({
  event_id: newId(),
  occurred_at: Math.floor(Date.now() / 1000),
  ...attributes,
})

/** Writes a log row per event whose topic has URLs; gives their ids, for the dispatcher. */
export function insertWebhookLogs(
  tx: Database,
  vaultId: string,
  events: readonly GatehouseEvent[],
): Promise<string[]> {
  const rows = events.map(({ name, attributes }): NewWebhookLog => {
    const all = withIdentity(attributes)
    return {
      id: newId(),
      vaultId,
      topic: EVENTS[name].topic,
      payload: eventBody({ name, attributes: all }, envelopeKey(name)),
    }
  })
  return insertWebhookLogRows(tx, rows)
}

/**
 * Writes the rows whose topic has URLs and gives their ids. Where a topic without URLs has a fallback, that
 * topic's URLs and name are used (specification, "Delivery format").
 */
export async function insertWebhookLogRows(tx: Database, rows: readonly NewWebhookLog[]): Promise<string[]> {
  if (rows.length === 0) return []
  const column = (value: (row: NewWebhookLog) => string | null) => sql.param(rows.map(value))
  const inserted = await tx.orm.execute<{ id: string }>(sql`
    INSERT INTO webhook_logs (id, vault_id, topic, payload, urls_destiny)
    SELECT new.id, new.vault_id, used.topic, new.payload, ARRAY(SELECT jsonb_array_elements_text(url_list -> used.topic))
    FROM unnest(
      ${column(({ id }) => id)}::uuid[], ${column(({ vaultId }) => vaultId)}::uuid[],
      ${column(({ topic }) => topic)}::text[],
      ${column(({ topic }) => FALLBACK_TOPICS[topic] ?? null)}::text[],
      ${column(({ payload }) => payload)}::text[]
    ) AS new (id, vault_id, topic, fallback, payload)
    JOIN webhook_settings USING (vault_id)
    CROSS JOIN LATERAL (
      SELECT CASE WHEN new.fallback IS NOT NULL AND coalesce(url_list -> new.topic, '[]') = '[]'
             THEN new.fallback ELSE new.topic END AS topic
    ) AS used
    WHERE coalesce(url_list -> used.topic, '[]') <> '[]'
    RETURNING id`)
  return inserted.map(({ id }) => id)
}

/** Claims the oldest pending logs that no batch has, those that are sent again last; concurrent claims pass each other by. */
export async function claimWebhookLogs(db: Database, batchId: string, limit: number): Promise<string[]> {
  const claimed = await db.orm.execute<{ id: string }>(sql`
    UPDATE webhook_logs SET batch_id = ${batchId} WHERE id = ANY(ARRAY(
      SELECT id FROM webhook_logs WHERE status = 'pending' AND batch_id IS NULL
      ORDER BY round, id LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )) RETURNING id`)
  return claimed.map(({ id }) => id)
}

/** Batches of which some log is unfinished and older than 10 s, and all their unfinished logs. */
export async function unfinishedBatches(db: Database): Promise<Map<string, string[]>> {
  const rows = await db.orm.execute<{ batch_id: string; ids: string[] }>(sql`
    SELECT batch_id, array_agg(id) AS ids FROM webhook_logs
    WHERE ${unfinished} AND batch_id IS NOT NULL
    GROUP BY batch_id HAVING min(created_at) < clock_timestamp() - interval '10 seconds'
    LIMIT 1000`)
  return new Map(rows.map(({ batch_id, ids }) => [batch_id, ids]))
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
