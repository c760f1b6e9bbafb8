/** Ids are UUIDs of version 7: they begin with the time at which they were made, so they sort by it. */
import { and, gte, lt, type SQL } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'

/** The clock that makes ids and the one that writes `created_at` are not the same. */
export const CLOCKS_APART_MS = 3_600_000

/** Below every id made from this moment on, and above every id made before it. */
export function idAt(moment: Date): string {
  const hex = Math.max(0, moment.getTime()).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

interface Period {
  readonly from?: Date | undefined
  /** Not included. */
  readonly before?: Date | undefined
}

/** What was created then: an index of ids finds it, and what the row says decides. */
export const createdWithin = (
  { id, createdAt }: Readonly<Record<'id' | 'createdAt', PgColumn>>,
  { from, before }: Period,
): SQL | undefined =>
  and(
    from && and(gte(id, idAt(new Date(from.getTime() - CLOCKS_APART_MS))), gte(createdAt, from)),
    before && and(lt(id, idAt(new Date(before.getTime() + CLOCKS_APART_MS))), lt(createdAt, before)),
  )
