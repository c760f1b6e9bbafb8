/** What administrators did. */
import { index, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { AuditAction, AuditSubject, Changes } from '../../src/domain/access/audit.ts'
import { createdAt, encrypted } from './columns.ts'

export const auditLog = pgTable(
  'audit_log',
  {
    /** Ids are in the order of time. */
    id: uuid('id').primaryKey(),
    action: text('action').$type<AuditAction>().notNull(),
    actor: text('actor').notNull(),
    /** From which the actor called. */
    ipAddress: encrypted('ip_address'),
    /** Of what belongs to one vault. No foreign key: it outlives what it tells of. */
    vaultId: uuid('vault_id'),
    subject: text('subject').$type<AuditSubject>().notNull(),
    subjectId: uuid('subject_id'),
    changes: jsonb('changes').$type<Changes>().notNull().default({}),
    count: integer('count').notNull().default(1),
    /** Entries that would be too many share a row, which has their key and `count`. */
    countKey: text('count_key').unique(),
    createdAt: createdAt(),
  },
  (table) => [
    index('audit_log_actor').on(table.actor, table.id),
    index('audit_log_vault').on(table.vaultId, table.id),
    index('audit_log_action').on(table.action, table.id),
  ],
)
