/** What waits for somebody: applications and identifications together, the longest waiting first. */
import { sql } from 'drizzle-orm'
import type { Entity } from '../domain/entity.ts'
import type { IdentificationParty } from '../domain/identification.ts'
import type { Page } from '../domain/page.ts'
import type { Database } from './database.ts'

export interface QueueEntry extends Record<string, unknown> {
  readonly kind: Entity
  readonly id: string
  readonly vault_id: string
  readonly status: string
  readonly waiting_on: IdentificationParty
  /** Unix seconds. */
  readonly waiting_since: number
}

export async function listQueue(
  db: Database,
  { page, per_page }: Page,
  { kind, waitingOn }: { kind?: Entity | undefined; waitingOn: string },
): Promise<{ entries: QueueEntry[]; totalCount: number }> {
  const columns = sql`id, vault_id, status, waiting_on, waiting_since`
  // The conditions beside waiting_on are those of the partial indexes.
  const sources = {
    kyb: sql`SELECT 'kyb' AS kind, ${columns} FROM kyb_applications
      WHERE waiting_on = ${waitingOn} AND status = 'open'`,
    identification: sql`SELECT 'identification' AS kind, ${columns} FROM identifications
      WHERE waiting_on = ${waitingOn} AND waiting_on <> 'nobody'`,
  }
  const waiting = kind ? sources[kind] : sql`${sources.kyb} UNION ALL ${sources.identification}`
  const entries = await db.orm.execute<QueueEntry>(sql`
    SELECT kind, id, vault_id, status, waiting_on, floor(extract(epoch FROM waiting_since))::int AS waiting_since
    FROM (${waiting}) AS waiting
    ORDER BY waiting.waiting_since, id
    LIMIT ${per_page} OFFSET ${(page - 1) * per_page}`)
  const rows = await db.orm.execute<{ count: number }>(
    sql`SELECT count(*)::int AS count FROM (${waiting}) AS waiting`,
  )
  return { entries, totalCount: rows[0]?.count ?? 0 }
}
