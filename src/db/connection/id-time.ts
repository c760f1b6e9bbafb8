/** Conditions on the creation time of rows. IDs are UUIDs of version 7, which sort by their creation time. */
import { and, gte, lt, type SQL } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Period } from '../../domain/base/page.ts'

/**
 * The maximum difference between the time in an ID and `created_at`. The clocks that set them differ by at most two
 * minutes, and the row is written within seconds.
 */
const MAX_CLOCK_DIFFERENCE_MS = 180_000

/** Returns the lower bound of all IDs that were created at or after `moment`. All earlier IDs are lower. */
export function lowestIdAt(moment: Date): string {
  const hex = Math.max(0, moment.getTime()).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

type Columns = Readonly<Record<'id' | 'createdAt', PgColumn>>

const later = (moment: Date, ms: number) => new Date(moment.getTime() + ms)

const madeWithin = ({ id }: Columns, { from, before }: Period): SQL | undefined =>
  and(from && gte(id, lowestIdAt(from)), before && lt(id, lowestIdAt(before)))

/**
 * Returns a condition for rows created in the period. The index on the ID preselects rows, and `created_at` determines
 * which of them match.
 */
export const createdWithin = (columns: Columns, { from, before }: Period): SQL | undefined =>
  and(
    madeWithin(columns, {
      from: from && later(from, -MAX_CLOCK_DIFFERENCE_MS),
      before: before && later(before, MAX_CLOCK_DIFFERENCE_MS),
    }),
    from && gte(columns.createdAt, from),
    before && lt(columns.createdAt, before),
  )

/**
 * Splits the condition of `createdWithin` into disjoint parts. Only rows near the ends of the period are compared by
 * `created_at`. The index on the ID covers the rest.
 */
export function partsOfCreatedWithin(columns: Columns, period: Period): (SQL | undefined)[] {
  const from = period.from && later(period.from, MAX_CLOCK_DIFFERENCE_MS)
  const before = period.before && later(period.before, -MAX_CLOCK_DIFFERENCE_MS)
  const within = createdWithin(columns, period)
  if (from && before && from >= before) return [within]
  return [
    madeWithin(columns, { from, before }),
    ...(from ? [and(within, madeWithin(columns, { before: from }))] : []),
    ...(before ? [and(within, madeWithin(columns, { from: before }))] : []),
  ]
}
