/** Schema of the audit trail of administrative actions. */
import { index, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { AuditAction, AuditSubject, Changes } from '../../src/domain/access/audit.ts'
import { createdAt, encrypted } from './columns.ts'

export const auditLog = pgTable(
  'audit_log',
  {
    /** The ID, which sorts by time. */
    id: uuid('id').primaryKey(),
    action: text('action').$type<AuditAction>().notNull(),
    actor: text('actor').notNull(),
    /** The IP address of the actor. */
    ipAddress: encrypted('ip_address'),
    /** The vault of the resource. This is not a foreign key, because the entry outlives the vault. */
    vaultId: uuid('vault_id'),
    subject: text('subject').$type<AuditSubject>().notNull(),
    subjectId: uuid('subject_id'),
    changes: jsonb('changes').$type<Changes>().notNull().default({}),
    count: integer('count').notNull().default(1),
    /** The key of a row that frequent actions share. `count` contains their number. */
    countKey: text('count_key').unique(),
    createdAt: createdAt(),
  },
  (table) => [
    index('audit_log_actor').on(table.actor, table.id),
    index('audit_log_vault').on(table.vaultId, table.id),
    index('audit_log_action').on(table.action, table.id),
  ],
)
