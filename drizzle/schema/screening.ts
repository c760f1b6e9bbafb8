/** Schema of screening hits and screening lists. */
import { sql } from 'drizzle-orm'
import { boolean, index, numeric, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { Entity } from '../../src/domain/entity/entity.ts'
import type { HitStatus } from '../../src/domain/screening/screening.ts'
import { bytea, encrypted, moment } from './columns.ts'

/**
 * Lists against which entities were screened. They show which entries of a newer list have changed, so that only these
 * are compared.
 */
export const screeningLists = pgTable('screening_lists', {
  /** The version, which the rows of entities contain in `screened_with`. */
  version: text('version').primaryKey(),
  /** The 16-byte hashes of all entries, concatenated. */
  fingerprints: bytea('fingerprints').notNull(),
})

export const screeningHits = pgTable(
  'screening_hits',
  {
    id: uuid('id').primaryKey(),
    vaultId: uuid('vault_id').notNull(),
    entity: text('entity').$type<Entity>().notNull(),
    entityId: uuid('entity_id').notNull(),
    /** The subject: `company`, `person`, or the ID of a beneficiary. */
    subject: text('subject').notNull(),
    /** The keyed hash of the list entry's ID. */
    entryHash: bytea('entry_hash').notNull(),
    /** The keyed hash of the compared values. A decision is valid until the entry or the subject changes. */
    basisHash: bytea('basis_hash').notNull(),
    score: numeric('score', { mode: 'number' }).notNull(),
    /** The list entry, the parts of the score, and the subject. */
    details: encrypted('details').notNull(),
    status: text('status').$type<HitStatus>().notNull().default('open'),
    foundAt: moment('found_at').notNull().default(sql`clock_timestamp()`),
    decidedBy: text('decided_by'),
    decidedAt: moment('decided_at'),
    /** True if two operators have confirmed the hit. */
    isConfirmedByTwo: boolean('is_confirmed_by_two').notNull().default(false),
    comment: encrypted('comment'),
    /** The operator whose dismissal awaits a second operator, or null. */
    dismissalBy: text('dismissal_by'),
    dismissalAt: moment('dismissal_at'),
  },
  (table) => [
    index('screening_hits_entity').on(table.entityId, table.foundAt),
    index('screening_hits_subject').on(table.subject),
  ],
)
