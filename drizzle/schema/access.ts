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
import type { Language } from '../../src/domain/access/branding.ts'
import type { OperatorRole } from '../../src/domain/access/grant.ts'
import type { FourEyes } from '../../src/domain/decision/confirmation.ts'
import { REVIEW_TARGET_HOURS } from '../../src/domain/decision/review-target.ts'
import { bytea, createdAt, encrypted, milliseconds, moment } from './columns.ts'

export const vaults = pgTable('vaults', {
  id: uuid('id').primaryKey(),
  name: text('name').notNull(),
  importEnabled: boolean('import_enabled').notNull().default(false),
  internalSettlementsEnabled: boolean('internal_settlements_enabled').notNull().default(false),
  /** True if webhook requests contain the `traceparent` header. */
  sendTraceparent: boolean('send_traceparent').notNull().default(false),
  /** Decisions that need a second operator, and countries that count as high risk. */
  fourEyes: text('four_eyes').array().$type<FourEyes[]>().notNull().default([]),
  highRiskCountries: text('high_risk_countries').array().notNull().default(['IR', 'KP', 'MM']),
  /** In hours of working days (src/domain/decision/review-target.ts). */
  reviewTargetHours: integer('review_target_hours').notNull().default(REVIEW_TARGET_HOURS.default),
  tradingFee: numeric('trading_fee', { mode: 'number' }).notNull().default(0),
  /** Branding of the hosted pages. Colours are #rrggbb, the logo is a PNG. */
  logo: bytea('logo'),
  accentColor: text('accent_color'),
  accentColorDark: text('accent_color_dark'),
  supportEmail: text('support_email'),
  privacyUrl: text('privacy_url'),
  languages: text('languages').array().$type<Language[]>().notNull().default(['en', 'de']),
  defaultLanguage: text('default_language').$type<Language>().notNull().default('en'),
  createdAt: createdAt(),
})

/** Prepared comments that reviewers insert, in the client's language. */
export const commentTemplates = pgTable(
  'comment_templates',
  {
    /** IDs sort by time. */
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

/** Users who sign in. Developers of clients have roles in vaults, and operators have grants. */
export const users = pgTable('users', {
  id: uuid('id').primaryKey(),
  email: encrypted('email').notNull(),
  emailHash: bytea('email_hash').notNull().unique(),
  /** No password matches the hash of operators who sign in only with single sign-on. */
  passwordHash: text('password_hash').notNull(),
  /** When a one-time password expires. Null for a password that the user chose. */
  passwordExpiresAt: moment('password_expires_at'),
  /** Part of each access token. A higher number revokes all earlier tokens. */
  tokenVersion: integer('token_version').notNull().default(0),
  otpRequiredForLogin: boolean('otp_required_for_login').notNull().default(false),
  otpSecret: encrypted('otp_secret'),
  /** The secret of a pending enrolment. It replaces the current secret once the user confirms a code. */
  otpPendingSecret: encrypted('otp_pending_secret'),
  /** The time step of the newest code that was used. This code and older ones are refused. */
  otpUsedStep: integer('otp_used_step'),
  /**
   * Roles for all vaults that an earlier version stored, until the grants of the user change. A copy would outlive a
   * role that a process of that version removes, so the column stays until no such process can run.
   */
  operatorRoles: text('operator_roles').array().notNull().default([]),
  /** When the user's access ends. Null for most users. */
  accessEndsAt: moment('access_ends_at'),
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
    /** Null for all vaults. */
    vaultId: uuid('vault_id').references(() => vaults.id),
    createdAt: createdAt(),
  },
  // Also finds the grants of a user.
  (table) => [unique('operator_grants_once').on(table.userId, table.role, table.vaultId).nullsNotDistinct()],
)

/**
 * The roles that the members of a group have, in one vault or in all vaults. A group without a row grants
 * nothing.
 */
export const operatorGroups = pgTable(
  'operator_groups',
  {
    /** The name at the OpenID provider. */
    name: text('name').notNull(),
    role: text('role').$type<OperatorRole>().notNull(),
    /** Null for all vaults. */
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

/** The operators as the OpenID provider knows them. */
export const operatorIdentities = pgTable(
  'operator_identities',
  {
    issuer: text('issuer').notNull(),
    /** Keyed hash of the provider's subject. */
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
    /** The first characters, by which people recognise the key. */
    prefix: text('prefix').notNull(),
    keyHash: bytea('key_hash').notNull().unique(),
    /** The name that a person gave the key. */
    name: text('name'),
    roles: text('roles').array().$type<ClientRole[]>().notNull(),
    createdAt: createdAt(),
    lastUsedAt: moment('last_used_at'),
    expiresAt: moment('expires_at'),
    revokedAt: moment('revoked_at'),
  },
  (table) => [index('api_keys_vault').on(table.vaultId)],
)

/** Key pairs that sign access tokens. Each begins to sign a minute after it is created. */
export const signingKeys = pgTable('signing_keys', {
  id: uuid('id').primaryKey(),
  privateJwk: encrypted('private_jwk').notNull(),
  publicJwk: jsonb('public_jwk').$type<{ kty: string; crv: string; x: string }>().notNull(),
  createdAt: createdAt(),
})

/** Counters of limits, shared by all processes. */
export const counters = pgTable(
  'counters',
  {
    key: varchar('key', { length: 255 }).primaryKey(),
    points: integer('points').notNull().default(0),
    expiresAt: milliseconds('expires_at_ms'),
  },
  (table) => [index('counters_expires').on(table.expiresAt)],
)

/** Requests with an Idempotency-Key, kept for a day. The request is a hash, the response is encrypted. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    /** Hash of the caller, the route and the key. */
    scope: text('scope').primaryKey(),
    requestHash: bytea('request_hash').notNull(),
    /** The ID of the command or of the created resource. It is the same each time the request runs. */
    effectId: uuid('effect_id').notNull(),
    /** The number of runs. When a later run has begun, an earlier one can no longer write. */
    run: integer('run').notNull().default(1),
    /** The end of the run's lease. No other process runs the request until then. */
    leaseExpiresAt: moment('lease_expires_at').notNull(),
    response: encrypted('response'),
    createdAt: createdAt(),
  },
  (table) => [index('idempotency_keys_oldest').on(table.createdAt)],
)

/** Administrative actions that await a second administrator. */
export const adminProposals = pgTable('admin_proposals', {
  /** IDs sort by time. */
  id: uuid('id').primaryKey(),
  proposedBy: text('proposed_by').notNull(),
  action: encrypted('action').notNull(),
  /** The vault that the action changes. Null if it concerns the deployment. */
  vaultId: uuid('vault_id'),
  createdAt: createdAt(),
})
