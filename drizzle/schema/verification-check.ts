/** Schema of verification checks, and of the links through which a provider fetches documents. */
import { index, integer, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core'
import type { CheckOutcome } from '../../src/domain/identification/identification.ts'
import type { CheckFailure, ProviderName } from '../../src/domain/identification/verification-check.ts'
import { vaults } from './access.ts'
import { bytea, createdAt, moment } from './columns.ts'
import { files } from './file.ts'
import { identifications } from './identification.ts'

/**
 * Verification checks, one for each time that an identification waits on the provider. Only this row determines the
 * result of a check.
 */
export const verificationChecks = pgTable(
  'verification_checks',
  {
    id: uuid('id').primaryKey(),
    vaultId: uuid('vault_id')
      .notNull()
      .references(() => vaults.id),
    identificationId: uuid('identification_id')
      .notNull()
      .references(() => identifications.id),
    provider: text('provider').$type<ProviderName>().notNull(),
    /** When the identification began to wait on the provider, in whole milliseconds. */
    waitingSince: moment('waiting_since').notNull(),
    /** When an asynchronous provider accepted the check. */
    acceptedAt: moment('accepted_at'),
    answeredAt: moment('answered_at'),
    outcome: text('outcome').$type<CheckOutcome>(),
    reasonCode: text('reason_code'),
    /** The names of the fields to correct. */
    fields: text('fields').array().$type<string[]>(),
    /** Why the check was abandoned. An operator then decides, even if a result arrives later. */
    failure: text('failure').$type<CheckFailure>(),
    /** When the result arrived or the check was abandoned, whichever came first. */
    settledAt: moment('settled_at'),
    /** Temporal's token for the activity that waits for the result, in base64. */
    taskToken: text('task_token'),
    createdAt: createdAt(),
  },
  (table) => [
    unique('verification_checks_wait').on(table.identificationId, table.waitingSince),
    // This index serves the limit on checks per vault.
    index('verification_checks_vault').on(table.vaultId, table.createdAt).concurrently(),
  ],
)

/** Links to documents. Only the hashes of the links' tokens are stored. */
export const checkLinks = pgTable(
  'check_links',
  {
    tokenHash: bytea('token_hash').primaryKey(),
    checkId: uuid('check_id')
      .notNull()
      .references(() => verificationChecks.id),
    fileId: uuid('file_id')
      .notNull()
      .references(() => files.id, { onDelete: 'cascade' }),
    openCount: integer('open_count').notNull().default(0),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [index('check_links_file').on(table.fileId), index('check_links_expires').on(table.expiresAt)],
)
