/** Queries for the lists of cases that a vault's own users see. */
import { sql } from 'drizzle-orm'
import type { ClientFacts } from '../../domain/review/client-case.ts'
import type { QueueEntry } from '../../domain/review/queue.ts'
import type { Database } from '../connection/database.ts'

/** Returns the missing requirements, the expiry of the link and the end of the newest email of each of the vault's cases, keyed by ID. */
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
    is_undelivered: boolean | null
  }>(sql`
    SELECT id, due, floor(extract(epoch FROM expires_at))::float8 AS expires, (
      SELECT status IN ('refused', 'failed') FROM emails
      WHERE emails.identification_id = cases.identification_id AND beneficiary_id IS NULL
      ORDER BY emails.id DESC LIMIT 1
    ) AS is_undelivered FROM (
      SELECT id, identification_id, currently_due AS due FROM kyb_applications
      WHERE vault_id = ${vaultId} AND id = ANY(${ids}::uuid[])
      UNION ALL
      SELECT id, id, '{}' FROM identifications WHERE vault_id = ${vaultId} AND id = ANY(${ids}::uuid[])
    ) AS cases LEFT JOIN verification_links USING (identification_id)`)
  return new Map(
    rows.map(({ id, due, expires, is_undelivered }) => [
      id,
      {
        due,
        linkExpiresAt: expires === null ? null : new Date(expires * 1_000),
        isUndelivered: is_undelivered ?? false,
      },
    ]),
  )
}
