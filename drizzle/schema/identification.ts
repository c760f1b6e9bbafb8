/** Schema of identifications, their accounts, holds, links and fiat payments. */
import { sql } from 'drizzle-orm'
import {
  boolean,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core'
import { type HoldOwner, INTERNAL_OWNERS, type Service } from '../../src/domain/identification/holds.ts'
import type {
  IdentificationParty,
  IdentificationState,
  IdentificationStatus,
  Origin,
  Verification,
} from '../../src/domain/identification/identification.ts'
import type { PaymentFailure, PaymentKind, PaymentStatus } from '../../src/domain/payment/payment.ts'
import { vaults } from './access.ts'
import { bytea, createdAt, encrypted, filtered, moment, PENDING, reminded, screened } from './columns.ts'

/** The condition for screened identifications, which are submitted and neither rejected, closed nor erased. */
export const SCREENED_PERSONS = sql`origin <> 'kyb_application' AND waiting_on <> 'applicant' AND verification NOT IN ('rejected', 'closed') AND erased_at IS NULL`
/** The condition for identifications whose screening hits await an operator. */
export const HITS_OF_PERSONS = sql`open_hits > 0 AND verification NOT IN ('rejected', 'closed')`

/**
 * The condition for identifications of applicants without an application. Imported people are excluded, because they
 * never applied.
 */
export const APPLIED = sql`(origin = 'soft_kyc' OR origin = 'hosted' AND kind = 'person')`

export const identifications = pgTable(
  'identifications',
  {
    id: uuid('id').primaryKey(),
    vaultId: uuid('vault_id')
      .notNull()
      .references(() => vaults.id),
    externalUuid: text('external_uuid').notNull(),
    kind: text('kind').$type<'person' | 'company'>().notNull(),
    /** The origin: KYB application, soft KYC, hosted verification, import or beneficiary. */
    origin: text('origin').$type<Origin>().notNull(),
    /**
     * The beneficiary of a later check, whose row may have been deleted. Null for a first check, whose own ID is the
     * beneficiary's.
     */
    beneficiaryId: uuid('beneficiary_id'),
    verification: text('verification').$type<Verification>().notNull(),
    /** The status, which derives from the verification and the holds. It is stored so that lists can filter by it. */
    status: text('status').$type<IdentificationStatus>().notNull(),
    waitingOn: text('waiting_on').$type<IdentificationParty>().notNull(),
    waitingSince: moment('waiting_since').notNull().default(sql`clock_timestamp()`),
    /** The W3C `traceparent` of the change that made the identification wait, or null. */
    waitingTraceparent: text('waiting_traceparent'),
    awaitsKyb: boolean('awaits_kyb').notNull(),
    version: integer('version').notNull().default(1),
    /** The version of the vault's profile that determines the person's form. Version 0 is the default profile. */
    profileVersion: integer('profile_version').notNull().default(0),
    /** The name, the address and the contact details, unless a KYB application contains them. */
    profile: encrypted('profile').notNull(),
    /** The latest decision, including its details that the client may see. */
    review: encrypted('review'),
    /** The decision that awaits a second operator. `proposal` contains its texts. */
    pending: jsonb('pending').$type<NonNullable<IdentificationState['pending']>>(),
    proposal: encrypted('proposal'),
    /**
     * Keyed hashes for the operators' search (src/db/lists/lookup.ts). Null if the row of a KYB application contains
     * them.
     */
    emailHash: bytea('email_hash'),
    nameHash: bytea('name_hash'),
    /** The keyed hash of a person's full name and date of birth. */
    personHash: bytea('person_hash'),
    /** False if an earlier version wrote the row and housekeeping has not yet written its name parts. */
    namesIndexed: boolean('names_indexed').notNull().default(false),
    /** False if an earlier version wrote the row and housekeeping has not yet hashed its names in their current spelling. */
    namesSpelt: boolean('names_spelt').notNull().default(false),
    /** When the identification was rejected or closed, which starts its retention period. */
    concludedAt: moment('concluded_at'),
    /** Prevents an erasure, even after the retention period. */
    legalHold: boolean('legal_hold').notNull().default(false),
    erasedAt: moment('erased_at'),
    ...screened(),
    ...filtered(),
    /** The assigned operator, and when the assignment ends if the operator takes no action. */
    assignedTo: text('assigned_to'),
    assignedUntil: moment('assigned_until'),
    /**
     * When the workflow started. Null until a process has recorded the start. Housekeeping starts missing workflows.
     */
    workflowStartedAt: moment('workflow_started_at'),
    /** When the version last changed. */
    updatedAt: moment('updated_at').notNull().default(sql`clock_timestamp()`),
    createdAt: createdAt(),
  },
  (table) => [
    // This constraint also serves the operators' search across all vaults.
    unique('identifications_external_uuid').on(table.externalUuid, table.vaultId),
    // These indexes serve the lists.
    index('identifications_newest')
      .on(table.vaultId, table.createdAt.desc().nullsFirst(), table.id.desc().nullsFirst())
      .where(sql`origin <> 'beneficiary'`),
    index('identifications_status')
      .on(table.vaultId, table.status, table.createdAt.desc().nullsFirst(), table.id.desc().nullsFirst())
      .concurrently()
      .where(sql`origin <> 'beneficiary'`),
    index('identifications_updated')
      .on(table.vaultId, table.updatedAt.desc().nullsFirst(), table.id.desc().nullsFirst())
      .concurrently()
      .where(sql`origin <> 'beneficiary'`),
    index('identifications_waiting_country')
      .on(table.waitingOn, table.countryHash, table.waitingSince)
      .concurrently()
      .where(sql`waiting_on <> 'nobody'`),
    // This index finds the verifications that move to a later version of a profile.
    index('identifications_profile')
      .on(table.vaultId, table.profileVersion)
      .concurrently()
      .where(sql`waiting_on = 'applicant' AND verification = 'initiated' AND erased_at IS NULL`),
    // This index serves the lists of identifications of a country.
    index('identifications_of_country').on(table.countryHash, table.createdAt).concurrently(),
    index('identifications_without_filters').on(table.id).concurrently().where(sql`risk_hashes IS NULL`),
    index('identifications_unspelt').on(table.id).concurrently().where(sql`NOT names_spelt`),
    index('identifications_unindexed').on(table.id).concurrently().where(sql`NOT names_indexed`),
    index('identifications_unstarted').on(table.createdAt).where(sql`workflow_started_at IS NULL`),
    index('identifications_waiting')
      .on(table.waitingOn, table.waitingSince)
      .where(sql`waiting_on <> 'nobody'`),
    index('identifications_waiting_status')
      .on(table.waitingOn, table.status, table.waitingSince)
      .where(sql`waiting_on <> 'nobody'`),
    index('identifications_waiting_vault')
      .on(table.vaultId, table.waitingOn, table.waitingSince)
      .where(sql`waiting_on <> 'nobody'`),
    index('identifications_assigned')
      .on(table.assignedTo, table.assignedUntil)
      .where(sql`assigned_to IS NOT NULL`),
    // This index contains all columns that the reports read for identifications without an application.
    index('identifications_applied')
      .on(table.createdAt, table.vaultId, table.verification, table.waitingOn, table.id)
      .concurrently()
      .where(APPLIED),
    // These indexes contain the vault, for operators who see only some of the vaults.
    index('identifications_email_vault').on(table.emailHash, table.vaultId).concurrently(),
    index('identifications_name_vault').on(table.nameHash, table.vaultId).concurrently(),
    index('identifications_person_vault').on(table.personHash, table.vaultId).concurrently(),
    index('identifications_beneficiary')
      .on(table.beneficiaryId)
      .concurrently()
      .where(sql`beneficiary_id IS NOT NULL`),
    index('identifications_concluded').on(table.concludedAt).where(sql`erased_at IS NULL`),
    index('identifications_screened').on(table.screenedWith, table.id).where(SCREENED_PERSONS),
    index('identifications_with_hits').on(table.waitingSince).where(HITS_OF_PERSONS),
    index('identifications_pending').on(table.waitingSince).concurrently().where(PENDING),
  ],
)

export const accounts = pgTable(
  'accounts',
  {
    id: uuid('id').primaryKey(),
    identificationId: uuid('identification_id')
      .notNull()
      .references(() => identifications.id),
    referral: text('referral').notNull().unique(),
    createdAt: createdAt(),
  },
  (table) => [index('accounts_identification').on(table.identificationId, table.createdAt)],
)

/** The condition for internal holds. */
export const INTERNAL_HOLDS = sql.raw(`owner IN (${INTERNAL_OWNERS.map((owner) => `'${owner}'`).join(', ')})`)

/** Holds record who blocks which services of an identification, when and why. Lifted holds keep their rows. */
export const holds = pgTable(
  'holds',
  {
    /** The ID of the hold. */
    id: uuid('id').primaryKey(),
    identificationId: uuid('identification_id')
      .notNull()
      .references(() => identifications.id),
    owner: text('owner').$type<HoldOwner>().notNull(),
    services: text('services').array().$type<Service[]>().notNull(),
    reason: text('reason').notNull(),
    /** The notes, which are encrypted because they can contain personal data. */
    notes: encrypted('notes'),
    openedBy: text('opened_by').notNull(),
    openedAt: moment('opened_at').notNull().default(sql`clock_timestamp()`),
    /** When the workflow applied the hold, or null if it has not applied it yet. */
    appliedAt: moment('applied_at'),
    closeRequestedBy: text('close_requested_by'),
    closeRequestedAt: moment('close_requested_at'),
    liftedBy: text('lifted_by'),
    liftedAt: moment('lifted_at'),
  },
  (table) => [
    index('holds_identification').on(table.identificationId, table.openedAt),
    index('holds_in_force')
      .on(table.identificationId)
      .where(sql`applied_at IS NOT NULL AND lifted_at IS NULL`),
    index('holds_cases')
      .on(table.openedAt.desc().nullsFirst(), table.id.desc().nullsFirst())
      .where(INTERNAL_HOLDS),
    index('holds_cases_unlifted')
      .on(table.openedAt.desc().nullsFirst(), table.id.desc().nullsFirst())
      .where(sql`${INTERNAL_HOLDS} AND lifted_at IS NULL`),
  ],
)

/** The account services that holds block, with one row for each. Lifted blocks keep their rows. */
export const serviceBlocks = pgTable(
  'service_blocks',
  {
    holdId: uuid('hold_id')
      .notNull()
      .references(() => holds.id),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    service: text('service').$type<Service>().notNull(),
    reason: text('reason').notNull(),
    notes: encrypted('notes'),
    blockedBy: text('blocked_by').notNull(),
    blockedAt: moment('blocked_at').notNull().default(sql`clock_timestamp()`),
    liftedBy: text('lifted_by'),
    liftedAt: moment('lifted_at'),
  },
  (table) => [
    primaryKey({ columns: [table.holdId, table.accountId, table.service] }),
    index('service_blocks_in_force').on(table.accountId).where(sql`lifted_at IS NULL`),
  ],
)

/** Links to hosted verification. Only the newest link is valid. */
export const verificationLinks = pgTable(
  'verification_links',
  {
    identificationId: uuid('identification_id')
      .primaryKey()
      .references(() => identifications.id),
    tokenHash: bytea('token_hash').notNull().unique(),
    redirectUrl: encrypted('redirect_url'),
    expiresAt: moment('expires_at').notNull(),
    /** The address that the client provided for emails, or null. */
    email: encrypted('email'),
    /** The token, for emails. Null if there is no address, so that only the hash is stored. */
    token: encrypted('token'),
    ...reminded(),
    /** The email with the current one-time code for the form, and when the code expires. Null if there is none. */
    codeId: uuid('code_id'),
    codeExpiresAt: moment('code_expires_at'),
    codeAttempts: integer('code_attempts').notNull().default(0),
    /** When the client created or last replaced the link. */
    createdAt: createdAt(),
  },
  (table) => [
    index('verification_links_remind').on(table.remindAt).concurrently().where(sql`remind_at IS NOT NULL`),
  ],
)

/** Received or failed payments to an account. Only the sandbox simulates them. */
export const payments = pgTable(
  'payments',
  {
    id: uuid('id').primaryKey(),
    vaultId: uuid('vault_id')
      .notNull()
      .references(() => vaults.id),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    kind: text('kind').$type<PaymentKind>().notNull(),
    direction: text('direction').$type<'incoming'>().notNull(),
    /** The amount. The column has no scale, so that responses return the same digits. */
    amount: numeric('amount').notNull(),
    currency: text('currency').notNull(),
    status: text('status').$type<PaymentStatus>().notNull(),
    reasonCode: text('reason_code').$type<PaymentFailure>(),
    createdAt: createdAt(),
  },
  (table) => [index('payments_account').on(table.accountId, table.createdAt)],
)
