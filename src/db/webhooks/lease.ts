/**
 * Queries for the leases under which worker processes attempt webhook logs. Only PostgreSQL's clock determines whether
 * a lease is active. Until a lease expires, only its process may attempt its logs.
 */
import { type SQL, sql } from 'drizzle-orm'
import { comesWithin } from '../connection/clock.ts'
import type { Database } from '../connection/database.ts'

/** Exceeds the time for which a process relies on its lease by the maximum duration of another process's statement. */
export const LEASE_SECONDS = 12
/**
 * All leases expire during a PostgreSQL outage. A process may therefore take over logs only after it has held its lease
 * for this time. Until then, each process can record its results.
 */
const SETTLED_SECONDS = 10
/** The time after which the leases of dead processes are deleted. */
const KEPT_HOURS = 1

/** Matches active leases, none of which lasts for more than a minute. */
const IS_ACTIVE = comesWithin(sql`webhook_leases.expires_at`, 60)

export async function renewLeases(db: Database, ids: readonly string[]): Promise<void> {
  await db.orm.execute(sql`
    INSERT INTO webhook_leases (id, held_since, expires_at)
    SELECT id, clock_timestamp(), clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    FROM unnest(${sql.param(ids)}::uuid[]) AS renewed (id)
    ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at,
      held_since = CASE
        WHEN ${IS_ACTIVE} THEN least(webhook_leases.held_since, excluded.held_since) ELSE excluded.held_since END`)
}

export async function deleteLeases(db: Database, ids: readonly string[]): Promise<void> {
  await db.orm.execute(sql`DELETE FROM webhook_leases WHERE id = ANY(${sql.param(ids)}::uuid[])`)
}

export async function deleteOldLeases(db: Database): Promise<number> {
  const deleted = await db.orm.execute(sql`
    DELETE FROM webhook_leases WHERE expires_at < clock_timestamp() - make_interval(hours => ${KEPT_HOURS}) RETURNING id`)
  return deleted.length
}

/**
 * Returns the condition for logs that the lease may claim. These are its own logs, free logs, and logs of expired
 * leases. `holder` is the column that contains the log's lease.
 */
export const isFreeFor = (leaseId: string, holder: SQL): SQL => sql`(
  ${holder} IS NULL OR ${holder} = ${leaseId}::uuid OR (
    NOT EXISTS (SELECT FROM webhook_leases WHERE id = ${holder} AND ${IS_ACTIVE})
    AND EXISTS (SELECT FROM webhook_leases WHERE id = ${leaseId}::uuid AND ${IS_ACTIVE}
      AND held_since < clock_timestamp() - make_interval(secs => ${SETTLED_SECONDS}))))`
