/** Schema of KYB applications and their beneficiaries. */
import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core'
import type { ReasonCode } from '../../src/domain/decision/decision.ts'
import type { KybState, KybStatus, ReviewOutcome, WaitingOn } from '../../src/domain/kyb/application.ts'
import { vaults } from './access.ts'
import { bytea, createdAt, encrypted, filtered, moment, PENDING, reminded, screened } from './columns.ts'
import { identifications } from './identification.ts'

/**
 * The condition for screened applications. They are complete, approved or under appeal. An application under appeal may
 * be incomplete.
 */
export const SCREENED_COMPANIES = sql`(completed OR review_outcome = 'approved' OR appealed) AND status <> 'abandoned' AND (review_outcome IS DISTINCT FROM 'rejected' OR appealed)`
/** The condition for applications whose screening hits await an operator. */
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
    /** The version of the vault's profile that determines the form. Version 0 is the default profile. */
    profileVersion: integer('profile_version').notNull().default(0),
    status: text('status').$type<KybStatus>().notNull(),
    completed: boolean('completed').notNull(),
    correcting: boolean('correcting').notNull().default(false),
    unsubmitted: boolean('unsubmitted').notNull().default(false),
    waitingOn: text('waiting_on').$type<WaitingOn>().notNull(),
    waitingSince: moment('waiting_since').notNull().default(sql`clock_timestamp()`),
    version: integer('version').notNull().default(1),
    /** The paths of the missing requirements, stored so that lists do not need to derive them. */
    currentlyDue: text('currently_due').array().notNull(),
    /** The content of the four sections. Beneficiaries have their own rows. */
    content: encrypted('content').notNull(),
    /**
     * The company's name, so that lists do not need to decrypt the content. Null if an earlier version wrote the row.
     */
    companyName: encrypted('company_name'),
    /** The latest decision of the review. */
    reviewOutcome: text('review_outcome').$type<ReviewOutcome>(),
    /** True if the review rejected the application, but its identification is neither rejected nor closed. */
    appealed: boolean('appealed').notNull().default(false),
    reviewReasonCode: text('review_reason_code').$type<ReasonCode>(),
    reviewedAt: moment('reviewed_at'),
    /** When the applicant last submitted the form. Null while the application waits on the client. */
    submittedAt: moment('submitted_at'),
    /** The comment for the client, and the requested corrections. */
    review: encrypted('review'),
    /** The decision that awaits a second operator. `proposal` contains its texts. */
    pending: jsonb('pending').$type<NonNullable<KybState['pending']>>(),
    proposal: encrypted('proposal'),
    ...screened(),
    ...filtered(),
    /** Keyed hashes of the company's email and legal name. */
    emailHash: bytea('email_hash'),
    nameHash: bytea('name_hash'),
    /** The keyed hash of the number in the company's national register. */
    registrationHash: bytea('registration_hash'),
    /** False if an earlier version wrote the row and housekeeping has not yet written its name parts. */
    namesIndexed: boolean('names_indexed').notNull().default(false),
    /** False if an earlier version wrote the row and housekeeping has not yet hashed its names in their current spelling. */
    namesSpelt: boolean('names_spelt').notNull().default(false),
    /** The content at the latest decision, with which later content is compared. */
    decidedContent: encrypted('decided_content'),
    /** The assigned operator, and when the assignment ends if the operator takes no action. */
    assignedTo: text('assigned_to'),
    assignedUntil: moment('assigned_until'),
    workflowStartedAt: moment('workflow_started_at'),
    /** When the version last changed. */
    updatedAt: moment('updated_at').notNull().default(sql`clock_timestamp()`),
    createdAt: createdAt(),
  },
  (table) => [
    // This constraint also serves the operators' search across all vaults.
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
    // This index contains all columns that the reports read for applications.
    index('kyb_applications_figures').on(
      table.createdAt,
      table.vaultId,
      table.status,
      table.waitingOn,
      table.reviewOutcome,
      table.id,
    ),
    // These indexes contain the vault, for operators who see only some of the vaults.
    index('kyb_applications_email_vault').on(table.emailHash, table.vaultId).concurrently(),
    index('kyb_applications_name_vault').on(table.nameHash, table.vaultId).concurrently(),
    index('kyb_applications_registration_vault').on(table.registrationHash, table.vaultId).concurrently(),
    index('kyb_applications_waiting').on(table.waitingOn, table.waitingSince).where(sql`status = 'open'`),
    index('kyb_applications_waiting_vault')
      .on(table.vaultId, table.waitingOn, table.waitingSince)
      .where(sql`status = 'open'`),
    index('kyb_applications_screened').on(table.screenedWith, table.id).where(SCREENED_COMPANIES),
    index('kyb_applications_with_hits').on(table.waitingSince).where(HITS_OF_COMPANIES),
    index('kyb_applications_pending').on(table.waitingSince).concurrently().where(PENDING),
    index('kyb_applications_assigned')
      .on(table.assignedTo, table.assignedUntil)
      .where(sql`assigned_to IS NOT NULL`),
    // This index finds the applications that move to a later version of a profile.
    index('kyb_applications_profile')
      .on(table.vaultId, table.profileVersion)
      .concurrently()
      .where(sql`status = 'open'`),
    index('kyb_applications_open').on(table.id).where(sql`status = 'open'`),
    index('kyb_applications_waiting_country')
      .on(table.waitingOn, table.countryHash, table.waitingSince)
      .concurrently()
      .where(sql`status = 'open'`),
    // This index serves the list of cases of a country.
    index('kyb_applications_country').on(table.countryHash, table.createdAt).concurrently(),
    index('kyb_applications_without_filters').on(table.id).concurrently().where(sql`risk_hashes IS NULL`),
    index('kyb_applications_unspelt').on(table.id).concurrently().where(sql`NOT names_spelt`),
    index('kyb_applications_unindexed').on(table.id).concurrently().where(sql`NOT names_indexed`),
    index('kyb_applications_unstarted').on(table.createdAt).where(sql`workflow_started_at IS NULL`),
  ],
)

export const beneficiaries = pgTable(
  'beneficiaries',
  {
    /** The `external_id` in responses. */
    id: uuid('id').primaryKey(),
    kybApplicationId: uuid('kyb_application_id')
      .notNull()
      .references(() => kybApplications.id),
    /**
     * The current check. Null during the first check, which has the beneficiary's ID and begins when the link is
     * opened.
     */
    checkId: uuid('check_id'),
    position: integer('position').notNull(),
    person: encrypted('person').notNull(),
    /** The keyed hash of the person's email. */
    emailHash: bytea('email_hash'),
    /** The token of the link, encrypted for responses and hashed for lookups. */
    token: encrypted('token').notNull(),
    tokenHash: bytea('token_hash').notNull().unique(),
    tokenExpiresAt: moment('token_expires_at').notNull().default(sql`clock_timestamp() + interval '7 days'`),
    ...reminded(),
    /**
     * When the person was removed from the application, or null. The row is deleted once the person's verification has
     * ended.
     */
    removedAt: moment('removed_at'),
  },
  (table) => [
    index('beneficiaries_kyb_application').on(table.kybApplicationId, table.position),
    index('beneficiaries_check').on(table.checkId).concurrently().where(sql`check_id IS NOT NULL`),
    index('beneficiaries_remind').on(table.remindAt).concurrently().where(sql`remind_at IS NOT NULL`),
    index('beneficiaries_email').on(table.emailHash).where(sql`removed_at IS NULL`),
  ],
)
