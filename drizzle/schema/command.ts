/** Schema of commands, facts and the timeline. */
import { sql } from 'drizzle-orm'
import { bigserial, index, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import type { Entity, Facts, States } from '../../src/domain/entity.ts'
import { createdAt, encrypted, moment } from './columns.ts'

/** Commands in progress and applied: content, caller and result. */
export const commands = pgTable(
  'commands',
  {
    id: uuid('id').primaryKey(),
    entity: text('entity').$type<Entity>().notNull(),
    entityId: uuid('entity_id').notNull(),
    vaultId: uuid('vault_id').notNull(),
    kind: text('kind').notNull(),
    /** Null once the command is applied, because nothing needs it after that. */
    payload: encrypted('payload'),
    actor: text('actor').notNull(),
    createdAt: createdAt(),
    /** The deadline. A command that is not applied before it is never applied. */
    expiresAt: moment('expires_at').notNull(),
    appliedAt: moment('applied_at'),
    /** The W3C `traceparent` of the span that sent it, or null. */
    traceparent: text('traceparent'),
    /** The state after the command. */
    result: jsonb('result').$type<States[Entity]>(),
  },
  (table) => [
    index('commands_entity').on(table.entityId, table.createdAt),
    index('commands_unapplied').on(table.expiresAt).where(sql`applied_at IS NULL`),
  ],
)

/**
 * Applied commands that the workflow has not acknowledged to the sender, because a Temporal server that stops
 * can lose an update. If a row remains, housekeeping makes the workflow read its state again.
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
    /** The entity whose change the fact reports. Its facts are sent in order. */
    sourceId: uuid('source_id').notNull(),
    /** The entity that applies the fact. */
    entity: text('entity').$type<Entity>().notNull(),
    entityId: uuid('entity_id').notNull(),
    vaultId: uuid('vault_id').notNull(),
    /** The message to the workflow, without personal data, because workflow histories keep it. */
    fact: jsonb('fact').$type<Facts[Entity]>().notNull(),
    /** The W3C `traceparent` of the span that caused it, or null. */
    traceparent: text('traceparent'),
    createdAt: createdAt(),
  },
  (table) => [index('pending_facts_source').on(table.sourceId, table.createdAt)],
)

/** The entries that the reports read. */
const DECISIONS = sql`reason_code IS NOT NULL OR action = 'check_finished'`

/** The timeline: each change to an application or identification, written in the transaction of the change. */
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
    /** Paths of changed fields, and IDs of files. Never their content. */
    fields: text('fields').array().notNull().default([]),
    files: uuid('files').array().notNull().default([]),
    /** The fact or command that caused the entry. Each causes at most one. */
    causeId: text('cause_id').notNull(),
    /** The ID of the trace in which the change was made, or null. */
    traceId: text('trace_id'),
    createdAt: createdAt(),
  },
  (table) => [
    index('timeline_entity').on(table.entityId, table.id),
    uniqueIndex('timeline_cause').on(table.entityId, table.causeId),
    // Contains all columns of decisions that the reports read.
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
    // The same for operators who see only some of the vaults.
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
