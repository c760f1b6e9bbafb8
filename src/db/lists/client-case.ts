/** Queries for the lists of cases that a vault's own users see. */
import { sql } from 'drizzle-orm'
import { timeOf } from '../../domain/base/unix-time.ts'
import { type ClientFacts, clientRequest } from '../../domain/review/client-case.ts'
import { isRequest, type QueueEntry } from '../../domain/review/queue.ts'
import { unsealReview } from '../cases/identification.ts'
import { reviewContext, type SealedReview } from '../cases/kyb-application.ts'
import { undeliveredAt } from '../cases/undelivered.ts'
import type { Database } from '../connection/database.ts'
import { orNull } from '../connection/sealed.ts'

/**
 * Returns the missing requirements, the expiry of the link, the failure of the newest email and the request for changes
 * of each of the vault's cases, keyed by ID.
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
    isCompany: boolean
    review: Buffer | null
  }>(sql`
    SELECT id, due, floor(extract(epoch FROM expires_at))::float8 AS expires,
      ${undeliveredAt(sql`cases.identification_id`)} AS undelivered,
      is_company AS "isCompany", review
    FROM (
      SELECT id, identification_id, currently_due AS due, true AS is_company,
        CASE WHEN review_outcome = 'revision_requested' THEN review END AS review
      FROM kyb_applications
      WHERE vault_id = ${vaultId} AND id = ANY(${ids}::uuid[])
      UNION ALL
      SELECT id, id, '{}', false, CASE WHEN verification = 'initiated' THEN review END FROM identifications
      WHERE vault_id = ${vaultId} AND id = ANY(${ids}::uuid[])
    ) AS cases LEFT JOIN verification_links USING (identification_id)`)
  return new Map(
    rows.map(({ id, due, expires, undelivered, isCompany, review }) => [
      id,
      {
        due,
        linkExpiresAt: timeOf(expires),
        undeliveredAt: timeOf(undelivered),
        request: review && readRequest(db, id, isCompany, review),
      },
    ]),
  )
}

/** Returns the request in an encrypted decision, or null if it contains none or is damaged. */
function readRequest(db: Database, id: string, isCompany: boolean, review: Buffer) {
  if (isCompany) {
    const asked = orNull(() => db.encryption.unsealJson<SealedReview>(review, reviewContext(id)))
    return asked && clientRequest(asked)
  }
  const asked = unsealReview(db, id, review)
  return asked && isRequest(asked.outcome) ? clientRequest(asked) : null
}
