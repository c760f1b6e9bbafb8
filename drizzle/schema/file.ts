/** Uploaded documents, of applications and of persons. */
import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { ImageWarning } from '../../src/domain/identification/person-form.ts'
import { bytea, createdAt, encrypted, moment } from './columns.ts'
import { identifications } from './identification.ts'
import { kybApplications } from './kyb-application.ts'

export const files = pgTable(
  'files',
  {
    /** The `id` that answers show; also the name of its blob. */
    id: uuid('id').primaryKey(),
    /** Null for files from before vaults had a limit, which do not count. */
    vaultId: uuid('vault_id'),
    kybApplicationId: uuid('kyb_application_id').references(() => kybApplications.id),
    identificationId: uuid('identification_id').references(() => identifications.id),
    state: text('state').$type<'uploading' | 'attached' | 'detached'>().notNull(),
    name: encrypted('name').notNull(),
    contentType: text('content_type'),
    sizeBytes: integer('size_bytes'),
    sha256: bytea('sha256'),
    /** Whether a viewer can open it. */
    readable: boolean('readable').notNull().default(true),
    /** What a look at the picture found. */
    warnings: text('warnings').array().$type<ImageWarning[]>().notNull().default([]),
    /** The hash of the page session that uploaded it, the only one that is shown it again. */
    sessionHash: bytea('session_hash'),
    /** Of a detached one, until when its bytes stay; null when they go at once. */
    keptUntil: moment('kept_until'),
    createdAt: createdAt(),
  },
  (table) => [
    index('files_kyb_application').on(table.kybApplicationId),
    index('files_identification').on(table.identificationId),
    // A vault's files are counted by the index alone.
    index('files_vault').on(table.vaultId, table.sizeBytes).concurrently(),
    index('files_unattached').on(table.createdAt).where(sql`state <> 'attached'`),
    check('files_owner', sql`num_nonnulls(kyb_application_id, identification_id) = 1`),
  ],
)
