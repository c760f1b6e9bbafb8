/** What waits for somebody: applications and identifications together, the longest waiting first. */
import { type SQL, sql } from 'drizzle-orm'
import type { Entity } from '../domain/entity.ts'
import type { IdentificationParty } from '../domain/identification.ts'
import type { Page } from '../domain/page.ts'
import { ASSIGNMENT, assignedTo, UNASSIGNED } from './assignment.ts'
import type { Database } from './database.ts'
import { withTitles } from './title.ts'

export interface QueueEntry extends Record<string, unknown> {
  readonly kind: Entity
  readonly id: string
  readonly vault_id: string
  readonly status: string
  readonly waiting_on: IdentificationParty
  /** Unix seconds. */
  readonly waiting_since: number
  readonly assigned_to: string | null
  readonly assigned_until: number | null
}

/** The columns of an entry, of either table. */
export const ENTRY = sql`id, vault_id, status, waiting_on,
  floor(extract(epoch FROM waiting_since))::int AS waiting_since, ${ASSIGNMENT}`

interface QueueFilter {
  readonly kind?: Entity | undefined
  readonly waitingOn: string
  readonly vaultId?: string | undefined
  readonly status?: string | undefined
  /** In seconds. */
  readonly waitingLongerThan?: number | undefined
  /** To an actor, or to nobody. */
  readonly assigned?: { readonly to: string | null } | undefined
}

/** What an entry of either table must match. */
function conditionsOf({ waitingOn, vaultId, status, waitingLongerThan, assigned }: QueueFilter): SQL {
  const conditions = [sql`waiting_on = ${waitingOn}`]
  if (vaultId !== undefined) conditions.push(sql`vault_id = ${vaultId}`)
  if (status !== undefined) conditions.push(sql`status = ${status}`)
  if (waitingLongerThan !== undefined)
    conditions.push(sql`waiting_since < now() - ${waitingLongerThan} * interval '1 second'`)
  if (assigned) conditions.push(assigned.to === null ? UNASSIGNED : assignedTo(assigned.to))
  return sql.join(conditions, sql` AND `)
}

export async function listQueue(db: Database, { page, per_page }: Page, filter: QueueFilter) {
  const matching = conditionsOf(filter)
  // The conditions beside them are those of the partial indexes. Each table gives its longest waiting first.
  const tables = [
    { kind: 'kyb', from: sql`FROM kyb_applications WHERE ${matching} AND status = 'open'` },
    { kind: 'identification', from: sql`FROM identifications WHERE ${matching} AND waiting_on <> 'nobody'` },
  ].filter(({ kind }) => filter.kind === undefined || filter.kind === kind)
  const offset = (page - 1) * per_page
  const longest = tables.map(
    ({ kind, from }) => sql`(SELECT ${kind} AS kind, ${ENTRY}, waiting_since AS since ${from}
      ORDER BY since, id LIMIT ${offset + per_page})`,
  )
  const rows = await db.orm.execute<QueueEntry>(sql`
    SELECT kind, id, vault_id, status, waiting_on, waiting_since, assigned_to, assigned_until
    FROM (${sql.join(longest, sql` UNION ALL `)}) AS waiting
    ORDER BY since, id LIMIT ${per_page} OFFSET ${offset}`)
  const counts = tables.map(({ from }) => sql`(SELECT count(*) ${from})`)
  const [total] = await db.orm.execute<{ count: number }>(
    sql`SELECT (${sql.join(counts, sql` + `)})::int AS count`,
  )
  return { entries: await withTitles(db, rows), totalCount: total?.count ?? 0 }
}
