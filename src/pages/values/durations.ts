/** Formats durations in the same form on all pages: days in full, shorter units abbreviated, such as "2 days", "5 hr". */
import type { Language } from '../texts/index.ts'

export type DurationUnit = 'day' | 'hour' | 'minute' | 'second' | 'millisecond'

/** The script of the queue contains the same rule. */
const formatOf = (language: Language, unit: DurationUnit, maximumFractionDigits = 1) =>
  new Intl.NumberFormat(language, {
    style: 'unit',
    unit,
    unitDisplay: unit === 'day' ? 'long' : 'short',
    maximumFractionDigits,
  })

export const durationText = (
  language: Language,
  unit: DurationUnit,
  count: number,
  digits?: number,
): string => formatOf(language, unit, digits).format(count)

/** Returns a range with one unit, such as "1–4 hr". */
export const durationRange = (language: Language, unit: DurationUnit, from: number, to: number): string =>
  formatOf(language, unit).formatRange(from, to)

/** Returns how long a request took, such as "120 ms" or "10 sec". */
export const tookText = (language: Language, ms: number): string =>
  ms < 1_000 ? durationText(language, 'millisecond', ms) : durationText(language, 'second', ms / 1_000)
