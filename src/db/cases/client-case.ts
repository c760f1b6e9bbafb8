/** Queries for the lists of cases that a vault's own users see. */
import { sql } from 'drizzle-orm'
import type { ClientFacts } from '../../domain/review/client-case.ts'
import type { QueueEntry } from '../../domain/review/queue.ts'
import type { Database } from '../connection/database.ts'
import { undeliveredAt } from './undelivered.ts'

const dateOf = (seconds: number | null): Date | null => (seconds === null ? null : new Date(seconds * 1_000))

/**
 * Returns the missing requirements, the expiry of the link and the failure of the newest email of each of the vault's
 * cases, keyed by ID.
 */
export async function readClientFacts(
  db: Database,
  vaultId: string,
  entries: readonly Pick<QueueEntry, 'id'>[],
): Promise<ReadonlyMap<string, ClientFacts>> {
  if (entries.length === 0) return new Map()
  const ids = sql.param(entries.map(({ id }) => id))
  const rows = await db.orm.execute<{
    id: string
    due: string[]
    expires: number | null
    undelivered: number | null
  }>(sql`
    SELECT id, due, floor(extract(epoch FROM expires_at))::float8 AS expires,
      ${undeliveredAt(sql`cases.identification_id`)} AS undelivered
    FROM (
      SELECT id, identification_id, currently_due AS due FROM kyb_applications
      WHERE vault_id = ${vaultId} AND id = ANY(${ids}::uuid[])
      UNION ALL
      SELECT id, id, '{}' FROM identifications WHERE vault_id = ${vaultId} AND id = ANY(${ids}::uuid[])
    ) AS cases LEFT JOIN verification_links USING (identification_id)`)
  return new Map(
    rows.map(({ id, due, expires, undelivered }) => [
      id,
      { due, linkExpiresAt: dateOf(expires), undeliveredAt: dateOf(undelivered) },
    ]),
  )
}
