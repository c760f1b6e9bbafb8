/** Schema of the search for parts of names. */
import { index, pgTable, primaryKey, uuid } from 'drizzle-orm/pg-core'
import { bytea } from './columns.ts'

/** Keyed hashes of the beginnings of words in names (src/db/cases/name-parts.ts). */
export const nameParts = pgTable(
  'name_parts',
  {
    partHash: bytea('part_hash').notNull(),
    /** An application with its beneficiaries, or an identification. */
    entityId: uuid('entity_id').notNull(),
  },
  (table) => [
    // IDs sort by creation time, so a search can read the newest entities first.
    primaryKey({ columns: [table.partHash, table.entityId] }),
    index('name_parts_entity').on(table.entityId),
  ],
)
