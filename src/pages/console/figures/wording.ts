/** Builds the texts of reports: column labels and formatted values. */
import { PERIODS, type Period } from '../../../domain/review/figures.ts'
import type { Frame } from '../../components/layout.tsx'
import { isTextName } from '../../texts/index.ts'
import { formatOf } from '../../values/dates.ts'
import { type DurationUnit, durationRange, durationText } from '../../values/durations.ts'

export type Words = ReturnType<typeof wordsOf>
export type Row = Readonly<Record<string, string | number | null>>

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** From this number on, a duration is in whole days. */
const MIN_WHOLE_DAYS = 10

/** Returns the largest unit of which the duration contains at least two. */
export const unitOf = (seconds: number) => UNITS.find(([, each]) => seconds >= 2 * each) ?? UNITS[3]

const axisDay = formatOf({ day: 'numeric', month: 'short' })

export function wordsOf({ t, language }: Frame) {
  const number = (value: number) => new Intl.NumberFormat(language).format(value)
  const short = (value: number) =>
    new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 }).format(value)
  /** Formats the values of an axis with their unit. */
  const inUnit = (unit: DurationUnit) => (value: number) => durationText(language, unit, value)
  const percent = (value: number) =>
    new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 }).format(value)
  const date = (day: Date) => axisDay({ language }, day)
  const duration = (seconds: number) => {
    const [unit, each] = unitOf(seconds)
    const count = seconds / each
    return durationText(language, unit, count, unit === 'day' && count >= MIN_WHOLE_DAYS ? 0 : 1)
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
    if (to_seconds === null)
      return t('figures.age.over', { age: durationText(language, 'day', from_seconds / 86_400) })
    const [unit, each] = to_seconds <= 86_400 ? (['hour', 3_600] as const) : (['day', 86_400] as const)
    return durationRange(language, unit, from_seconds / each, to_seconds / each)
  }
  const cell = (name: string, value: Row[string]): string => {
    if (value === null) return '–'
    if (name === 'reason_code') return reason(String(value))
    if (name.endsWith('_seconds')) return duration(Number(value))
    return typeof value === 'number' ? number(value) : value
  }
  return { t, number, short, inUnit, percent, date, duration, reason, column, age, cell }
}

export const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

export const periodOf = (asked: unknown): Period | undefined =>
  PERIODS.find((period) => String(period) === asked)
