/**
 * Leases under which worker processes attempt webhook logs, by PostgreSQL's clock alone: what a lease holds is
 * left to its process until it is over.
 */
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../connection/database.ts'

/** Longer than its process relies on it, by as much as a statement of another one can take. */
export const LEASE_SECONDS = 12
/** After an outage of PostgreSQL everybody's lease is over: first all record what they hold, then others take over. */
const SETTLED_SECONDS = 10
/** Of processes that died. */
const KEPT_HOURS = 1

export async function renewLeases(db: Database, ids: readonly string[]): Promise<void> {
  await db.orm.execute(sql`
    INSERT INTO webhook_leases (id, held_since, expires_at)
    SELECT id, clock_timestamp(), clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    FROM unnest(${sql.param(ids)}::uuid[]) AS asked (id)
    ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at,
      held_since = CASE WHEN webhook_leases.expires_at > clock_timestamp() THEN webhook_leases.held_since ELSE excluded.held_since END`)
}

export async function endLeases(db: Database, ids: readonly string[]): Promise<void> {
  await db.orm.execute(sql`DELETE FROM webhook_leases WHERE id = ANY(${sql.param(ids)}::uuid[])`)
}

export async function deleteOldLeases(db: Database): Promise<number> {
  const deleted = await db.orm.execute(sql`
    DELETE FROM webhook_leases WHERE expires_at < clock_timestamp() - make_interval(hours => ${KEPT_HOURS}) RETURNING id`)
  return deleted.length
}

/** Whether `leaseId` may have what `holder` (an expression) holds: its own, nobody's, or what a lease that is over left. */
export const isFreeFor = (leaseId: string, holder: SQL): SQL => sql`(
  ${holder} IS NULL OR ${holder} = ${leaseId}::uuid OR (
    NOT EXISTS (SELECT FROM webhook_leases WHERE id = ${holder} AND expires_at > clock_timestamp())
    AND EXISTS (SELECT FROM webhook_leases WHERE id = ${leaseId}::uuid AND expires_at > clock_timestamp()
      AND held_since < clock_timestamp() - make_interval(secs => ${SETTLED_SECONDS}))))`
