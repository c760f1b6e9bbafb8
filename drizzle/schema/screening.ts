/** Entries of sanctions lists and the like that somebody may be. */
import { sql } from 'drizzle-orm'
import { boolean, index, numeric, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core'
import type { Entity } from '../../src/domain/entity.ts'
import type { HitStatus } from '../../src/domain/screening/screening.ts'
import { bytea, encrypted, moment } from './columns.ts'

/** Lists that entities were screened with, so that after a change only the entries that changed are compared. */
export const screeningLists = pgTable('screening_lists', {
  /** As `screened_with` of the entities. */
  version: text('version').primaryKey(),
  /** A hash of 16 bytes of each entry, one after the other. */
  fingerprints: bytea('fingerprints').notNull(),
})

export const screeningHits = pgTable(
  'screening_hits',
  {
    id: uuid('id').primaryKey(),
    vaultId: uuid('vault_id').notNull(),
    entity: text('entity').$type<Entity>().notNull(),
    entityId: uuid('entity_id').notNull(),
    /** `company`, `person`, or the id of a beneficiary. */
    subject: text('subject').notNull(),
    /** Keyed hash of the entry's id. */
    entryHash: bytea('entry_hash').notNull(),
    /** Keyed hash of what was compared: a decision stands until either side changes. */
    basisHash: bytea('basis_hash').notNull(),
    score: numeric('score', { mode: 'number' }).notNull(),
    /** The entry, the parts of the score, and who was looked for. */
    details: encrypted('details').notNull(),
    status: text('status').$type<HitStatus>().notNull().default('open'),
    foundAt: moment('found_at').notNull().default(sql`clock_timestamp()`),
    decidedBy: text('decided_by'),
    decidedAt: moment('decided_at'),
    /** Two operators have confirmed the hit. */
    isConfirmedByTwo: boolean('is_confirmed_by_two').notNull().default(false),
    comment: encrypted('comment'),
    /** The operator whose dismissal waits for a second one. */
    dismissalBy: text('dismissal_by'),
    dismissalAt: moment('dismissal_at'),
  },
  (table) => [
    unique('screening_hits_entry').on(table.entityId, table.subject, table.entryHash),
    index('screening_hits_entity').on(table.entityId, table.foundAt),
    index('screening_hits_subject').on(table.subject),
  ],
)
