/**
 * Queries for events that the platform publishes. An event with an ID that the platform assigned is published only
 * once.
 */
import { sql } from 'drizzle-orm'
import { publishedEvents } from '../../../drizzle/schema.ts'
import { aboutVault, type By } from '../../domain/access/audit.ts'
import { COUNT_ACTIONS, type Counted, countedActions } from '../audit/audit.ts'
import { deleteOldest } from '../connection/batches.ts'
import { cacheSql, createRowArrays } from '../connection/cached-sql.ts'
import { type Database, transaction } from '../connection/database.ts'
import { type News, notifying } from '../connection/notification.ts'
import { INSERT_LOGS, type InsertedLog, type NewWebhookLog, newLogValues, toDeliver } from './outbox.ts'

export interface NewEvent extends NewWebhookLog {
  readonly name: string
  readonly by: By
  /** The publisher's ID for the event and a hexadecimal hash of its content, or null if the event has no such ID. */
  readonly own: { readonly eventId: string; readonly contentHash: string } | null
}

/** The log IDs of each event, or the positions of events whose ID belongs to other content. */
export type PublishOutcome = { readonly logIds: readonly string[][] } | { readonly taken: readonly number[] }

interface Published {
  readonly outcomes: readonly PublishOutcome[]
  /** The IDs of the logs that this call wrote. */
  readonly written: readonly string[]
}

/** Publishes, for each request, all of its events or none. With `news`, the commit notifies the workers of it. */
export async function publishEvents(
  db: Database,
  requests: readonly (readonly NewEvent[])[],
  { news = null }: { readonly news?: News | null } = {},
): Promise<Published> {
  if (!requests.flat().some(isNamed)) return publishOnce(db, requests, news)
  for (;;) {
    try {
      return await transaction(db, (tx) => publishOnce(tx, requests, news))
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error
    }
  }
}

/** Thrown if a concurrent request has published one of the IDs since they were read. */
class Overtaken extends Error {}

type Named = NewEvent & { readonly own: NonNullable<NewEvent['own']> }

const isNamed = (event: NewEvent): event is Named => event.own !== null
const keyOf = ({ vaultId, own }: Named): string => `${vaultId} ${own.eventId}`

/** A published event to which the publisher assigned an ID. */
interface Known {
  readonly contentHash: string
  readonly logId: string | null
}

async function publishOnce(
  tx: Database,
  requests: readonly (readonly NewEvent[])[],
  news: News | null,
): Promise<Published> {
  const known = await findPublished(tx, requests.flat().filter(isNamed))
  const earlier = [...known.values()].map(({ logId }) => logId)
  const settled = requests.map((events) => settle(events, known))
  const fresh = settled.flatMap((each) => ('fresh' in each ? each.fresh : []))
  const written = fresh.length === 0 ? [] : await insertNew(tx, fresh, news)
  const logged = new Set([...earlier, ...written])
  await keepPublished(tx, fresh.filter(isNamed), logged)
  const logIdsOf = (event: NewEvent) =>
    [(isNamed(event) && known.get(keyOf(event))?.logId) || event.id].filter((id) => logged.has(id))
  const outcomes = settled.map(
    (each, n): PublishOutcome => ('taken' in each ? each : { logIds: (requests[n] ?? []).map(logIdsOf) }),
  )
  return { outcomes, written }
}

async function insertNew(tx: Database, events: readonly NewEvent[], news: News | null): Promise<string[]> {
  const counts = countedActions(tx, events.map(publicationOf))
  return toDeliver(await insert(tx, { ...newLogValues(events), ...counts, news }))
}

const insert = cacheSql<InsertedLog>(sql`
  WITH counted AS (${COUNT_ACTIONS}) ${INSERT_LOGS},
    (SELECT ${notifying(sql.placeholder('news'))} WHERE ${sql.placeholder('news')}::text IS NOT NULL)`)

const publicationOf = ({ by, vaultId, topic, name }: NewEvent): Counted => ({
  by,
  done: {
    action: 'event_published',
    ...aboutVault(vaultId),
    changes: { topic: { to: topic }, event: { to: name } },
  },
})

/** Returns the new events of a request, and adds those with an ID to `known`. */
function settle(
  events: readonly NewEvent[],
  known: Map<string, Known>,
): { readonly fresh: readonly NewEvent[] } | { readonly taken: readonly number[] } {
  const own = new Map<string, Known>()
  const fresh: NewEvent[] = []
  const taken: number[] = []
  for (const [n, event] of events.entries()) {
    const before = isNamed(event) ? (known.get(keyOf(event)) ?? own.get(keyOf(event))) : undefined
    if (before && before.contentHash !== event.own?.contentHash) taken.push(n)
    if (before) continue
    fresh.push(event)
    if (isNamed(event)) own.set(keyOf(event), { contentHash: event.own.contentHash, logId: event.id })
  }
  if (taken.length > 0) return { taken }
  for (const [key, each] of own) known.set(key, each)
  return { fresh }
}

/** A row for an event with an ID of its own. */
const ownRow = ({ vaultId, own }: Named) => ({ vaultId, ...own })
type OwnRow = ReturnType<typeof ownRow>

const ASKED = createRowArrays<OwnRow>('asked', { vault_id: 'uuid', event_id: 'uuid' })

async function findPublished(tx: Database, events: readonly Named[]): Promise<Map<string, Known>> {
  if (events.length === 0) return new Map()
  const rows = await tx.orm.execute<{ key: string; content_hash: string; log_id: string | null }>(sql`
    SELECT vault_id || ' ' || event_id AS key, encode(content_hash, 'hex') AS content_hash, webhook_log_id AS log_id
    FROM published_events JOIN ${ASKED.of(events.map(ownRow))} USING (vault_id, event_id)`)
  return new Map(
    rows.map(({ key, content_hash, log_id }) => [key, { contentHash: content_hash, logId: log_id }]),
  )
}

const KEPT = createRowArrays<OwnRow & { readonly logId: string | null }>('new', {
  vault_id: 'uuid',
  event_id: 'uuid',
  content_hash: 'text',
  log_id: 'uuid',
})

/** Stores the IDs. Inserts them in the order of the keys, which prevents deadlocks. */
async function keepPublished(
  tx: Database,
  events: readonly Named[],
  logged: ReadonlySet<string | null>,
): Promise<void> {
  if (events.length === 0) return
  const rows = [...events]
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .map((event) => ({ ...ownRow(event), logId: logged.has(event.id) ? event.id : null }))
  const { count } = await tx.orm.execute(sql`
    INSERT INTO published_events (vault_id, event_id, content_hash, webhook_log_id)
    SELECT vault_id, event_id, decode(content_hash, 'hex'), log_id FROM ${KEPT.of(rows)}
    ON CONFLICT DO NOTHING`)
  if (count < rows.length) throw new Overtaken()
}

/** Deletes the IDs of events after the retention period for the logs of events. */
export const deleteOldPublishedEvents = (db: Database, retentionDays: number): Promise<number> =>
  deleteOldest(
    db,
    publishedEvents.createdAt,
    sql`created_at < now() - make_interval(days => ${retentionDays}::int)`,
  )
