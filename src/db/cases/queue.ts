/** Queries for the queue of applications and identifications, longest waiting first. */
import { type SQL, sql } from 'drizzle-orm'
import { HITS_OF_COMPANIES, HITS_OF_PERSONS } from '../../../drizzle/schema.ts'
import type { DetailedEntry, QueueEntry, QueueFilter } from '../../domain/decision/queue.ts'
import type { Entity } from '../../domain/entity.ts'
import type { IdentificationParty } from '../../domain/identification/identification.ts'
import type { Page } from '../../domain/page.ts'
import type { Database } from '../connection/database.ts'
import { ASSIGNMENT, assignedTo, UNASSIGNED } from './assignment.ts'
import { addDetails } from './queue-details.ts'

interface Row extends Record<string, unknown> {
  readonly kind: Entity
  readonly id: string
  readonly vault_id: string
  readonly status: string
  readonly version: number
  readonly waiting_on: IdentificationParty
  /** Unix seconds. */
  readonly waiting_since: number
  readonly open_hits: number
  readonly confirmed_hits: number
  readonly pending: QueueEntry['pending']
  readonly assigned_to: string | null
  readonly assigned_until: number | null
}

const inSeconds = (seconds: number): Date => new Date(seconds * 1_000)

const entryOf = (row: Row): QueueEntry => ({
  kind: row.kind,
  id: row.id,
  vaultId: row.vault_id,
  status: row.status,
  version: row.version,
  waitingOn: row.waiting_on,
  waitingSince: inSeconds(row.waiting_since),
  openHits: row.open_hits,
  confirmedHits: row.confirmed_hits,
  pending: row.pending && { kind: row.pending.kind, by: row.pending.by },
  assignedTo: row.assigned_to,
  assignedUntil: row.assigned_until === null ? null : inSeconds(row.assigned_until),
})

/** Returns the entries of a query that selects `kind` and `ENTRY`. */
export const readEntries = async ({ orm }: Database, query: SQL): Promise<QueueEntry[]> =>
  (await orm.execute<Row>(query)).map(entryOf)

/** The columns of an entry, which both tables have. */
export const ENTRY = sql`id, vault_id, status, version, waiting_on,
  floor(extract(epoch FROM waiting_since))::int AS waiting_since, open_hits, confirmed_hits,
  pending, ${ASSIGNMENT}`

/** Returns the conditions of a filter, which apply to both tables. */
function conditionsOf({
  waitingOn,
  vaultId,
  status,
  waitingLongerThan,
  assigned,
  notDecidedBy,
  hits,
}: QueueFilter): SQL {
  const conditions = hits ? [sql`true`] : [sql`waiting_on = ${waitingOn}`]
  if (vaultId !== undefined) conditions.push(sql`vault_id = ${vaultId}`)
  if (status !== undefined) conditions.push(sql`status = ${status}`)
  if (waitingLongerThan !== undefined)
    conditions.push(sql`waiting_since < now() - ${waitingLongerThan} * interval '1 second'`)
  if (assigned) conditions.push(assigned.to === null ? UNASSIGNED : assignedTo(assigned.to))
  if (notDecidedBy !== undefined) conditions.push(sql`(pending IS NULL OR pending->>'by' <> ${notDecidedBy})`)
  return sql.join(conditions, sql` AND `)
}

/** Repeats the conditions of the partial indexes, so that PostgreSQL can use them. */
function tablesOf(filter: QueueFilter): { readonly kind: Entity; readonly from: SQL }[] {
  const matching = conditionsOf(filter)
  const tables = [
    {
      kind: 'kyb',
      from: sql`FROM kyb_applications WHERE ${matching} AND ${filter.hits ? HITS_OF_COMPANIES : sql`status = 'open'`}`,
    },
    {
      kind: 'identification',
      from: sql`FROM identifications WHERE ${matching} AND ${filter.hits ? HITS_OF_PERSONS : sql`waiting_on <> 'nobody'`}`,
    },
  ] as const
  return tables.filter(({ kind }) => filter.kind === undefined || filter.kind === kind)
}

/** Returns entries without encrypted data, longest waiting first. */
export async function readQueue(
  db: Database,
  { limit, offset = 0 }: { limit: number; offset?: number },
  filter: QueueFilter,
): Promise<QueueEntry[]> {
  const longest = tablesOf(filter).map(
    ({ kind, from }) => sql`(SELECT ${kind} AS kind, ${ENTRY}, waiting_since AS since ${from}
      ORDER BY since, id LIMIT ${offset + limit})`,
  )
  return readEntries(
    db,
    sql`
    SELECT kind, id, vault_id, status, version, waiting_on, waiting_since, open_hits, confirmed_hits, pending,
      assigned_to, assigned_until
    FROM (${sql.join(longest, sql` UNION ALL `)}) AS waiting
    ORDER BY since, id LIMIT ${limit} OFFSET ${offset}`,
  )
}

/** Returns the number of entries, counting at most `most` of each kind. */
export async function countQueue(db: Database, filter: QueueFilter, most?: number): Promise<number> {
  const upTo = most === undefined ? sql`` : sql` LIMIT ${most}`
  const counts = tablesOf(filter).map(
    ({ from }) => sql`(SELECT count(*) FROM (SELECT 1 ${from}${upTo}) AS counted)`,
  )
  const [total] = await db.orm.execute<{ count: number }>(
    sql`SELECT (${sql.join(counts, sql` + `)})::int AS count`,
  )
  return total?.count ?? 0
}

export async function listQueue(
  db: Database,
  { page, per_page }: Page,
  filter: QueueFilter,
): Promise<{ entries: DetailedEntry[]; totalCount: number }> {
  const rows = await readQueue(db, { limit: per_page, offset: (page - 1) * per_page }, filter)
  return { entries: await addDetails(db, rows), totalCount: await countQueue(db, filter) }
}

/** Returns the operators to whom cases are assigned at present, at most 100. */
export async function readAssignees(db: Database): Promise<string[]> {
  const from = (table: string) =>
    sql`(SELECT DISTINCT assigned_to FROM ${sql.identifier(table)}
      WHERE assigned_to IS NOT NULL AND assigned_until > now())`
  const rows = await db.orm.execute<{ assigned_to: string }>(
    sql`${from('kyb_applications')} UNION ${from('identifications')} ORDER BY assigned_to LIMIT 100`,
  )
  return rows.map((row) => row.assigned_to)
}
