/** Schema of uploaded documents and photos. */
import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { FileWarning, Side } from '../../src/domain/base/file.ts'
import { bytea, createdAt, encrypted, moment } from './columns.ts'
import { identifications } from './identification.ts'
import { kybApplications } from './kyb-application.ts'

export const files = pgTable(
  'files',
  {
    /** The `id` in responses, which is also the name of the blob. */
    id: uuid('id').primaryKey(),
    /**
     * The vault, or null for files that were uploaded before vaults had a limit. The sizes of such files are not
     * counted.
     */
    vaultId: uuid('vault_id'),
    kybApplicationId: uuid('kyb_application_id').references(() => kybApplications.id),
    identificationId: uuid('identification_id').references(() => identifications.id),
    /** A removed file is `withheld` while a legal hold or an internal hold keeps it for operators. */
    state: text('state').$type<'uploading' | 'attached' | 'withheld' | 'detached'>().notNull(),
    name: encrypted('name').notNull(),
    /** The side of an identity card, or null if the uploader named none. */
    side: text('side').$type<Side>(),
    contentType: text('content_type'),
    sizeBytes: integer('size_bytes'),
    sha256: bytea('sha256'),
    /** True if a viewer can open the file. */
    readable: boolean('readable').notNull().default(true),
    /** The warnings from the inspection. */
    warnings: text('warnings').array().$type<FileWarning[]>().notNull().default([]),
    /**
     * The hash of the page session in which the file was uploaded. The photo can be viewed again only in this session.
     */
    sessionHash: bytea('session_hash'),
    /** When the bytes of a detached file are deleted. Null if they are deleted immediately. */
    keptUntil: moment('kept_until'),
    createdAt: createdAt(),
  },
  (table) => [
    index('files_kyb_application').on(table.kybApplicationId),
    index('files_identification').on(table.identificationId),
    // With this index, counting a vault's files reads no table rows.
    index('files_vault').on(table.vaultId, table.sizeBytes).concurrently(),
    index('files_unattached').on(table.createdAt).where(sql`state <> 'attached'`),
    check('files_owner', sql`num_nonnulls(kyb_application_id, identification_id) = 1`),
  ],
)
