/** Component: a chip that narrows a list to one day in UTC. */
import type { Period } from '../../../domain/base/page.ts'
import type { Frame } from '../../components/layout.tsx'
import { dayText, isoDay } from '../../values/dates.ts'
import { LinkFilter } from './filter-bar.tsx'

const DAY_MS = 86_400_000
/** The number of days that the chip offers. The address can contain any day. */
const DAYS = 14

/** Returns the day in the address with its period, or nothing if it is invalid. */
export function readDay(given: unknown): Period & { readonly day?: string } {
  // PostgreSQL does not accept the year 0, nor the year 10000 in which the last day of 9999 ends.
  if (typeof given !== 'string' || !/^(?!0000|9999)\d{4}-\d{2}-\d{2}$/.test(given)) return {}
  const from = new Date(given)
  if (Number.isNaN(from.getTime()) || isoDay(from) !== given) return {}
  return { day: given, from, before: new Date(from.getTime() + DAY_MS) }
}

interface DayFilterProps {
  readonly frame: Frame
  readonly chosen: string | undefined
  readonly hrefOf: (day: string | undefined) => string
}

export function DayFilter({ frame, chosen, hrefOf }: DayFilterProps) {
  const now = Date.now()
  const days = Array.from({ length: DAYS }, (_, n) => isoDay(new Date(now - n * DAY_MS)))
  const offered = chosen === undefined || days.includes(chosen) ? days : [...days, chosen]
  return (
    <LinkFilter
      frame={frame}
      label={frame.t('console.filter.day')}
      chosen={chosen}
      options={offered.map((day) => [day, dayText(frame, new Date(day))])}
      hrefOf={hrefOf}
    />
  )
}
