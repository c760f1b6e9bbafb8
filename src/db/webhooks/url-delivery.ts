/** Queries for the deliveries to one URL, with the latest attempt of each. */
import { type SQL, sql } from 'drizzle-orm'
import type { Page } from '../../domain/base/page.ts'
import { LOG_STATUSES, type LogStatus, UNFINISHED_STATUSES } from '../../domain/webhook/events.ts'
import type { UrlDelivery, UrlWeek } from '../../domain/webhook/log.ts'
import type { WebhookUrl } from '../../domain/webhook/url.ts'
import type { Database } from '../connection/database.ts'
import { selectNewest } from './log.ts'

/** The number of newest logs that are searched, so that the query time does not grow with the number of logs. */
const MAX_LOGS = 2_000

const STATUSES = {
  all: LOG_STATUSES,
  failed: ['failed', 'partial'],
  waiting: UNFINISHED_STATUSES,
} as const satisfies Readonly<Record<string, readonly LogStatus[]>>

export type UrlDeliveryFilter = keyof typeof STATUSES

/** A delivery as selected, with times in milliseconds since 1970. */
interface Row extends Record<string, unknown> {
  readonly id: string
  readonly event: string
  readonly status: LogStatus
  readonly created: number
  readonly due: number | null
  readonly latest:
    | (Omit<NonNullable<UrlDelivery['latest']>, 'createdAt'> & { readonly createdAt: number })
    | null
}

const milliseconds = (column: SQL) => sql`floor(extract(epoch FROM ${column}) * 1000)::float8`

/** Selects the newest logs of the vault with each status. */
const newestOf = (vaultId: string, filter: UrlDeliveryFilter, from?: Date): SQL =>
  sql.join(
    STATUSES[filter].map(
      (status) => sql`SELECT id, ${status}::text AS of FROM (
        ${selectNewest(vaultId, { topic: 'all', status, from }, MAX_LOGS)}) AS newest`,
    ),
    sql` UNION ALL `,
  )

/** Joins the latest attempt to those of the deliveries that went to the URL. */
const toUrl = (url: string, logs: SQL): SQL => sql`LEFT JOIN LATERAL (
    SELECT * FROM webhook_attempts WHERE webhook_log_id = log.id AND url = ${url}
    ORDER BY round DESC, number DESC LIMIT 1
  ) AS latest ON true
  WHERE log.id = ANY(ARRAY(SELECT id FROM (${logs}) AS logs)) AND ${url}::text = ANY(log.urls_destiny)`

/** Joins the latest attempt to the newest deliveries to the URL, and selects those that match the filter. */
const matching = (vaultId: string, url: string, filter: UrlDeliveryFilter): SQL =>
  sql`${toUrl(url, newestOf(vaultId, filter))}
    AND ${filter === 'failed' ? sql`latest.error IS NOT NULL` : sql`true`}`

const WEEK_MS = 7 * 86_400_000

/** Counts the deliveries to the URL in the last seven days. */
export async function readUrlWeek(
  db: Database,
  { vaultId, url }: Pick<WebhookUrl, 'vaultId' | 'url'>,
): Promise<UrlWeek> {
  const [row] = await db.orm.execute<Record<keyof UrlWeek, unknown>>(sql`
    WITH newest AS MATERIALIZED (${newestOf(vaultId, 'all', new Date(Date.now() - WEEK_MS))}),
    found AS MATERIALIZED (
      SELECT log.id, log.status, latest.error, latest.number
      FROM webhook_logs AS log ${toUrl(url, sql`SELECT id FROM newest`)}
    ), seconds AS (
      SELECT count(*) FROM webhook_attempts
      WHERE webhook_log_id = ANY(ARRAY(SELECT id FROM found)) AND url = ${url}
      GROUP BY date_trunc('second', created_at)
    )
    SELECT count(*) FILTER (WHERE number IS NOT NULL AND error IS NULL)::int AS "delivered",
      count(*) FILTER (WHERE error IS NOT NULL AND status = ANY(${sql.param(STATUSES.failed)}::text[]))::int AS "failed",
      (SELECT coalesce(max(count), 0) FROM seconds)::int AS "highestPerSecond",
      EXISTS (SELECT FROM newest GROUP BY of HAVING count(*) >= ${MAX_LOGS}) AS "isPartial"
    FROM found`)
  return row as unknown as UrlWeek
}

/** Counts at most `most` of the deliveries that each filter lists. */
export async function countUrlDeliveries(
  db: Database,
  { vaultId, url }: Pick<WebhookUrl, 'vaultId' | 'url'>,
  most: number,
): Promise<Readonly<Record<UrlDeliveryFilter, number>>> {
  const count = (filter: UrlDeliveryFilter) =>
    sql`(SELECT count(*)::int FROM (
      SELECT FROM webhook_logs AS log ${matching(vaultId, url, filter)} LIMIT ${most}) AS found)`
  const [row] = await db.orm.execute<Record<UrlDeliveryFilter, number>>(
    sql`SELECT ${count('all')} AS all, ${count('failed')} AS failed, ${count('waiting')} AS waiting`,
  )
  return row ?? { all: 0, failed: 0, waiting: 0 }
}

/** Returns a page of the newest deliveries to the URL, newest first. */
export async function listUrlDeliveries(
  db: Database,
  { vaultId, url }: Pick<WebhookUrl, 'vaultId' | 'url'>,
  filter: UrlDeliveryFilter,
  { page, per_page }: Page,
): Promise<{ deliveries: UrlDelivery[]; hasMore: boolean }> {
  const rows = await db.orm.execute<Row>(sql`
    SELECT log.id, replace(log.status, 'waiting', 'pending') AS status, log.payload::jsonb #>> '{data,event}' AS event,
      ${milliseconds(sql`log.created_at`)} AS created, ${milliseconds(sql`log.due_at`)} AS due,
      CASE WHEN latest.number IS NOT NULL THEN json_build_object('number', latest.number,
        'statusCode', latest.status_code, 'error', latest.error, 'durationMs', latest.duration_ms,
        'createdAt', ${milliseconds(sql`latest.created_at`)}) END AS latest
    FROM webhook_logs AS log
    ${matching(vaultId, url, filter)}
    ORDER BY log.id DESC LIMIT ${per_page + 1} OFFSET ${(page - 1) * per_page}`)
  const deliveries = rows.slice(0, per_page).map(({ created, due, latest, ...row }): UrlDelivery => {
    const dueAt = due === null ? null : new Date(due)
    const attempt = latest && { ...latest, createdAt: new Date(latest.createdAt) }
    return { ...row, createdAt: new Date(created), dueAt, latest: attempt }
  })
  return { deliveries, hasMore: rows.length > per_page }
}
