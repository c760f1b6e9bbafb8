/** Conditions on times that PostgreSQL's clock has set. If the clock was set back, such times can lie far ahead. */
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'

/**
 * Matches times that come within `seconds`. Treats later times as past, because only a clock that has since been set
 * back can have set them. They would otherwise block for as long as the clock was wrong.
 */
export const comesWithin = (time: SQLWrapper, seconds: number): SQL =>
  sql`(${time} > clock_timestamp() AND ${time} <= clock_timestamp() + make_interval(secs => ${seconds}))`

/** Matches times at least `seconds` ago. Treats times as far ahead as long past, too. */
export const isOlderThan = (time: SQLWrapper, seconds: number): SQL =>
  sql`(abs(extract(epoch FROM now() - ${time})) > ${seconds})`
