/** Who is signed in to hosted pages. */
import { index, pgTable, primaryKey, uuid } from 'drizzle-orm/pg-core'
import { bytea, createdAt, moment } from './columns.ts'
import { identifications } from './identification.ts'

/** A browser that has opened the link of a verification, by the hash of what its cookie holds. */
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
