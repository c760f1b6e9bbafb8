/** Ids are UUIDs of version 7: they begin with the time at which they were made, so they sort by it. */
import { and, gte, lt, type SQL } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'

/**
 * The clock that makes ids and the one that writes `created_at` are not the same: they are two minutes apart at most, and
 * the row is written within seconds.
 */
const CLOCKS_APART_MS = 180_000

/** Below every id made from this moment on, and above every id made before it. */
export function lowestIdAt(moment: Date): string {
  const hex = Math.max(0, moment.getTime()).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

interface Period {
  readonly from?: Date | undefined
  /** Not included. */
  readonly before?: Date | undefined
}

type Columns = Readonly<Record<'id' | 'createdAt', PgColumn>>

const later = (moment: Date, ms: number) => new Date(moment.getTime() + ms)

const madeWithin = ({ id }: Columns, { from, before }: Period): SQL | undefined =>
  and(from && gte(id, lowestIdAt(from)), before && lt(id, lowestIdAt(before)))

/** What was created then: an index of ids finds it, and what the row says decides. */
export const createdWithin = (columns: Columns, { from, before }: Period): SQL | undefined =>
  and(
    madeWithin(columns, {
      from: from && later(from, -CLOCKS_APART_MS),
      before: before && later(before, CLOCKS_APART_MS),
    }),
    from && gte(columns.createdAt, from),
    before && lt(columns.createdAt, before),
  )

/** The same in parts that share nothing: rows are looked at near both ends alone, and the index has what is between. */
export function partsOfCreatedWithin(columns: Columns, period: Period): (SQL | undefined)[] {
  const from = period.from && later(period.from, CLOCKS_APART_MS)
  const before = period.before && later(period.before, -CLOCKS_APART_MS)
  const within = createdWithin(columns, period)
  if (from && before && from >= before) return [within]
  return [
    madeWithin(columns, { from, before }),
    ...(from ? [and(within, madeWithin(columns, { before: from }))] : []),
    ...(before ? [and(within, madeWithin(columns, { from: before }))] : []),
  ]
}
