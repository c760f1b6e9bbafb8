/** What was asked of entities, and what happened to them. */
import { sql } from 'drizzle-orm'
import { bigserial, index, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import type { Entity, Facts, States } from '../../src/domain/entity.ts'
import { createdAt, encrypted, moment } from './columns.ts'

/** Commands in flight and applied: what was asked, by whom, and what came of it. */
export const commands = pgTable(
  'commands',
  {
    id: uuid('id').primaryKey(),
    entity: text('entity').$type<Entity>().notNull(),
    entityId: uuid('entity_id').notNull(),
    vaultId: uuid('vault_id').notNull(),
    kind: text('kind').notNull(),
    /** Null once the command is applied: nothing needs it after that. */
    payload: encrypted('payload'),
    actor: text('actor').notNull(),
    createdAt: createdAt(),
    /** Not applied by then means never applied. */
    expiresAt: moment('expires_at').notNull(),
    appliedAt: moment('applied_at'),
    /** The state that it led to. */
    result: jsonb('result').$type<States[Entity]>(),
  },
  (table) => [
    index('commands_entity').on(table.entityId, table.createdAt),
    index('commands_unapplied').on(table.expiresAt).where(sql`applied_at IS NULL`),
  ],
)

/**
 * Commands that were applied, until the workflow has acknowledged them to the sender: a Temporal server that stops may
 * have forgotten the update. For those that stay, housekeeping has the workflow read its state again.
 */
export const unacknowledgedCommands = pgTable('unacknowledged_commands', {
  id: uuid('id').primaryKey(),
  entity: text('entity').$type<Entity>().notNull(),
  entityId: uuid('entity_id').notNull(),
  vaultId: uuid('vault_id').notNull(),
  appliedAt: moment('applied_at').notNull(),
})

/**
 * The outbox of facts. A row is written with the change that the fact reports, and deleted with the change that follows
 * from it. Housekeeping sends the facts that stay.
 */
export const pendingFacts = pgTable(
  'pending_facts',
  {
    /** The fact's own id. */
    id: text('id').primaryKey(),
    /** The entity whose change the fact reports. Its facts are sent in their order. */
    sourceId: uuid('source_id').notNull(),
    /** The entity that follows the fact. */
    entity: text('entity').$type<Entity>().notNull(),
    entityId: uuid('entity_id').notNull(),
    vaultId: uuid('vault_id').notNull(),
    /** The message to its workflow; nothing personal, since histories keep it. */
    fact: jsonb('fact').$type<Facts[Entity]>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [index('pending_facts_source').on(table.sourceId, table.createdAt)],
)

/** Who did what and when to an application or identification, written with the change itself. */
export const timeline = pgTable(
  'timeline',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    vaultId: uuid('vault_id').notNull(),
    entity: text('entity').$type<Entity>().notNull(),
    entityId: uuid('entity_id').notNull(),
    action: text('action').notNull(),
    actor: text('actor').notNull(),
    from: text('from'),
    to: text('to'),
    reasonCode: text('reason_code'),
    /** Comments and internal notes. */
    notes: encrypted('notes'),
    /** Paths of the fields that were touched, and ids of the files; nothing that was in them. */
    fields: text('fields').array().notNull().default([]),
    files: uuid('files').array().notNull().default([]),
    /** The fact or command that caused the entry; the same one never causes two. */
    causeId: text('cause_id').notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index('timeline_entity').on(table.entityId, table.id),
    uniqueIndex('timeline_cause').on(table.entityId, table.causeId),
    // All that figures read of decisions is in it.
    index('timeline_decisions')
      .on(
        table.createdAt,
        table.vaultId,
        table.entity,
        table.action,
        table.to,
        table.reasonCode,
        table.entityId,
      )
      .where(sql`reason_code IS NOT NULL OR action = 'check_finished'`),
  ],
)
