/**
 * Queries for reports. The indexes contain all columns that the queries read. Daily totals are not stored, because
 * states change later, and a monthly median cannot be derived from daily ones.
 */
import { type SQL, sql } from 'drizzle-orm'
import { APPLIED } from '../../../drizzle/schema.ts'
import type { VaultScope } from '../../domain/access/grant.ts'
import { unixSeconds } from '../../domain/base/unix-time.ts'
import { REASON_CODES, type ReasonCode } from '../../domain/decision/decision.ts'
import { ENTITY_KINDS, type Entity } from '../../domain/entity/entity.ts'
import {
  AGES,
  APPLICATION_STATES,
  type Count,
  DECISION_OUTCOMES,
  DELIVERY_STATES,
  deliveryState,
  type FigureFilter,
  type Figures,
  OUTCOME_OF_ACTION,
  spanOf,
  type Times,
  tabulate,
} from '../../domain/review/figures.ts'
import type { StoredStatus } from '../../domain/webhook/events.ts'
import type { Database } from '../connection/database.ts'
import { inScope } from '../connection/in-scope.ts'

const ofScope = (scope: VaultScope): SQL =>
  scope === 'all' ? sql`` : sql` AND ${inScope(sql`vault_id`, scope)}`

const unionOf = (kind: Entity | undefined, queries: Readonly<Record<Entity, SQL>>): SQL =>
  kind ? queries[kind] : sql.join([queries.kyb, queries.identification], sql` UNION ALL `)

/** Returns the number of the day or week that contains a time, counted from 0. */
const stepOf = (moment: SQL, { from, stepDays }: { from: Date; stepDays: number }): SQL =>
  sql`floor(extract(epoch FROM ${moment} - ${from.toISOString()}::timestamptz)::float8 / ${stepDays * 86_400}::int)::int`

/** Returns one row for each day or week. */
const byDay = <S extends string>(
  days: readonly string[],
  states: readonly S[],
  counts: readonly Count<number, S>[],
) =>
  tabulate([...days.keys()], states, counts).map((counted, step) => ({ day: days[step] ?? '', ...counted }))

type ApplicationState = (typeof APPLICATION_STATES)[number]

async function applications(db: Database, { period, scope, kind }: FigureFilter, now: Date) {
  const span = spanOf(period, now)
  const since = sql`created_at >= ${span.from.toISOString()}::timestamptz${ofScope(scope)}`
  const waits = sql`CASE WHEN waiting_on IN ('operator', 'provider') THEN 'in_review' ELSE 'waiting' END`
  const counts = await db.orm.execute<Count<number, ApplicationState> & Record<string, unknown>>(sql`
    SELECT row, state, count(*)::int AS count FROM (${unionOf(kind, {
      kyb: sql`SELECT ${stepOf(sql`created_at`, span)} AS row, CASE status WHEN 'open' THEN ${waits}
        WHEN 'abandoned' THEN 'closed' ELSE review_outcome END AS state
        FROM kyb_applications WHERE ${since}`,
      identification: sql`SELECT ${stepOf(sql`created_at`, span)} AS row,
        CASE WHEN verification IN ('approved', 'rejected', 'closed') THEN verification ELSE ${waits} END AS state
        FROM identifications WHERE ${since} AND ${APPLIED}`,
    })}) AS applied GROUP BY 1, 2`)
  return {
    as_of: unixSeconds(now),
    period_days: period,
    step_days: span.stepDays,
    rows: byDay(span.days, APPLICATION_STATES, counts),
  }
}

/** Measures the time from the creation of a case to its approval or rejection. */
async function decisionTimes(db: Database, { period, scope, kind }: FigureFilter, now: Date) {
  const span = spanOf(period, now)
  const took = (entity: Entity, came: SQL) => sql`
    SELECT ${stepOf(sql`timeline.created_at`, span)} AS step,
      extract(epoch FROM timeline.created_at - came.created_at)::float8 AS seconds
    FROM timeline JOIN (${came}) AS came ON came.id = entity_id
    WHERE timeline.created_at >= ${span.from.toISOString()}::timestamptz${ofScope(scope)}
      AND (reason_code IS NOT NULL OR action = 'check_finished') AND entity = ${entity}
      AND action IN ('approve', 'approve_incomplete', 'reject', 'check_finished')
      AND "to" IN ('processed', 'approved', 'rejected')`
  const rows = await db.orm.execute<{ step: number | null; decisions: number; times: number[] | null }>(sql`
    SELECT step, count(*)::int AS decisions,
      to_json(percentile_cont(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY seconds)) AS times
    FROM (${unionOf(kind, {
      kyb: took('kyb', sql`SELECT id, created_at FROM kyb_applications WHERE true${ofScope(scope)}`),
      identification: took(
        'identification',
        sql`SELECT id, created_at FROM identifications WHERE ${APPLIED}${ofScope(scope)}`,
      ),
    })}) AS took GROUP BY GROUPING SETS ((step), ())`)
  const timesOf = (of: number | null): Times => {
    const { decisions = 0, times } = rows.find(({ step }) => step === of) ?? {}
    const [median, p90] = (times ?? []).map(Math.round)
    return { decisions, median_seconds: median ?? null, p90_seconds: p90 ?? null }
  }
  return {
    as_of: unixSeconds(now),
    period_days: period,
    step_days: span.stepDays,
    overall: timesOf(null),
    rows: span.days.map((day, step) => ({ day, ...timesOf(step) })),
  }
}

/** Counts the cases that await review, as the queue shows them. */
async function queueAges(db: Database, { scope, kind }: FigureFilter, now: Date) {
  const waiting = sql`waiting_on = 'operator'${ofScope(scope)}`
  const age = sql`extract(epoch FROM ${now.toISOString()}::timestamptz - waiting_since)::float8`
  const counts = await db.orm.execute<
    Count<number, Entity> & { longest: number } & Record<string, unknown>
  >(sql`
    SELECT greatest(width_bucket(age, ${sql.param(AGES)}::float8[]) - 1, 0) AS row, state, count(*)::int AS count,
      floor(max(age))::float8 AS longest
    FROM (${unionOf(kind, {
      kyb: sql`SELECT 'kyb' AS state, ${age} AS age FROM kyb_applications WHERE ${waiting} AND status = 'open'`,
      identification: sql`SELECT 'identification' AS state, ${age} AS age FROM identifications
        WHERE ${waiting} AND waiting_on <> 'nobody'`,
    })}) AS waiting GROUP BY 1, 2`)
  const rows = tabulate([...AGES.keys()], ENTITY_KINDS, counts)
  return {
    as_of: unixSeconds(now),
    longest_seconds: counts.length === 0 ? null : Math.max(0, ...counts.map(({ longest }) => longest)),
    rows: AGES.map((from, n) => ({
      from_seconds: from,
      to_seconds: AGES[n + 1] ?? null,
      kyb: rows[n]?.kyb ?? 0,
      identification: rows[n]?.identification ?? 0,
    })),
  }
}

async function reasons(db: Database, { period, scope, kind }: FigureFilter, now: Date) {
  const { from } = spanOf(period, now)
  const found = await db.orm.execute<{ reason: ReasonCode; action: string; count: number }>(sql`
    SELECT reason_code AS reason, action, count(*)::int AS count FROM timeline
    WHERE created_at >= ${from.toISOString()}::timestamptz${ofScope(scope)} AND reason_code IS NOT NULL
      ${kind ? sql`AND entity = ${kind}` : sql``}
    GROUP BY 1, 2`)
  const counts = found.flatMap(({ reason, action, count }) => {
    const state = OUTCOME_OF_ACTION[action]
    return state ? [{ row: reason, state, count }] : []
  })
  const counted = tabulate(REASON_CODES, DECISION_OUTCOMES, counts)
  return {
    as_of: unixSeconds(now),
    period_days: period,
    rows: counted.flatMap((row, n) => {
      const code = REASON_CODES[n]
      return code ? [{ reason_code: code, ...row }] : []
    }),
  }
}

/**
 * Counts deliveries by the day of their creation. Omits deliveries whose retention has expired, because they have been
 * deleted.
 */
async function deliveries(db: Database, { period, scope }: FigureFilter, now: Date) {
  const span = spanOf(period, now)
  const from = sql`${span.days[0]}::date`
  const found = await db.orm.execute<{ row: number; status: StoredStatus; count: number }>(sql`
    SELECT (day - ${from}) / ${span.stepDays}::int AS row, status, sum(delta)::float8 AS count
    FROM webhook_log_counts WHERE day >= ${from}${ofScope(scope)} GROUP BY 1, 2`)
  const counts = found.map(({ row, status, count }) => ({ row, state: deliveryState(status), count }))
  return {
    as_of: unixSeconds(now),
    period_days: period,
    step_days: span.stepDays,
    rows: byDay(span.days, DELIVERY_STATES, counts),
  }
}

export const FIGURE_QUERIES: {
  readonly [N in keyof Figures]: (db: Database, filter: FigureFilter, now: Date) => Promise<Figures[N]>
} = { applications, decision_times: decisionTimes, queue_ages: queueAges, reasons, deliveries }
