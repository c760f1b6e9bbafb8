/** Verification checks, and the links by which a provider fetches what was shown. */
import { index, integer, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core'
import type { CheckOutcome } from '../../src/domain/identification/identification.ts'
import type { CheckFailure, ProviderName } from '../../src/domain/identification/verification-check.ts'
import { vaults } from './access.ts'
import { bytea, createdAt, moment } from './columns.ts'
import { files } from './file.ts'
import { identifications } from './identification.ts'

/** One for each time that an identification waits on the provider. What is believed of a check is its row. */
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
    /** Since when the provider was waited for, in whole milliseconds: what the check is about. */
    waitingSince: moment('waiting_since').notNull(),
    /** When a provider that answers later took it on. */
    acceptedAt: moment('accepted_at'),
    answeredAt: moment('answered_at'),
    outcome: text('outcome').$type<CheckOutcome>(),
    reasonCode: text('reason_code'),
    /** Names of what is to be mended. */
    fields: text('fields').array().$type<string[]>(),
    /** Why it was given up: an operator decides, whatever is answered afterwards. */
    failure: text('failure').$type<CheckFailure>(),
    /** When it was answered or given up, whichever came first. */
    settledAt: moment('settled_at'),
    /** By which Temporal knows the activity that waits for the answer, in base64. */
    taskToken: text('task_token'),
    createdAt: createdAt(),
  },
  (table) => [unique('verification_checks_wait').on(table.identificationId, table.waitingSince)],
)

/** Links to documents, by the hashes of their tokens. */
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
