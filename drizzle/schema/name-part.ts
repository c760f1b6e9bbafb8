/** Schema of the search for parts of names. */
import { sql } from 'drizzle-orm'
import { index, pgTable, primaryKey, uuid } from 'drizzle-orm/pg-core'
import { bytea } from './columns.ts'

/** Keyed hashes of the beginnings of words in names (src/db/lists/name-parts.ts). */
export const nameParts = pgTable(
  'name_parts',
  {
    partHash: bytea('part_hash').notNull(),
    /** The ID of an application, including its beneficiaries, or of an identification. */
    entityId: uuid('entity_id').notNull(),
    /** The vault of the entity. Null if an earlier version wrote the row and housekeeping has not yet set the vault. */
    vaultId: uuid('vault_id'),
  },
  (table) => [
    // IDs sort by creation time, so that a search can read the newest entities first.
    primaryKey({ columns: [table.partHash, table.entityId] }),
    // This index contains the vault, for operators who see only some of the vaults.
    index('name_parts_vault').on(table.partHash, table.vaultId, table.entityId).concurrently(),
    index('name_parts_entity').on(table.entityId),
    index('name_parts_without_vault').on(table.entityId).where(sql`vault_id IS NULL`).concurrently(),
  ],
)
