/** Schema of values that were removed under a legal hold or an internal hold, and that only operators still see. */
import { sql } from 'drizzle-orm'
import { boolean, index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { Entity } from '../../src/domain/entity/entity.ts'
import { bytea, createdAt, encrypted } from './columns.ts'

export const keptValues = pgTable(
  'kept_values',
  {
    /** The ID, which sorts by time. */
    id: uuid('id').primaryKey(),
    vaultId: uuid('vault_id').notNull(),
    entity: text('entity').$type<Entity>().notNull(),
    entityId: uuid('entity_id').notNull(),
    /** The identification whose holds decide how long the value is kept. */
    identificationId: uuid('identification_id').notNull(),
    /** The path of the field, as in the timeline. */
    path: text('path').notNull(),
    isFile: boolean('is_file').notNull(),
    /** The value in JSON. For a file, its ID. */
    value: encrypted('value').notNull(),
    /** The keyed hash by which a lookup found the record before the removal. Null if the value is in no lookup. */
    lookupHash: bytea('lookup_hash'),
    createdAt: createdAt(),
  },
  (table) => [
    index('kept_values_entity').on(table.entityId, table.id),
    index('kept_values_lookup').on(table.lookupHash).where(sql`lookup_hash IS NOT NULL`).concurrently(),
  ],
)
