/** Builds the texts of reports: sentences with the main number, column labels and formatted values. */
import { type FigureName, type Figures, PERIODS, type Period } from '../../../domain/review/figures.ts'
import type { Frame } from '../../components/layout.tsx'
import { isTextName, LOCALES } from '../../texts/index.ts'

export type Words = ReturnType<typeof wordsOf>
export type Row = Readonly<Record<string, string | number | null>>

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** Returns the largest unit of which the duration contains at least two. */
export const unitOf = (seconds: number) => UNITS.find(([, each]) => seconds >= 2 * each) ?? UNITS[3]

export function wordsOf({ t, language }: Frame) {
  const number = (value: number) => new Intl.NumberFormat(language).format(value)
  const short = (value: number) =>
    new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 }).format(value)
  /** Formats the values of an axis with their unit. */
  const shortUnit = (unit: string) => {
    const options = { style: 'unit', unit, unitDisplay: 'narrow', maximumFractionDigits: 1 } as const
    return (value: number) => new Intl.NumberFormat(language, options).format(value)
  }
  const percent = (value: number) =>
    new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 }).format(value)
  const date = (day: Date) =>
    new Intl.DateTimeFormat(LOCALES[language], { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(
      day,
    )
  const duration = (seconds: number) => {
    const [unit, each] = unitOf(seconds)
    const options = { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 1 } as const
    return new Intl.NumberFormat(language, options).format(seconds / each)
  }
  const reason = (code: string) => {
    const name = `console.reason.${code}`
    return isTextName(name) ? t(name) : code
  }
  const column = (name: string) => {
    const text = `figures.column.${name}`
    return isTextName(text) ? t(text) : name
  }
  /** Returns a range of ages as text, in hours or days. */
  const age = ({ from_seconds, to_seconds }: { from_seconds: number; to_seconds: number | null }) => {
    const hours = (seconds: number) => seconds / 3_600
    if (to_seconds === null) return t('figures.age.over', { days: from_seconds / 86_400 })
    return to_seconds <= 86_400
      ? t('figures.age.hours', { from: hours(from_seconds), to: hours(to_seconds) })
      : t('figures.age.days', { from: from_seconds / 86_400, to: to_seconds / 86_400 })
  }
  /** Formats a value for the table. */
  const cell = (name: string, value: Row[string]): string => {
    if (value === null) return '–'
    if (name === 'reason_code') return reason(String(value))
    if (name.endsWith('_seconds')) return duration(Number(value))
    return typeof value === 'number' ? number(value) : value
  }
  return { t, number, short, shortUnit, percent, date, duration, reason, column, age, cell }
}

export const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
export const totalOf = <K extends string>(rows: readonly Readonly<Record<K, number>>[], column: K): number =>
  sum(rows.map((row) => row[column]))

/** Functions that return a sentence with the main number of a report, or null if there is no data. */
export const SENTENCES: {
  readonly [N in FigureName]: (figure: Figures[N], words: Words) => string | null
} = {
  applications({ rows }, { t }) {
    const decided = totalOf(rows, 'approved') + totalOf(rows, 'rejected')
    const count = decided + totalOf(rows, 'closed') + totalOf(rows, 'waiting') + totalOf(rows, 'in_review')
    return count === 0 ? null : t('figures.applications.sentence', { count, decided })
  },
  decision_times({ overall: { decisions, median_seconds, p90_seconds } }, { t, duration }) {
    if (median_seconds === null || p90_seconds === null) return null
    const times = { median: duration(median_seconds), p90: duration(p90_seconds) }
    return t('figures.decision_times.sentence', { decisions, ...times })
  },
  queue_ages({ longest_seconds, rows }, { t, duration }) {
    if (longest_seconds === null) return null
    const count = totalOf(rows, 'kyb') + totalOf(rows, 'identification')
    return t('figures.queue_ages.sentence', { count, longest: duration(longest_seconds) })
  },
  reasons({ rows }, { t, reason }) {
    const counted = rows.map(({ reason_code, ...outcomes }) => ({
      reason: reason(reason_code),
      count: sum(Object.values(outcomes)),
    }))
    const [first] = counted.toSorted((a, b) => b.count - a.count)
    if (!first || first.count === 0) return null
    const count = sum(counted.map((each) => each.count))
    return t('figures.reasons.sentence', { count, reason: first.reason, times: first.count })
  },
  deliveries({ rows }, { t, percent }) {
    const [completed, partial, failed, unfinished] = [
      totalOf(rows, 'completed'),
      totalOf(rows, 'partial'),
      totalOf(rows, 'failed'),
      totalOf(rows, 'unfinished'),
    ]
    const count = completed + partial + failed + unfinished
    if (count === 0) return null
    const ended = count - unfinished
    return ended === 0
      ? t('figures.deliveries.unfinished', { count })
      : t('figures.deliveries.sentence', { count: ended, share: percent(completed / ended) })
  },
}

/** Returns the period in the address, or undefined if it is invalid. */
export const periodOf = (asked: unknown): Period | undefined =>
  PERIODS.find((period) => String(period) === asked)
