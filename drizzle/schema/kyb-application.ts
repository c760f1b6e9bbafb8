/** KYB applications with their beneficiaries and files. */
import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core'
import type { ReasonCode } from '../../src/domain/decision/decision.ts'
import type { KybState, KybStatus, ReviewOutcome, WaitingOn } from '../../src/domain/kyb/application.ts'
import { vaults } from './access.ts'
import { bytea, createdAt, encrypted, moment, screened } from './columns.ts'
import { identifications } from './identification.ts'

/** Which are screened: those that are complete, approved, or looked at on appeal, which may be incomplete. */
export const SCREENED_COMPANIES = sql`(completed OR review_outcome = 'approved' OR appealed) AND status <> 'abandoned' AND (review_outcome IS DISTINCT FROM 'rejected' OR appealed)`
/** Whose hits wait for an operator. */
export const HITS_OF_COMPANIES = sql`open_hits > 0 AND status <> 'abandoned' AND (review_outcome IS DISTINCT FROM 'rejected' OR appealed)`

export const kybApplications = pgTable(
  'kyb_applications',
  {
    id: uuid('id').primaryKey(),
    vaultId: uuid('vault_id')
      .notNull()
      .references(() => vaults.id),
    identificationId: uuid('identification_id')
      .notNull()
      .unique()
      .references(() => identifications.id),
    externalId: text('external_id').notNull(),
    clientKyc: boolean('client_kyc').notNull(),
    internal: boolean('internal').notNull(),
    passwordHash: bytea('password_hash').notNull(),
    status: text('status').$type<KybStatus>().notNull(),
    completed: boolean('completed').notNull(),
    correcting: boolean('correcting').notNull().default(false),
    waitingOn: text('waiting_on').$type<WaitingOn>().notNull(),
    waitingSince: moment('waiting_since').notNull().default(sql`clock_timestamp()`),
    version: integer('version').notNull().default(1),
    /** Paths of what is required and missing, so that a list need not derive them. */
    currentlyDue: text('currently_due').array().notNull(),
    /** The four sections; beneficiaries have rows of their own. */
    content: encrypted('content').notNull(),
    /** The newest decision of the review. */
    reviewOutcome: text('review_outcome').$type<ReviewOutcome>(),
    /** The review rejected it, and its identification is neither rejected nor closed any more. */
    appealed: boolean('appealed').notNull().default(false),
    reviewReasonCode: text('review_reason_code').$type<ReasonCode>(),
    reviewedAt: moment('reviewed_at'),
    /** When the applicant last submitted the form; null while the application waits for the client. */
    submittedAt: moment('submitted_at'),
    /** Its comment for the client, and what it wants mended. */
    review: encrypted('review'),
    /** A decision that waits for a second operator: what it is, and its words. */
    pending: jsonb('pending').$type<NonNullable<KybState['pending']>>(),
    proposal: encrypted('proposal'),
    ...screened(),
    /** Keyed hashes of the company's e-mail and legal name. */
    emailHash: bytea('email_hash'),
    nameHash: bytea('name_hash'),
    /** And of its number in the register of its country. */
    registrationHash: bytea('registration_hash'),
    /** What it said when it was last decided about, to tell what has changed since. */
    decidedContent: encrypted('decided_content'),
    /** The operator who has it in hand, and until when unless more is done. */
    assignedTo: text('assigned_to'),
    assignedUntil: moment('assigned_until'),
    workflowStartedAt: moment('workflow_started_at'),
    /** When the version last changed. */
    updatedAt: moment('updated_at').notNull().default(sql`clock_timestamp()`),
    createdAt: createdAt(),
  },
  (table) => [
    // Operators find it whosever it is.
    unique('kyb_applications_external_id').on(table.externalId, table.vaultId),
    index('kyb_applications_newest').on(
      table.vaultId,
      table.createdAt.desc().nullsFirst(),
      table.id.desc().nullsFirst(),
    ),
    index('kyb_applications_status').on(
      table.vaultId,
      table.status,
      table.createdAt.desc().nullsFirst(),
      table.id.desc().nullsFirst(),
    ),
    index('kyb_applications_completed')
      .on(table.vaultId, table.createdAt.desc().nullsFirst(), table.id.desc().nullsFirst())
      .where(sql`completed`),
    index('kyb_applications_waiting_newest')
      .on(table.vaultId, table.waitingOn, table.createdAt.desc().nullsFirst(), table.id.desc().nullsFirst())
      .concurrently()
      .where(sql`status = 'open'`),
    index('kyb_applications_reviewed')
      .on(
        table.vaultId,
        table.reviewOutcome,
        table.createdAt.desc().nullsFirst(),
        table.id.desc().nullsFirst(),
      )
      .concurrently()
      .where(sql`review_outcome IS NOT NULL`),
    index('kyb_applications_updated')
      .on(table.vaultId, table.updatedAt.desc().nullsFirst(), table.id.desc().nullsFirst())
      .concurrently(),
    // All that figures read of an application is in it.
    index('kyb_applications_figures').on(
      table.createdAt,
      table.vaultId,
      table.status,
      table.waitingOn,
      table.reviewOutcome,
      table.id,
    ),
    index('kyb_applications_email').on(table.emailHash),
    index('kyb_applications_name').on(table.nameHash),
    index('kyb_applications_registration').on(table.registrationHash),
    index('kyb_applications_waiting').on(table.waitingOn, table.waitingSince).where(sql`status = 'open'`),
    index('kyb_applications_waiting_vault')
      .on(table.vaultId, table.waitingOn, table.waitingSince)
      .where(sql`status = 'open'`),
    index('kyb_applications_screened').on(table.screenedWith, table.id).where(SCREENED_COMPANIES),
    index('kyb_applications_with_hits').on(table.waitingSince).where(HITS_OF_COMPANIES),
    index('kyb_applications_assigned')
      .on(table.assignedTo, table.assignedUntil)
      .where(sql`assigned_to IS NOT NULL`),
    index('kyb_applications_open').on(table.id).where(sql`status = 'open'`),
    index('kyb_applications_unstarted').on(table.createdAt).where(sql`workflow_started_at IS NULL`),
  ],
)

export const beneficiaries = pgTable(
  'beneficiaries',
  {
    /** The `external_id` that answers show. */
    id: uuid('id').primaryKey(),
    kybApplicationId: uuid('kyb_application_id')
      .notNull()
      .references(() => kybApplications.id),
    /** The current check; null while it is the first, which has the beneficiary's id and begins when its link is opened. */
    checkId: uuid('check_id'),
    position: integer('position').notNull(),
    person: encrypted('person').notNull(),
    /** A keyed hash of the person's e-mail. */
    emailHash: bytea('email_hash'),
    /** The link's token: sealed, so that answers can show it; hashed, so that the page can find it. */
    token: encrypted('token').notNull(),
    tokenHash: bytea('token_hash').notNull().unique(),
    tokenExpiresAt: moment('token_expires_at').notNull().default(sql`clock_timestamp() + interval '7 days'`),
    /** Gone from the application; the row goes once the person's own verification has ended. */
    removedAt: moment('removed_at'),
  },
  (table) => [
    index('beneficiaries_kyb_application').on(table.kybApplicationId, table.position),
    index('beneficiaries_check').on(table.checkId).concurrently().where(sql`check_id IS NOT NULL`),
    index('beneficiaries_email').on(table.emailHash).where(sql`removed_at IS NULL`),
  ],
)
