/** Queries for the deliveries to one URL, with the latest attempt of each. */
import { type SQL, sql } from 'drizzle-orm'
import { validate as isUuid } from 'uuid'
import type { Page, Period } from '../../domain/base/page.ts'
import {
  FINAL_STATUSES,
  LOG_STATUSES,
  type LogStatus,
  UNFINISHED_STATUSES,
} from '../../domain/webhook/events.ts'
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

export interface UrlDeliveryFilter extends Period {
  readonly show: keyof typeof STATUSES
  readonly event?: string | undefined
}

/** A delivery as selected, with times in milliseconds since 1970. */
interface Row extends Record<string, unknown> {
  readonly id: string
  readonly event: string
  readonly kyb: string | null
  readonly identification: string | null
  readonly status: LogStatus
  readonly created: number
  readonly due: number | null
  readonly latest:
    | (Omit<NonNullable<UrlDelivery['latest']>, 'createdAt'> & { readonly createdAt: number })
    | null
}

const milliseconds = (column: SQL) => sql`floor(extract(epoch FROM ${column}) * 1000)::float8`

/** Selects the newest logs of the vault with each status. */
const newestOf = (vaultId: string, { show, from, before }: UrlDeliveryFilter): SQL =>
  sql.join(
    STATUSES[show].map(
      (status) => sql`SELECT id, ${status}::text AS of FROM (
        ${selectNewest(vaultId, { topic: 'all', status, from, before }, MAX_LOGS)}) AS newest`,
    ),
    sql` UNION ALL `,
  )

/** Joins the latest attempt to those of the deliveries that went to the URL. */
const toUrl = (url: string, logs: SQL): SQL => sql`LEFT JOIN LATERAL (
    SELECT * FROM webhook_attempts WHERE webhook_log_id = log.id AND url = ${url}
    ORDER BY round DESC, number DESC LIMIT 1
  ) AS latest ON true
  WHERE log.id = ANY(ARRAY(SELECT id FROM (${logs}) AS logs)) AND ${url}::text = ANY(log.urls_destiny)`

/** The name and the attributes of the event of a log. */
const BODY = sql`coalesce(log.payload::jsonb -> 'data', log.payload::jsonb -> 'error')`

/** True for a delivery whose latest attempt at the URL failed and that Gatehouse will not attempt again. */
const isFailed = sql`error IS NOT NULL AND status = ANY(${sql.param(STATUSES.failed)}::text[])`

const ofEvent = (event: string | undefined): SQL =>
  event === undefined ? sql`` : sql`AND ${BODY} ->> 'event' = ${event}`

/** True for a query that may omit older logs. */
const isPartial = sql`EXISTS (SELECT FROM newest GROUP BY of HAVING count(*) >= ${MAX_LOGS})`

const WEEK_MS = 7 * 86_400_000

/** Counts the deliveries to the URL in the last seven days. */
export async function readUrlWeek(
  db: Database,
  { vaultId, url }: Pick<WebhookUrl, 'vaultId' | 'url'>,
): Promise<UrlWeek> {
  const [row] = await db.orm.execute<Record<keyof UrlWeek, unknown>>(sql`
    WITH newest AS MATERIALIZED (${newestOf(vaultId, { show: 'all', from: new Date(Date.now() - WEEK_MS) })}),
    found AS MATERIALIZED (
      SELECT log.id, log.status, latest.error, latest.number
      FROM webhook_logs AS log ${toUrl(url, sql`SELECT id FROM newest`)}
    ), seconds AS (
      SELECT count(*) FROM webhook_attempts
      WHERE webhook_log_id = ANY(ARRAY(SELECT id FROM found)) AND url = ${url}
      GROUP BY date_trunc('second', created_at)
    )
    SELECT count(*) FILTER (WHERE number IS NOT NULL AND error IS NULL)::int AS "delivered",
      count(*) FILTER (WHERE ${isFailed})::int AS "failed",
      (SELECT coalesce(max(count), 0) FROM seconds)::int AS "highestPerSecond",
      ${isPartial} AS "isPartial"
    FROM found`)
  return row as unknown as UrlWeek
}

interface UrlCounts extends Readonly<Record<UrlDeliveryFilter['show'], number>> {
  /** Whether the vault had more deliveries than Gatehouse reads, so that older ones are neither counted nor listed. */
  readonly isPartial: boolean
}

/** Counts the deliveries that each value of `show` lists. */
export async function countUrlDeliveries(
  db: Database,
  { vaultId, url }: Pick<WebhookUrl, 'vaultId' | 'url'>,
  filter: UrlDeliveryFilter,
): Promise<UrlCounts> {
  const [row] = await db.orm.execute<Record<keyof UrlCounts, unknown>>(sql`
    WITH newest AS MATERIALIZED (${newestOf(vaultId, { ...filter, show: 'all' })})
    SELECT count(*)::int AS all, count(*) FILTER (WHERE ${isFailed})::int AS failed,
      count(*) FILTER (WHERE log.status <> ALL(${sql.param(FINAL_STATUSES)}::text[]))::int AS waiting,
      ${isPartial} AS "isPartial"
    FROM webhook_logs AS log ${toUrl(url, sql`SELECT id FROM newest`)} ${ofEvent(filter.event)}`)
  return row as unknown as UrlCounts
}

/** Returns a page of the newest deliveries to the URL, newest first. */
export async function listUrlDeliveries(
  db: Database,
  { vaultId, url }: Pick<WebhookUrl, 'vaultId' | 'url'>,
  filter: UrlDeliveryFilter,
  { page, per_page }: Page,
): Promise<{ deliveries: UrlDelivery[]; hasMore: boolean }> {
  const rows = await db.orm.execute<Row>(sql`
    SELECT log.id, replace(log.status, 'waiting', 'pending') AS status, ${BODY} ->> 'event' AS event,
      ${BODY} #>> '{attributes,kyb_uuid}' AS kyb, ${BODY} #>> '{attributes,identification_uuid}' AS identification,
      ${milliseconds(sql`log.created_at`)} AS created, ${milliseconds(sql`log.due_at`)} AS due,
      CASE WHEN latest.number IS NOT NULL THEN json_build_object('number', latest.number,
        'statusCode', latest.status_code, 'error', latest.error, 'durationMs', latest.duration_ms,
        'createdAt', ${milliseconds(sql`latest.created_at`)}) END AS latest
    FROM webhook_logs AS log
    ${toUrl(url, newestOf(vaultId, filter))} ${ofEvent(filter.event)} ${filter.show === 'failed' ? sql`AND ${isFailed}` : sql``}
    ORDER BY log.id DESC LIMIT ${per_page + 1} OFFSET ${(page - 1) * per_page}`)
  const deliveries = rows
    .slice(0, per_page)
    .map(({ created, due, latest, kyb, identification, ...row }): UrlDelivery => {
      const dueAt = due === null ? null : new Date(due)
      const attempt = latest && { ...latest, createdAt: new Date(latest.createdAt) }
      const caseId = [kyb, identification].find((id) => id !== null && isUuid(id)) ?? null
      return { ...row, createdAt: new Date(created), dueAt, caseId, latest: attempt }
    })
  return { deliveries, hasMore: rows.length > per_page }
}
