/** Schema of vaults, users, API keys, signing keys and limits. */
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
  uniqueIndex,
  uuid,
  varchar,
} from 'drizzle-orm/pg-core'
import type { ClientRole } from '../../src/domain/access/access.ts'
import type { OperatorRole } from '../../src/domain/access/grant.ts'
import type { FourEyes } from '../../src/domain/access/review-policy.ts'
import type { Language } from '../../src/domain/base/language.ts'
import { REVIEW_TARGET_HOURS } from '../../src/domain/review/review-target.ts'
import { bytea, createdAt, encrypted, milliseconds, moment } from './columns.ts'

export const vaults = pgTable('vaults', {
  id: uuid('id').primaryKey(),
  name: text('name').notNull(),
  importEnabled: boolean('import_enabled').notNull().default(false),
  internalSettlementsEnabled: boolean('internal_settlements_enabled').notNull().default(false),
  /** True if webhook requests contain the `traceparent` header. */
  sendTraceparent: boolean('send_traceparent').notNull().default(false),
  /** The decisions that need a second operator, and the countries that count as high-risk. */
  fourEyes: text('four_eyes').array().$type<FourEyes[]>().notNull().default([]),
  highRiskCountries: text('high_risk_countries').array().notNull().default(['IR', 'KP', 'MM']),
  /** The review target, in hours of working days (src/domain/review/review-target.ts). */
  reviewTargetHours: integer('review_target_hours').notNull().default(REVIEW_TARGET_HOURS.default),
  tradingFee: numeric('trading_fee', { mode: 'number' }).notNull().default(0),
  /** The branding of the hosted pages. Colours have the format #rrggbb, and the logo is a PNG. */
  logo: bytea('logo'),
  accentColor: text('accent_color'),
  accentColorDark: text('accent_color_dark'),
  supportEmail: text('support_email'),
  privacyUrl: text('privacy_url'),
  languages: text('languages').array().$type<Language[]>().notNull().default(['en', 'de']),
  defaultLanguage: text('default_language').$type<Language>().notNull().default('en'),
  /** True if applicants receive emails, and whether these include the outcome. */
  emails: boolean('emails').notNull().default(false),
  emailOutcomes: boolean('email_outcomes').notNull().default(false),
  createdAt: createdAt(),
})

/** Prepared comments that reviewers insert, in the languages of a vault. */
export const commentTemplates = pgTable(
  'comment_templates',
  {
    /** The ID, which sorts by time. */
    id: uuid('id').primaryKey(),
    vaultId: uuid('vault_id')
      .notNull()
      .references(() => vaults.id),
    language: text('language').$type<Language>().notNull(),
    title: text('title').notNull(),
    text: text('text').notNull(),
    createdAt: createdAt(),
  },
  (table) => [index('comment_templates_vault').on(table.vaultId)],
)

/** Users who sign in. Client developers have roles in vaults, and operators have grants. */
export const users = pgTable('users', {
  id: uuid('id').primaryKey(),
  email: encrypted('email').notNull(),
  emailHash: bytea('email_hash').notNull().unique(),
  /** The hash of the password. For operators who sign in only with single sign-on, no password matches this hash. */
  passwordHash: text('password_hash').notNull(),
  /** When a one-time password expires. Null if the user chose the password. */
  passwordExpiresAt: moment('password_expires_at'),
  /** The version that each access token contains. Increasing it revokes all earlier tokens. */
  tokenVersion: integer('token_version').notNull().default(0),
  otpRequiredForLogin: boolean('otp_required_for_login').notNull().default(false),
  otpSecret: encrypted('otp_secret'),
  /** The secret of a pending enrolment. It replaces the current secret once the user confirms a code. */
  otpPendingSecret: encrypted('otp_pending_secret'),
  /** The time step of the newest code that was used. Codes of this step and of earlier steps are refused. */
  otpUsedStep: integer('otp_used_step'),
  /**
   * The roles for all vaults, as an earlier version stored them. They apply until the user's grants change. The column
   * remains until no process of that version can run, because a copy would outlive a role that such a process removes.
   */
  operatorRoles: text('operator_roles').array().notNull().default([]),
  /** When the user's access ends, or null if it does not end. */
  accessEndsAt: moment('access_ends_at'),
  /**
   * The vault whose own administrator added the user as a member, or null. The email of a member is unique in its vault,
   * so that it reveals and occupies no other account.
   */
  memberOf: uuid('member_of'),
  createdAt: createdAt(),
})

/** The roles of each operator, in one vault or in all vaults. */
export const operatorGrants = pgTable(
  'operator_grants',
  {
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    role: text('role').$type<OperatorRole>().notNull(),
    /** The vault, or null for all vaults. */
    vaultId: uuid('vault_id').references(() => vaults.id),
    createdAt: createdAt(),
  },
  // This index also serves queries for a user's grants.
  (table) => [unique('operator_grants_once').on(table.userId, table.role, table.vaultId).nullsNotDistinct()],
)

/** The roles that a group gives its members, in one vault or in all vaults. A group without a row grants no role. */
export const operatorGroups = pgTable(
  'operator_groups',
  {
    /** The name of the group at the OpenID provider. */
    name: text('name').notNull(),
    role: text('role').$type<OperatorRole>().notNull(),
    /** The vault, or null for all vaults. */
    vaultId: uuid('vault_id'),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex('operator_groups_once')
      .on(table.name, table.role, sql`coalesce(vault_id, '00000000-0000-0000-0000-000000000000')`)
      .concurrently(),
  ],
)

/** The groups of each operator, as the OpenID provider stated them. */
export const operatorGroupMembers = pgTable(
  'operator_group_members',
  {
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    groupName: text('group_name').notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.groupName] }),
    index('operator_group_members_group').on(table.groupName),
  ],
)

/** The identities of operators at the OpenID provider. */
export const operatorIdentities = pgTable(
  'operator_identities',
  {
    issuer: text('issuer').notNull(),
    /** The keyed hash of the operator's subject at the provider. */
    subjectHash: bytea('subject_hash').notNull(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.issuer, table.subjectHash] }),
    index('operator_identities_user').on(table.userId),
  ],
)

export const vaultUsers = pgTable(
  'vault_users',
  {
    vaultId: uuid('vault_id')
      .notNull()
      .references(() => vaults.id),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    roles: text('roles').array().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.vaultId] }),
    index('vault_users_vault').on(table.vaultId),
  ],
)

export const apiKeys = pgTable(
  'api_keys',
  {
    id: uuid('id').primaryKey(),
    vaultId: uuid('vault_id')
      .notNull()
      .references(() => vaults.id),
    /** The first characters of the key, by which people recognise it. */
    prefix: text('prefix').notNull(),
    keyHash: bytea('key_hash').notNull().unique(),
    /** The name of the key, which a person chose. */
    name: text('name'),
    roles: text('roles').array().$type<ClientRole[]>().notNull(),
    createdAt: createdAt(),
    lastUsedAt: moment('last_used_at'),
    expiresAt: moment('expires_at'),
    revokedAt: moment('revoked_at'),
    /** True until a second administrator confirms the key. Until then, the key is not valid. */
    awaitsConfirmation: boolean('awaits_confirmation').notNull().default(false),
  },
  (table) => [index('api_keys_vault').on(table.vaultId)],
)

/** The key pairs that sign access tokens. A key pair is used only from one minute after its creation. */
export const signingKeys = pgTable('signing_keys', {
  id: uuid('id').primaryKey(),
  privateJwk: encrypted('private_jwk').notNull(),
  publicJwk: jsonb('public_jwk').$type<{ kty: string; crv: string; x: string }>().notNull(),
  createdAt: createdAt(),
})

/** The counters for limits, which all processes share. */
export const counters = pgTable(
  'counters',
  {
    key: varchar('key', { length: 255 }).primaryKey(),
    points: integer('points').notNull().default(0),
    expiresAt: milliseconds('expires_at_ms'),
  },
  (table) => [index('counters_expires').on(table.expiresAt)],
)

/** Requests with an Idempotency-Key, kept for a day. The request is stored as a hash, and the response is encrypted. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    /** The hash of the caller, the route and the key. */
    scope: text('scope').primaryKey(),
    requestHash: bytea('request_hash').notNull(),
    /** The ID of the command or of the created resource. It is the same each time the request runs. */
    effectId: uuid('effect_id').notNull(),
    /** The number of runs. Once a later run has begun, an earlier run can no longer write. */
    run: integer('run').notNull().default(1),
    /** When the lease of the run ends. No other process runs the request before that. */
    leaseExpiresAt: moment('lease_expires_at').notNull(),
    response: encrypted('response'),
    createdAt: createdAt(),
  },
  (table) => [index('idempotency_keys_oldest').on(table.createdAt)],
)

/** Administrative actions that await a second administrator. */
export const adminProposals = pgTable('admin_proposals', {
  /** The ID, which sorts by time. */
  id: uuid('id').primaryKey(),
  proposedBy: text('proposed_by').notNull(),
  action: encrypted('action').notNull(),
  /** The vault that the action changes, or null if the action concerns the deployment. */
  vaultId: uuid('vault_id'),
  createdAt: createdAt(),
})
