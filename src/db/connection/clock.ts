/** Expressions for times that PostgreSQL's clock has set. If the clock was set back, such times can lie far ahead. */
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'

/**
 * Matches times that come within `seconds`. Treats later times as past, because only a clock that has since been set
 * back can have set them. They would otherwise block for as long as the clock was wrong.
 */
export const comesWithin = (time: SQLWrapper, seconds: number): SQL =>
  sql`(${time} > clock_timestamp() AND ${time} <= clock_timestamp() + make_interval(secs => ${seconds}))`

/** Returns the time if it comes within `seconds`, or else the present. */
export const timeOrNow = (time: SQLWrapper, seconds: number): SQL =>
  sql`(CASE WHEN ${comesWithin(time, seconds)} THEN ${time} ELSE clock_timestamp() END)`

/** Returns the milliseconds since the time, or infinity if the time lies more than ten seconds ahead. */
export function msSince(time: SQLWrapper): SQL {
  const ms = sql`extract(epoch FROM clock_timestamp() - ${time}) * 1000`
  return sql`(CASE WHEN ${ms} < -10_000 THEN 'infinity' ELSE greatest(0, ${ms}) END)::float8`
}

/** Matches times at least `seconds` ago. Treats times as far ahead as long past, too. */
export const isOlderThan = (time: SQLWrapper, seconds: number): SQL =>
  sql`(abs(extract(epoch FROM now() - ${time})) > ${seconds})`
