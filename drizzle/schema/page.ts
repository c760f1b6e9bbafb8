/** Schema of page sessions and saved filters. */
import { sql } from 'drizzle-orm'
import { index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { SessionScope } from '../../src/domain/entity/session-scope.ts'
import { users } from './access.ts'
import { bytea, createdAt, moment } from './columns.ts'
import { identifications } from './identification.ts'

/** Sessions of browsers in which a verification link was opened. Only the hash of the cookie is stored. */
export const pageSessions = pgTable(
  'page_sessions',
  {
    tokenHash: bytea('token_hash').notNull(),
    identificationId: uuid('identification_id')
      .notNull()
      .references(() => identifications.id),
    scope: text('scope').$type<SessionScope>().notNull().default('everything'),
    /** The hash of the session that handed over to this one. This session ends with it. Null if there is none. */
    openedFrom: bytea('opened_from_hash'),
    /** When a link of this session was last opened on a phone. Earlier links are invalid. */
    handedOverAt: moment('handed_over_at'),
    expiresAt: moment('expires_at').notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.tokenHash, table.identificationId] }),
    index('page_sessions_identification').on(table.identificationId),
    index('page_sessions_expires').on(table.expiresAt),
  ],
)

/** Sessions of operators who are signed in to the console. Only the hash of the cookie is stored. */
export const consoleSessions = pgTable(
  'console_sessions',
  {
    tokenHash: bytea('token_hash').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    /** The user's token version at the sign-in. A change to the password or to a role ends the session. */
    tokenVersion: integer('token_version').notNull(),
    /**
     * The keyed hash of the session at the OpenID provider, or of the operator's subject if the provider has no
     * sessions. Null if the operator signed in with a password.
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

/** Queue filters that operators have saved. */
export const savedFilters = pgTable(
  'saved_filters',
  {
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    name: text('name').notNull(),
    /** The query string in the URL of the queue. */
    query: text('query').notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.name] })],
)
