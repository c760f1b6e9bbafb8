/** Schema of page sessions and saved filters. */
import { sql } from 'drizzle-orm'
import { index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { users } from './access.ts'
import { bytea, createdAt, moment } from './columns.ts'
import { identifications } from './identification.ts'

/** A browser that has opened the link of a verification. Its cookie is stored as a hash. */
export const pageSessions = pgTable(
  'page_sessions',
  {
    tokenHash: bytea('token_hash').notNull(),
    identificationId: uuid('identification_id')
      .notNull()
      .references(() => identifications.id),
    expiresAt: moment('expires_at').notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.tokenHash, table.identificationId] }),
    index('page_sessions_identification').on(table.identificationId),
    index('page_sessions_expires').on(table.expiresAt),
  ],
)

/** An operator who is signed in to the console. The cookie is stored as a hash. */
export const consoleSessions = pgTable(
  'console_sessions',
  {
    tokenHash: bytea('token_hash').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    /** The user's version at sign-in. A changed password or role ends the session. */
    tokenVersion: integer('token_version').notNull(),
    /**
     * Keyed hash of the session at the OpenID provider, or of its subject if the provider has no sessions. Null if the
     * operator signed in with a password.
     */
    providerSessionHash: bytea('provider_session_hash'),
    expiresAt: moment('expires_at').notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index('console_sessions_expires').on(table.expiresAt),
    index('console_sessions_user').on(table.userId),
    index('console_sessions_provider')
      .on(table.providerSessionHash)
      .where(sql`provider_session_hash IS NOT NULL`),
  ],
)

/** A queue filter that an operator has saved. */
export const savedFilters = pgTable(
  'saved_filters',
  {
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    name: text('name').notNull(),
    /** As in the address of the queue. */
    query: text('query').notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.name] })],
)
