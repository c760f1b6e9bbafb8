/** Kinds of columns. Those that are `encrypted` hold personal data or secrets, sealed by the application. */
import { sql } from 'drizzle-orm'
import { customType, integer, text, timestamp } from 'drizzle-orm/pg-core'

export const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })
/** Sealed by src/storage/encryption.ts; never readable by SQL. Each one is named in src/db/connection/sealed.ts. */
export const encrypted = bytea
export const moment = (name: string) => timestamp(name, { withTimezone: true })
/** Milliseconds since 1970. */
export const milliseconds = customType<{ data: Date; driverData: string | number }>({
  dataType: () => 'bigint',
  toDriver: (date) => date.getTime(),
  fromDriver: (value) => new Date(Number(value)),
})
export const createdAt = () => moment('created_at').notNull().default(sql`clock_timestamp()`)
/** How far the screening of an entity is. */
export const screened = () => ({
  /** The version of the lists by which what is there now was screened; null from each change of it on. */
  screenedWith: text('screened_with'),
  screenedAt: moment('screened_at'),
  openHits: integer('open_hits').notNull().default(0),
  confirmedHits: integer('confirmed_hits').notNull().default(0),
})
