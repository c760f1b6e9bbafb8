/** Schema of commands, facts and the timeline. */
import { sql } from 'drizzle-orm'
import { bigserial, index, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import type { Entity, Facts, States } from '../../src/domain/entity/entity.ts'
import { createdAt, encrypted, moment } from './columns.ts'

/** Commands that are in progress or applied, with their content, caller and result. */
export const commands = pgTable(
  'commands',
  {
    id: uuid('id').primaryKey(),
    entity: text('entity').$type<Entity>().notNull(),
    entityId: uuid('entity_id').notNull(),
    vaultId: uuid('vault_id').notNull(),
    kind: text('kind').notNull(),
    /** The content of the command. Null once the command is applied, because it is not needed after that. */
    payload: encrypted('payload'),
    actor: text('actor').notNull(),
    createdAt: createdAt(),
    /** The deadline. A command that is not applied by then is never applied. */
    expiresAt: moment('expires_at').notNull(),
    appliedAt: moment('applied_at'),
    /** The W3C `traceparent` of the span that sent the command, or null. */
    traceparent: text('traceparent'),
    /** The state that resulted from the command. */
    result: jsonb('result').$type<States[Entity]>(),
  },
  (table) => [
    index('commands_entity').on(table.entityId, table.createdAt),
    index('commands_unapplied').on(table.expiresAt).where(sql`applied_at IS NULL`),
  ],
)

/**
 * Applied commands that their workflows have not acknowledged. A Temporal server that stops can lose an update. If a
 * row remains, housekeeping therefore makes the workflow read its state again.
 */
export const unacknowledgedCommands = pgTable('unacknowledged_commands', {
  id: uuid('id').primaryKey(),
  entity: text('entity').$type<Entity>().notNull(),
  entityId: uuid('entity_id').notNull(),
  vaultId: uuid('vault_id').notNull(),
  appliedAt: moment('applied_at').notNull(),
})

/**
 * The outbox of facts. The transaction that causes a fact writes its row, and the transaction that applies the fact
 * deletes it. Housekeeping sends the facts that remain.
 */
export const pendingFacts = pgTable(
  'pending_facts',
  {
    /** The ID of the fact. */
    id: text('id').primaryKey(),
    /** The entity whose change the fact reports. An entity's facts are sent in order. */
    sourceId: uuid('source_id').notNull(),
    /** The entity that applies the fact. */
    entity: text('entity').$type<Entity>().notNull(),
    entityId: uuid('entity_id').notNull(),
    vaultId: uuid('vault_id').notNull(),
    /** The message to the workflow. It contains no personal data, because workflow histories keep all messages. */
    fact: jsonb('fact').$type<Facts[Entity]>().notNull(),
    /** The W3C `traceparent` of the span that caused the fact, or null. */
    traceparent: text('traceparent'),
    createdAt: createdAt(),
  },
  (table) => [index('pending_facts_source').on(table.sourceId, table.createdAt)],
)

/** The condition for entries that the reports read. */
const DECISIONS = sql`reason_code IS NOT NULL OR action = 'check_finished'`

/** The timeline of applications and identifications. Each entry is written in the same transaction as its change. */
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
    /** The comments and internal notes. */
    notes: encrypted('notes'),
    /** The paths of changed fields and the IDs of changed files, never their contents. */
    fields: text('fields').array().notNull().default([]),
    files: uuid('files').array().notNull().default([]),
    /** The ID of the fact or command that caused the entry. Each causes at most one entry. */
    causeId: text('cause_id').notNull(),
    /** The ID of the trace in which the change was made, or null. */
    traceId: text('trace_id'),
    createdAt: createdAt(),
  },
  (table) => [
    index('timeline_entity').on(table.entityId, table.id),
    uniqueIndex('timeline_cause').on(table.entityId, table.causeId),
    // This index contains all columns of decisions that the reports read.
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
      .where(DECISIONS),
    // This index starts with the vault, for operators who see only some of the vaults.
    index('timeline_decisions_vault')
      .on(
        table.vaultId,
        table.createdAt,
        table.entity,
        table.action,
        table.to,
        table.reasonCode,
        table.entityId,
      )
      .concurrently()
      .where(DECISIONS),
  ],
)
