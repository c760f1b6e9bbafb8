/** Rules for the periods, rows and states of reports. Days are in UTC. */

import type { VaultScope } from '../access/grant.ts'
import type { ReasonCode } from '../decision/decision.ts'
import type { Entity } from '../entity/entity.ts'
import type { StoredStatus } from '../webhook/events.ts'

export const FIGURES = ['applications', 'decision_times', 'queue_ages', 'deliveries', 'reasons'] as const
export type FigureName = (typeof FIGURES)[number]

export const PERIODS = [7, 30, 90, 365] as const
export type Period = (typeof PERIODS)[number]
export const USUAL_PERIOD: Period = 30

export interface FigureFilter {
  readonly period: Period
  readonly scope: VaultScope
  readonly kind?: Entity | undefined
}

export const APPLICATION_STATES = ['waiting', 'in_review', 'approved', 'rejected', 'closed'] as const
export const DELIVERY_STATES = ['completed', 'partial', 'failed', 'unfinished'] as const
export const DECISION_OUTCOMES = ['approved', 'rejected', 'more_asked', 'attention'] as const
/** The lower bounds of the age classes, in seconds. */
export const AGES = [0, 3_600, 4 * 3_600, 86_400, 3 * 86_400, 7 * 86_400] as const

export const deliveryState = (status: StoredStatus): (typeof DELIVERY_STATES)[number] =>
  status === 'waiting' || status === 'pending' || status === 'processing' ? 'unfinished' : status

/** The outcome of each timeline action that counts as a decision. */
export const OUTCOME_OF_ACTION: Readonly<Record<string, (typeof DECISION_OUTCOMES)[number]>> = {
  approve: 'approved',
  approve_incomplete: 'approved',
  reject: 'rejected',
  request_revision: 'more_asked',
  request_information: 'more_asked',
  call_attention: 'attention',
}

const DAY_MS = 86_400_000

interface Span {
  readonly from: Date
  readonly stepDays: number
  /** The first day of each row, as YYYY-MM-DD. The last row ends today. */
  readonly days: readonly string[]
}

/** Divides the period into days. Divides a year into weeks instead, to limit the number of rows. */
export function spanOf(period: Period, now: Date): Span {
  const stepDays = period === 365 ? 7 : 1
  const count = Math.ceil(period / stepDays)
  const tomorrow = Math.floor(now.getTime() / DAY_MS + 1) * DAY_MS
  const startOf = (step: number) => new Date(tomorrow - (count - step) * stepDays * DAY_MS)
  const days = Array.from({ length: count }, (_, step) => startOf(step).toISOString().slice(0, 10))
  return { from: startOf(0), stepDays, days }
}

/** The number of entries with a state in one row of a report. */
export interface Count<K extends string | number, S extends string> {
  readonly row: K
  readonly state: S
  readonly count: number
}

/** Returns a row for each key, in the given order. The value of a state without a count is 0. */
export const tabulate = <K extends string | number, S extends string>(
  keys: readonly K[],
  states: readonly S[],
  counts: readonly Count<K, S>[],
): Record<S, number>[] =>
  keys.map((key) => {
    const row = Object.fromEntries(states.map((state) => [state, 0])) as Record<S, number>
    for (const { row: of, state, count } of counts) if (of === key) row[state] += count
    return row
  })

export interface Times {
  readonly decisions: number
  /** The median, or null if there were no decisions. */
  readonly median_seconds: number | null
  readonly p90_seconds: number | null
}

export type OfDay<S extends string> = { readonly day: string } & Readonly<Record<S, number>>

interface OverTime {
  readonly period_days: number
  readonly step_days: number
}

interface About {
  /** When the values were read, in Unix seconds. */
  readonly as_of: number
}

export interface Figures {
  readonly applications: About &
    OverTime & { readonly rows: readonly OfDay<(typeof APPLICATION_STATES)[number]>[] }
  readonly decision_times: About &
    OverTime & { readonly overall: Times; readonly rows: readonly ({ readonly day: string } & Times)[] }
  readonly queue_ages: About & {
    readonly longest_seconds: number | null
    readonly rows: readonly {
      readonly from_seconds: number
      readonly to_seconds: number | null
      readonly kyb: number
      readonly identification: number
    }[]
  }
  readonly reasons: About & {
    readonly period_days: number
    readonly rows: readonly ({ readonly reason_code: ReasonCode } & Readonly<
      Record<(typeof DECISION_OUTCOMES)[number], number>
    >)[]
  }
  readonly deliveries: About &
    OverTime & { readonly rows: readonly OfDay<(typeof DELIVERY_STATES)[number]>[] }
}

export type ReadFigure = <N extends FigureName>(name: N, filter: FigureFilter) => Promise<Figures[N]>
