/**
 * Queries for URLs that accept no deliveries. A URL has a row from its first failure to its next success, because a
 * search of the attempts would read all of them.
 */
import { sql } from 'drizzle-orm'
import type { Topic } from '../../domain/base/topics.ts'
import { timeOf } from '../../domain/base/unix-time.ts'
import type { FailingUrl } from '../../domain/webhook/health.ts'
import type { Database } from '../connection/database.ts'

/**
 * Selects only URLs that have failed for an hour, because shorter failures are often temporary. A removed URL may still
 * have a row if an attempt was being recorded during the removal.
 */
export const REPORTED =
  sql.raw(`webhook_failing_urls AS failing JOIN webhook_settings AS settings USING (vault_id)
    WHERE failing_since <= clock_timestamp() - interval '1 hour' AND jsonb_exists(settings.url_list -> topic, url)`)

/** Returns the URLs of the vault that have failed for an hour. */
export async function listFailingUrls(db: Database, vaultId: string): Promise<FailingUrl[]> {
  const rows = await db.orm.execute<{ topic: Topic; url: string; since: number }>(sql`
    SELECT topic, url, floor(extract(epoch FROM failing_since))::float8 AS since
    FROM ${REPORTED} AND vault_id = ${vaultId} ORDER BY topic, url`)
  return rows.map(({ topic, url, since }) => ({ topic, url, failingSince: timeOf(since) }))
}

/** Counts the failing URLs of all vaults. A URL with several topics counts once. */
export async function countFailingUrls(db: Database): Promise<number> {
  const [row] = await db.orm.execute<{ count: number }>(sql`
    SELECT count(DISTINCT (vault_id, url))::int AS count FROM ${REPORTED}`)
  return row?.count ?? 0
}

/** Returns the number of failing URLs of each vault. Omits vaults that have none. */
export async function countFailingUrlsByVault(
  db: Database,
  vaultIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.orm.execute<{ vault_id: string; count: number }>(sql`
    SELECT vault_id, count(DISTINCT url)::int AS count FROM ${REPORTED}
      AND vault_id = ANY(${sql.param(vaultIds)}::uuid[]) GROUP BY 1`)
  return new Map(rows.map(({ vault_id, count }) => [vault_id, count]))
}

/** Deletes the rows of URLs that are no longer registered. */
export async function forgetUnregisteredUrls(tx: Database, vaultId: string): Promise<void> {
  await tx.orm.execute(sql`
    DELETE FROM webhook_failing_urls AS failing USING webhook_settings AS settings
    WHERE failing.vault_id = ${vaultId} AND settings.vault_id = failing.vault_id
      AND NOT coalesce(jsonb_exists(settings.url_list -> failing.topic, failing.url), false)`)
}
