/** Schema of emails. Each row is one notice, which a worker sends after the commit. */
import { sql } from 'drizzle-orm'
import { index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { EmailStatus, Notice } from '../../src/domain/email/notice.ts'
import { vaults } from './access.ts'
import { bytea, createdAt, encrypted, moment } from './columns.ts'
import { identifications } from './identification.ts'

/** The condition for emails to the applicant of a case that were not delivered. */
export const UNDELIVERED = sql`status IN ('refused', 'failed', 'limited') AND identification_id IS NOT NULL AND beneficiary_id IS NULL`

export const emails = pgTable(
  'emails',
  {
    /** The ID, which is also part of the `Message-ID`. */
    id: uuid('id').primaryKey(),
    vaultId: uuid('vault_id')
      .notNull()
      .references(() => vaults.id),
    /** The case of an email to an applicant, or null. */
    identificationId: uuid('identification_id').references(() => identifications.id),
    /** The beneficiary of the company's case to whom the email is sent, or null. */
    beneficiaryId: uuid('beneficiary_id'),
    /** The webhook URL of an email to a client's administrator, and the administrator, or null. */
    webhookUrlId: uuid('webhook_url_id'),
    userId: uuid('user_id'),
    notice: text('notice').$type<Notice>().notNull(),
    /** The address of an applicant, until the email has ended. The text is written when the email is sent. */
    address: encrypted('address'),
    addressHash: bytea('address_hash').notNull(),
    status: text('status').$type<EmailStatus>().notNull().default('pending'),
    attempts: integer('attempts').notNull().default(0),
    /** The lease of the process that makes the current attempt. Null if there is none. */
    leaseId: uuid('lease_id'),
    /** When the first attempt began, which counts towards the limits. Null until then. */
    attemptedAt: moment('attempted_at'),
    /** The earliest time of the first attempt. Null if it is due at once. */
    dueAt: moment('due_at'),
    workflowStartedAt: moment('workflow_started_at'),
    createdAt: createdAt(),
  },
  (table) => [
    index('emails_identification').on(table.identificationId),
    index('emails_address').on(table.addressHash, table.attemptedAt),
    index('emails_vault').on(table.vaultId, table.attemptedAt),
    index('emails_undelivered').on(table.vaultId, table.identificationId).where(UNDELIVERED).concurrently(),
    index('emails_of_users').on(table.createdAt).where(sql`user_id IS NOT NULL`).concurrently(),
    index('emails_unstarted').on(table.createdAt).where(sql`workflow_started_at IS NULL`),
  ],
)
