/** URLs that accept nothing: kept by who records attempts, from the first that failed to the next that is accepted. */
import { sql } from 'drizzle-orm'
import type { Topic } from '../../domain/webhook/events.ts'
import type { FailingUrl } from '../../domain/webhook/health.ts'
import type { Database } from '../connection/database.ts'

/**
 * What fails for less than an hour is being tried again, or passes. Those that were recorded while they were taken out
 * of the settings are there, and registered no more.
 */
const TOLD = sql.raw(`webhook_failing_urls AS failing JOIN webhook_settings AS settings USING (vault_id)
    WHERE failing_since <= clock_timestamp() - interval '1 hour' AND jsonb_exists(settings.url_list -> topic, url)`)

/** Those of the vault that have failed for an hour. */
export async function listFailingUrls(db: Database, vaultId: string): Promise<FailingUrl[]> {
  const rows = await db.orm.execute<{ topic: Topic; url: string; since: number }>(sql`
    SELECT topic, url, floor(extract(epoch FROM failing_since))::float8 AS since
    FROM ${TOLD} AND vault_id = ${vaultId} ORDER BY topic, url`)
  return rows.map(({ topic, url, since }) => ({ topic, url, failingSince: new Date(since * 1_000) }))
}

/** How many those of all vaults are; the same URL of several topics is one. */
export async function countFailingUrls(db: Database): Promise<number> {
  const [row] = await db.orm.execute<{ count: number }>(sql`
    SELECT count(DISTINCT (vault_id, url))::int AS count FROM ${TOLD}`)
  return row?.count ?? 0
}

/** Which of these vaults have such URLs. */
export async function vaultsWithFailingUrls(db: Database, vaultIds: readonly string[]): Promise<Set<string>> {
  const rows = await db.orm.execute<{ vault_id: string }>(sql`
    SELECT DISTINCT vault_id FROM ${TOLD} AND vault_id = ANY(${sql.param(vaultIds)}::uuid[])`)
  return new Set(rows.map((row) => row.vault_id))
}

/** Of those that are not registered any more nothing is told. */
export async function forgetUnregisteredUrls(tx: Database, vaultId: string): Promise<void> {
  await tx.orm.execute(sql`
    DELETE FROM webhook_failing_urls AS failing USING webhook_settings AS settings
    WHERE failing.vault_id = ${vaultId} AND settings.vault_id = failing.vault_id
      AND NOT coalesce(jsonb_exists(settings.url_list -> failing.topic, failing.url), false)`)
}
