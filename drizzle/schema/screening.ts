/** Schema of screening hits and of the lists. */
import { sql } from 'drizzle-orm'
import { boolean, index, numeric, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core'
import type { Entity } from '../../src/domain/entity.ts'
import type { HitStatus } from '../../src/domain/screening/screening.ts'
import { bytea, encrypted, moment } from './columns.ts'

/** Lists that entities were screened with, so that after a change only the changed entries are compared. */
export const screeningLists = pgTable('screening_lists', {
  /** The value of `screened_with` in the entities. */
  version: text('version').primaryKey(),
  /** A 16-byte hash of each entry, concatenated. */
  fingerprints: bytea('fingerprints').notNull(),
})

export const screeningHits = pgTable(
  'screening_hits',
  {
    id: uuid('id').primaryKey(),
    vaultId: uuid('vault_id').notNull(),
    entity: text('entity').$type<Entity>().notNull(),
    entityId: uuid('entity_id').notNull(),
    /** `company`, `person`, or the ID of a beneficiary. */
    subject: text('subject').notNull(),
    /** Keyed hash of the ID of the list entry. */
    entryHash: bytea('entry_hash').notNull(),
    /** Keyed hash of the compared values. A decision is valid until the entry or the subject changes. */
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
    /** The operator whose dismissal awaits a second operator. */
    dismissalBy: text('dismissal_by'),
    dismissalAt: moment('dismissal_at'),
  },
  (table) => [
    unique('screening_hits_entry').on(table.entityId, table.subject, table.entryHash),
    index('screening_hits_entity').on(table.entityId, table.foundAt),
    index('screening_hits_subject').on(table.subject),
  ],
)
