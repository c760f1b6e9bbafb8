/** Webhook logs on their way out: written with the change they tell of, claimed by batches. */
import { and, type SQL, sql } from 'drizzle-orm'
import { NIL, v7 as newId } from 'uuid'
import { unfinished, webhookLogs } from '../../../drizzle/schema.ts'
import {
  EVENTS,
  envelopeKey,
  eventBody,
  FALLBACK_TOPICS,
  type GatehouseEvent,
  type LogStatus,
  type Topic,
} from '../../domain/webhook/events.ts'
import type { Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { idAt } from '../connection/id-time.ts'
import { NOTIFY_WEBHOOK_LOGS } from '../connection/notification.ts'
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

/** Writes the rows and gives the ids of those whose topic has URLs. `tells` has the commit tell the workers. */
export async function insertWebhookLogRows(
  tx: Database,
  rows: readonly NewWebhookLog[],
  { tells = false } = {},
): Promise<string[]> {
  if (rows.length === 0) return []
  const returned = tells ? sql`id, status, ${NOTIFY_WEBHOOK_LOGS}` : undefined
  const inserted = await tx.orm.execute<{ id: string; status: LogStatus }>(insertOf(rows, returned))
  return inserted.flatMap(({ id, status }) => (status === 'pending' ? [id] : []))
}

/**
 * Those whose topic has no URLs are kept: they have failed, until a client has them sent. Where a topic without URLs has
 * a fallback with some, that topic's URLs and name are used (specification, "Delivery format").
 */
function insertOf(rows: readonly NewWebhookLog[], returned = sql`id, status`): SQL {
  const column = (value: (row: NewWebhookLog) => string | null) => sql.param(rows.map(value))
  return sql`
    INSERT INTO webhook_logs (id, vault_id, topic, event_topic, payload, urls_destiny, status, fail_reason)
    SELECT new.id, new.vault_id, used.topic, nullif(new.topic, used.topic), new.payload, urls,
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
    RETURNING ${returned}`
}

/** Of so many vaults their oldest pending logs are looked at, among which are those that were claimed. */
const LOOK_PENDING = { vaults: 50, ofVault: 1_000 }
/** So many that are being tried again are looked at. */
const LOOK_PROCESSING = 20_000
/** Whoever claimed a log for a batch that is younger may be about to start its workflow. */
const YOUNG_MS = 10_000
/** No clock that is right enough is ahead by this. */
const AHEAD_MS = 120_000

export interface ClaimedLog {
  readonly id: string
  readonly batchId: string
}

/** What a look found, and where the next one goes on; null where it begins anew. */
interface Look<Place> {
  readonly found: readonly ClaimedLog[]
  readonly next: Place | null
}

/** Pending logs that were claimed for a batch a while ago, of the vaults behind `after`. */
export async function claimedPending(db: Database, after: string | null): Promise<Look<string>> {
  const rows = await db.orm.execute<{
    vault_id: string
    nth: number
    id: string | null
    batch_id: string
  }>(sql`
    WITH RECURSIVE ${pendingVaults({ after, atMost: LOOK_PENDING.vaults })}
    SELECT vault_id, nth, id, batch_id FROM vaults LEFT JOIN LATERAL (
      SELECT id, batch_id FROM (
        SELECT id, batch_id FROM webhook_logs WHERE status = 'pending' AND vault_id = vaults.vault_id
        ORDER BY round, id LIMIT ${LOOK_PENDING.ofVault}) AS oldest
      WHERE ${isOldBatch()}) AS claimed ON true
    ORDER BY nth`)
  const last = rows.at(-1)
  return {
    found: rows.flatMap(({ id, batch_id: batchId }) => (id === null ? [] : [{ id, batchId }])),
    next: last?.nth === LOOK_PENDING.vaults ? last.vault_id : null,
  }
}

/** A place in the order of the index of unfinished logs. */
export interface LogPlace {
  readonly vaultId: string
  readonly round: number
  readonly id: string
}

/** Logs behind `after` that are being tried again, in a batch for a while, and are not due in hours. */
export async function claimedProcessing(db: Database, after: LogPlace | null): Promise<Look<LogPlace>> {
  const { vaultId, round, id } = after ?? { vaultId: NIL, round: 0, id: NIL }
  const rows = await db.orm.execute<{
    id: string
    batch_id: string
    vault_id: string
    round: number
    nth: number
    is_found: boolean
  }>(sql`
    SELECT * FROM (
      SELECT id, batch_id, vault_id, round, (row_number() OVER (ORDER BY vault_id, round, id))::int AS nth,
        ${isOldBatch()} AND (due_at IS NULL OR due_at < clock_timestamp() - interval '1 minute') AS is_found
      FROM webhook_logs
      WHERE status = 'processing' AND (vault_id, round, id) > (${vaultId}::uuid, ${round}::int, ${id}::uuid)
      ORDER BY vault_id, round, id LIMIT ${LOOK_PROCESSING}
    ) AS through WHERE is_found OR nth = ${LOOK_PROCESSING} ORDER BY nth`)
  const last = rows.at(-1)
  return {
    found: rows.flatMap((row) => (row.is_found ? [{ id: row.id, batchId: row.batch_id }] : [])),
    next: last?.nth === LOOK_PROCESSING ? { vaultId: last.vault_id, round: last.round, id: last.id } : null,
  }
}

/** Also one that a process made whose clock is ahead: it may be dead, and its moment come tomorrow. */
function isOldBatch() {
  const [young, ahead] = [-YOUNG_MS, AHEAD_MS].map((ms) => idAt(new Date(Date.now() + ms)))
  return sql`(batch_id < ${young}::uuid OR batch_id > ${ahead}::uuid)`
}

/** Moves those of the logs that are unfinished to another batch; gives which they were. */
export async function moveLogs(db: Database, ids: readonly string[], batchId: string): Promise<string[]> {
  const moved = await db.orm
    .update(webhookLogs)
    .set({ batchId })
    .where(and(eqAny(webhookLogs.id, ids), unfinished))
    .returning({ id: webhookLogs.id })
  return moved.map(({ id }) => id)
}
