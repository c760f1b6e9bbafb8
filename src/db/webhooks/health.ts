/** Queries for the health of a vault's webhooks by topic and URL. */
import { sql } from 'drizzle-orm'
import { timeOf } from '../../domain/base/unix-time.ts'
import { LOG_STATUSES, UNFINISHED_STATUSES } from '../../domain/webhook/events.ts'
import type { WebhookHealth } from '../../domain/webhook/health.ts'
import type { Database } from '../connection/database.ts'
import { webhookUrlId } from './url.ts'

/** The number of logs that are read per topic, so that the query time does not grow with the number of logs. */
const MAX_LOGS = 500

type Time = 'failingSince' | 'oldestPendingAt'

/** The health of a URL as selected, with times in Unix seconds. */
type Row = Omit<WebhookHealth, 'id' | Time> & Readonly<Record<Time, number | null>>

/** Selects the newest or oldest IDs. The index returns them in order for each status. */
const someLogs = (vaultId: string, statuses: readonly string[], order: 'ASC' | 'DESC') => {
  const by = sql.raw(order === 'ASC' ? 'ORDER BY id ASC NULLS LAST' : 'ORDER BY id DESC NULLS FIRST')
  const each = statuses.map(
    (status) => sql`(SELECT id FROM webhook_logs
      WHERE vault_id = ${vaultId} AND topic = registered.topic AND status = ${status} ${by} LIMIT ${MAX_LOGS})`,
  )
  return sql`SELECT id FROM (${sql.join(each, sql` UNION ALL `)}) AS logs ${by} LIMIT ${MAX_LOGS}`
}

/**
 * Returns the health of each registered URL. `OFFSET 0` separates the lookups. Otherwise, the planner overestimates the
 * number of topics and reads whole tables.
 */
export async function readWebhookHealth(db: Database, vaultId: string): Promise<WebhookHealth[]> {
  const rows = await db.orm.execute<Row & Record<string, unknown>>(sql`
    WITH registered AS MATERIALIZED (
      SELECT each.topic, url FROM webhook_settings
      CROSS JOIN LATERAL jsonb_each(url_list) AS each (topic, urls)
      CROSS JOIN LATERAL jsonb_array_elements_text(urls) AS url
      WHERE vault_id = ${vaultId}
    ), attempts AS MATERIALIZED (
      SELECT topic, attempt.url, attempt.created_at AS at, attempt.error IS NULL AS accepted
      FROM (SELECT DISTINCT topic FROM registered) AS registered
      CROSS JOIN LATERAL (${someLogs(vaultId, LOG_STATUSES, 'DESC')}) AS log
      CROSS JOIN LATERAL (
        SELECT url, created_at, error FROM webhook_attempts WHERE webhook_log_id = log.id OFFSET 0
      ) AS attempt
    ), pending AS MATERIALIZED (
      SELECT registered.topic, url, min(log.created_at) AS at
      FROM (SELECT DISTINCT topic FROM registered) AS registered
      CROSS JOIN LATERAL (${someLogs(vaultId, UNFINISHED_STATUSES, 'ASC')}) AS oldest
      CROSS JOIN LATERAL (
        SELECT id, round, urls_destiny, created_at FROM webhook_logs WHERE id = oldest.id OFFSET 0
      ) AS log
      CROSS JOIN LATERAL unnest(log.urls_destiny) AS url (url)
      WHERE NOT EXISTS (
        SELECT FROM webhook_attempts AS attempt
        WHERE attempt.webhook_log_id = log.id AND attempt.round = log.round
          AND attempt.url = url.url AND attempt.error IS NULL OFFSET 0)
      GROUP BY registered.topic, url
    )
    SELECT registered.topic, registered.url,
      count(attempts.at) FILTER (WHERE attempts.at > now() - interval '1 day')::int AS attempts,
      count(*) FILTER (WHERE attempts.accepted AND attempts.at > now() - interval '1 day')::int AS accepted,
      floor(extract(epoch FROM min(failing.failing_since)))::float8 AS "failingSince",
      floor(extract(epoch FROM min(pending.at)))::float8 AS "oldestPendingAt"
    FROM registered
    LEFT JOIN attempts USING (topic, url)
    LEFT JOIN pending USING (topic, url)
    LEFT JOIN webhook_failing_urls AS failing
      ON failing.vault_id = ${vaultId} AND (failing.topic, failing.url) = (registered.topic, registered.url)
    GROUP BY registered.topic, registered.url
    ORDER BY registered.topic, registered.url`)
  return rows.map(({ failingSince, oldestPendingAt, ...row }) => ({
    ...row,
    id: webhookUrlId(vaultId, row.url),
    failingSince: timeOf(failingSince),
    oldestPendingAt: timeOf(oldestPendingAt),
  }))
}
