/** Defines column types. Columns of the type `encrypted` contain personal data or secrets. */
import { sql } from 'drizzle-orm'
import { boolean, customType, integer, text, timestamp } from 'drizzle-orm/pg-core'
import type { Language } from '../../src/domain/base/language.ts'

export const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })
/**
 * A value that src/storage/encryption.ts encrypts, so that SQL cannot read it. src/db/connection/sealed.ts lists all
 * these columns.
 */
export const encrypted = bytea
export const moment = (name: string) => timestamp(name, { withTimezone: true })
/** A time in milliseconds since 1970. */
export const milliseconds = customType<{ data: Date; driverData: string | number }>({
  dataType: () => 'bigint',
  toDriver: (date) => date.getTime(),
  fromDriver: (value) => new Date(Number(value)),
})
export const createdAt = () => moment('created_at').notNull().default(sql`clock_timestamp()`)
/** The condition for entities with a decision that awaits a second approval. */
export const PENDING = sql`pending IS NOT NULL`
/** Creates the columns by which the queue filters cases: keyed hashes (docs/decisions/0047-filter-hashes.md). */
export const filtered = () => ({
  /** The country of a company's incorporation, or of a person's residence or nationality. */
  countryHash: text('country_hash'),
  /**
   * The facts that the risk depends on (src/domain/decision/risk.ts). Null if an earlier version wrote the row and
   * housekeeping has not yet filled both columns.
   */
  riskHashes: text('risk_hashes').array(),
})
/** Creates the columns of a link for the emails about it. */
export const reminded = () => ({
  /** The number of reminders, and when the next one is due. Null if no more are sent. */
  reminders: integer('reminders').notNull().default(0),
  remindAt: moment('remind_at'),
  remindersDeclined: boolean('reminders_declined').notNull().default(false),
  /** The language in which the applicant last read the pages. Null until then. */
  language: text('language').$type<Language>(),
})
/** Creates the columns for the state of an entity's screening. */
export const screened = () => ({
  /** The version of the lists against which the current names were screened. Null after each change to the names. */
  screenedWith: text('screened_with'),
  screenedAt: moment('screened_at'),
  openHits: integer('open_hits').notNull().default(0),
  confirmedHits: integer('confirmed_hits').notNull().default(0),
})
