/** Vaults, and who may do what in them: people, keys, and counters of what they ask. */
import {
  boolean,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  uuid,
  varchar,
} from 'drizzle-orm/pg-core'
import type { ClientRole } from '../../src/domain/access/access.ts'
import type { Language } from '../../src/domain/access/branding.ts'
import type { FourEyes } from '../../src/domain/decision/confirmation.ts'
import { bytea, createdAt, encrypted, milliseconds, moment } from './columns.ts'

export const vaults = pgTable('vaults', {
  id: uuid('id').primaryKey(),
  name: text('name').notNull(),
  importEnabled: boolean('import_enabled').notNull().default(false),
  internalSettlementsEnabled: boolean('internal_settlements_enabled').notNull().default(false),
  /** What takes two operators, and which countries count as a high risk. */
  fourEyes: text('four_eyes').array().$type<FourEyes[]>().notNull().default([]),
  highRiskCountries: text('high_risk_countries').array().notNull().default(['IR', 'KP', 'MM']),
  tradingFee: numeric('trading_fee', { mode: 'number' }).notNull().default(0),
  /** What its hosted pages show and say; colours as #rrggbb, the logo as PNG. */
  logo: bytea('logo'),
  accentColor: text('accent_color'),
  accentColorDark: text('accent_color_dark'),
  supportEmail: text('support_email'),
  privacyUrl: text('privacy_url'),
  languages: text('languages').array().$type<Language[]>().notNull().default(['en', 'de']),
  defaultLanguage: text('default_language').$type<Language>().notNull().default('en'),
  createdAt: createdAt(),
})

/** People who sign in: developers of clients by their vaults, operators by their operator roles. */
export const users = pgTable('users', {
  id: uuid('id').primaryKey(),
  email: encrypted('email').notNull(),
  emailHash: bytea('email_hash').notNull().unique(),
  passwordHash: text('password_hash').notNull(),
  /** Until when a password that somebody else made can be used, to choose another one alone; null for one's own. */
  passwordExpiresAt: moment('password_expires_at'),
  /** Access tokens carry it: raising it ends all that were given before. */
  tokenVersion: integer('token_version').notNull().default(0),
  otpRequiredForLogin: boolean('otp_required_for_login').notNull().default(false),
  otpSecret: encrypted('otp_secret'),
  /** Shown to be enrolled; takes the other's place once a code of it has been given. */
  otpPendingSecret: encrypted('otp_pending_secret'),
  /** The time step of the newest code that was used: neither it nor an older one is taken again. */
  otpUsedStep: integer('otp_used_step'),
  operatorRoles: text('operator_roles').array().notNull().default([]),
  createdAt: createdAt(),
})

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
    /** The first characters, by which a person recognises the key. */
    prefix: text('prefix').notNull(),
    keyHash: bytea('key_hash').notNull().unique(),
    /** What a person calls the key. */
    name: text('name'),
    roles: text('roles').array().$type<ClientRole[]>().notNull(),
    createdAt: createdAt(),
    lastUsedAt: moment('last_used_at'),
    expiresAt: moment('expires_at'),
    revokedAt: moment('revoked_at'),
  },
  (table) => [index('api_keys_vault').on(table.vaultId)],
)

/** The key pairs that sign access tokens; each begins to sign a minute after it was made. */
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

/** Requests with an Idempotency-Key, for a day: what was asked is a hash, what was answered is sealed. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    /** A hash of the caller, the route and the key. */
    scope: text('scope').primaryKey(),
    requestHash: bytea('request_hash').notNull(),
    /** The id of the command, or of what is created: the same whenever the request is run. */
    effectId: uuid('effect_id').notNull(),
    /** Counts runs: one that was overtaken can no longer write. */
    run: integer('run').notNull().default(1),
    /** Until then nobody else runs the request; a process that died holds it no longer. */
    leaseExpiresAt: moment('lease_expires_at').notNull(),
    response: encrypted('response'),
    createdAt: createdAt(),
  },
  (table) => [index('idempotency_keys_oldest').on(table.createdAt)],
)

/** Administrative actions that wait for a second administrator. */
export const adminProposals = pgTable('admin_proposals', {
  /** Ids are in the order of time. */
  id: uuid('id').primaryKey(),
  proposedBy: text('proposed_by').notNull(),
  action: encrypted('action').notNull(),
  createdAt: createdAt(),
})
