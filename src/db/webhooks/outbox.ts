/** Queries that write webhook logs in the transaction of the change that they report. */
import { type SQL, sql } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import type { Topic } from '../../domain/base/topics.ts'
import {
  EVENTS,
  envelopeKey,
  eventBody,
  FALLBACK_TOPICS,
  type GatehouseEvent,
  type LogStatus,
} from '../../domain/webhook/events.ts'
import { cacheSql, createRowArrays } from '../connection/cached-sql.ts'
import type { Database } from '../connection/database.ts'

export interface NewWebhookLog {
  readonly id: string
  readonly vaultId: string
  readonly topic: Topic
  /** The exact text that is signed and sent. */
  readonly payload: string
  readonly traceparent: string | null
}

const NO_URLS = 'no URL was registered for the topic'

/** Adds the ID and the time of an event if they are missing. */
export const withIdentity = <A extends object>(attributes: A) => ({
  event_id: newId(),
  occurred_at: Math.floor(Date.now() / 1000),
  ...attributes,
})

const rowsOf = ({ span }: Database, vaultId: string, events: readonly GatehouseEvent[]): NewWebhookLog[] =>
  events.map(({ name, attributes }) => {
    const all = withIdentity(attributes)
    return {
      id: newId(),
      vaultId,
      topic: EVENTS[name].topic,
      payload: eventBody({ name, attributes: all }, envelopeKey(name)),
      traceparent: span.traceparent,
    }
  })

/** Writes a log for each event. Returns the IDs of the logs to deliver, for the dispatcher. */
export const insertWebhookLogs = (tx: Database, vaultId: string, events: readonly GatehouseEvent[]) =>
  insertWebhookLogRows(tx, rowsOf(tx, vaultId, events))

/** Writes the rows. Returns the IDs of the logs to deliver. */
export const insertWebhookLogRows = async (
  tx: Database,
  rows: readonly NewWebhookLog[],
): Promise<string[]> => (rows.length === 0 ? [] : toDeliver(await insert(tx, newLogValues(rows))))

/** Returns the IDs of the logs whose topic has URLs. */
export const toDeliver = (logs: readonly InsertedLog[]): string[] =>
  logs.flatMap(({ id, status }) => (status === 'pending' ? [id] : []))

export interface InsertedLog {
  readonly id: string
  readonly status: LogStatus
}

/** Returns the statement that writes a log for each event, so that it can be combined with other statements. */
export const webhookLogInsert = (tx: Database, vaultId: string, events: readonly GatehouseEvent[]): SQL =>
  insertOf(NEW_LOGS.of(rowsOf(tx, vaultId, events).map(withFallback)))

const withFallback = (log: NewWebhookLog) => ({ ...log, fallback: FALLBACK_TOPICS[log.topic] })

const NEW_LOGS = createRowArrays<ReturnType<typeof withFallback>>('new', {
  id: 'uuid',
  vault_id: 'uuid',
  topic: 'text',
  fallback: 'text',
  payload: 'text',
  traceparent: 'text',
})

/** Returns the values for the placeholders of `INSERT_LOGS`. */
export const newLogValues = (logs: readonly NewWebhookLog[]) => NEW_LOGS.values(logs.map(withFallback))

const EVENT_NAME = sql.raw(
  `coalesce(new.payload::jsonb -> 'data', new.payload::jsonb -> 'error') ->> 'event'`,
)

/**
 * Returns the insert. A URL with a filter gets only its events. If no URL wants the event, the log is completed. If
 * a topic has no URLs but its fallback topic has some, the log uses the name and URLs of the fallback topic
 * (specification, "Delivery format"). If neither has URLs, the log is stored as failed, so that a client can send it
 * later.
 */
const insertOf = (rows: SQL): SQL => sql`
  INSERT INTO webhook_logs (id, vault_id, topic, event_topic, payload, urls_destiny, status, fail_reason, traceparent)
  SELECT new.id, new.vault_id, used.topic, nullif(new.topic, used.topic), new.payload, urls,
    CASE WHEN urls <> '{}' THEN 'pending' WHEN has_urls THEN 'completed' ELSE 'failed' END,
    CASE WHEN NOT has_urls THEN ${NO_URLS} END, new.traceparent
  FROM ${rows}
  JOIN webhook_settings USING (vault_id)
  CROSS JOIN LATERAL (
    SELECT CASE WHEN coalesce(url_list -> new.topic, '[]') = '[]' AND coalesce(url_list -> new.fallback, '[]') <> '[]'
           THEN new.fallback ELSE new.topic END AS topic
  ) AS used
  CROSS JOIN LATERAL (
    SELECT coalesce(url_list -> used.topic, '[]') <> '[]' AS has_urls, ARRAY(
      SELECT url FROM jsonb_array_elements_text(url_list -> used.topic) WITH ORDINALITY AS registered (url, nth)
      WHERE options_version = 0 OR NOT EXISTS (
        SELECT FROM webhook_urls AS filtered
        WHERE filtered.vault_id = new.vault_id AND filtered.url = registered.url
          AND ${EVENT_NAME} <> ALL(filtered.events))
      ORDER BY nth) AS urls
  ) AS registered
  RETURNING id, status`

/** Writes the logs in `newLogValues`. */
export const INSERT_LOGS = insertOf(NEW_LOGS.from)

const insert = cacheSql<InsertedLog>(INSERT_LOGS)
