/** Schema of the vaults' profiles. */
import { integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { ProfileDocument } from '../../src/domain/profile/document.ts'
import { vaults } from './access.ts'
import { moment } from './columns.ts'

/** The published versions, which do not change, and at most one draft, which has the highest version. */
export const profiles = pgTable(
  'profiles',
  {
    vaultId: uuid('vault_id')
      .notNull()
      .references(() => vaults.id),
    version: integer('version').notNull(),
    document: jsonb('document').$type<ProfileDocument>().notNull(),
    updatedAt: moment('updated_at').notNull(),
    /** When and by whom the version was published. Null for the draft. */
    publishedAt: moment('published_at'),
    publishedBy: text('published_by'),
    /** The time from which new applications have this version. Null for the draft. */
    appliesFrom: moment('applies_from'),
  },
  (table) => [primaryKey({ columns: [table.vaultId, table.version] })],
)
