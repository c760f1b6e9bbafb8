/** The tables. Columns of type `encrypted` hold personal data or secrets, sealed by the application. */
import { sql } from 'drizzle-orm'
import {
  bigint,
  bigserial,
  boolean,
  customType,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
  varchar,
} from 'drizzle-orm/pg-core'
import type { ReasonCode } from '../src/domain/decision.ts'
import { FINAL_STATUSES, type LogStatus, type Topic, UNFINISHED_STATUSES } from '../src/domain/events.ts'
import type { HoldOwner, Service } from '../src/domain/holds.ts'
import type {
  IdentificationParty,
  IdentificationStatus,
  Origin,
  Verification,
} from '../src/domain/identification.ts'
import type { KybStatus, ReviewOutcome, WaitingOn } from '../src/domain/kyb-application.ts'
import type { PaymentFailure, PaymentKind, PaymentStatus } from '../src/domain/payment.ts'

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })
/** Sealed by src/storage/encryption.ts; never readable by SQL. Each one is named in src/db/sealed.ts. */
const encrypted = bytea
const moment = (name: string) => timestamp(name, { withTimezone: true })
/** Milliseconds since 1970. */
const milliseconds = customType<{ data: Date; driverData: string | number }>({
  dataType: () => 'bigint',
  toDriver: (date) => date.getTime(),
  fromDriver: (value) => new Date(Number(value)),
})
const createdAt = () => moment('created_at').notNull().default(sql`clock_timestamp()`)

export const vaults = pgTable('vaults', {
  id: uuid('id').primaryKey(),
  name: text('name').notNull(),
  importEnabled: boolean('import_enabled').notNull().default(false),
  internalSettlementsEnabled: boolean('internal_settlements_enabled').notNull().default(false),
  tradingFee: numeric('trading_fee', { mode: 'number' }).notNull().default(0),
  createdAt: createdAt(),
})

/** Where a vault's events go, per topic, and the secrets that sign them. */
export const webhookSettings = pgTable('webhook_settings', {
  vaultId: uuid('vault_id')
    .primaryKey()
    .references(() => vaults.id),
  urlList: jsonb('url_list').$type<Partial<Record<Topic, string[]>>>().notNull().default({}),
  secret: encrypted('secret').notNull(),
  /** The secret before it, which signs beside it until it expires. */
  previousSecret: encrypted('previous_secret'),
  previousSecretExpiresAt: moment('previous_secret_expires_at'),
  redirectUrl: text('redirect_url'),
})

/** People who sign in: developers of clients by their vaults, operators by their operator roles. */
export const users = pgTable('users', {
  id: uuid('id').primaryKey(),
  email: encrypted('email').notNull(),
  emailHash: bytea('email_hash').notNull().unique(),
  passwordHash: text('password_hash').notNull(),
  /** Given by somebody else: good for choosing another one, and for nothing else. */
  /** Until when a password that somebody else made can be used; null for one's own. */
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
    roles: text('roles').array().notNull(),
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

/** Counters of the rate limiter, shared by all processes; the library names the columns. */
export const rateLimits = pgTable('rate_limits', {
  key: varchar('key', { length: 255 }).primaryKey(),
  points: integer('points').notNull().default(0),
  expire: milliseconds('expire'),
})

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
    leaseUntil: moment('lease_until').notNull(),
    answer: encrypted('answer'),
    createdAt: createdAt(),
  },
  (table) => [index('idempotency_keys_oldest').on(table.createdAt)],
)

export const identifications = pgTable(
  'identifications',
  {
    id: uuid('id').primaryKey(),
    vaultId: uuid('vault_id')
      .notNull()
      .references(() => vaults.id),
    externalUuid: text('external_uuid').notNull(),
    kind: text('kind').$type<'person' | 'company'>().notNull(),
    /** How it came: by an application, soft KYC, hosted verification or import. */
    origin: text('origin').$type<Origin>().notNull(),
    verification: text('verification').$type<Verification>().notNull(),
    /** Derived from the verification and the holds; written with them so that lists can filter. */
    status: text('status').$type<IdentificationStatus>().notNull(),
    waitingOn: text('waiting_on').$type<IdentificationParty>().notNull(),
    waitingSince: moment('waiting_since').notNull().default(sql`clock_timestamp()`),
    awaitsKyb: boolean('awaits_kyb').notNull(),
    version: integer('version').notNull().default(1),
    /** Name, address and contact, where they are not those of a KYB application. */
    profile: encrypted('profile').notNull(),
    /** The newest decision, as the client may see it. */
    review: encrypted('review'),
    /** Keyed hashes by which operators find it (src/db/lookup.ts); null where a KYB application has them. */
    emailHash: bytea('email_hash'),
    nameHash: bytea('name_hash'),
    /** Since when it is rejected or closed: its retention runs from then. */
    concludedAt: moment('concluded_at'),
    /** Kept from erasure, whatever its retention says. */
    legalHold: boolean('legal_hold').notNull().default(false),
    erasedAt: moment('erased_at'),
    /** Null until its workflow is known to have been started; housekeeping starts what is left. */
    workflowStartedAt: moment('workflow_started_at'),
    createdAt: createdAt(),
  },
  (table) => [
    unique('identifications_external_uuid').on(table.vaultId, table.externalUuid),
    index('identifications_newest').on(
      table.vaultId,
      table.createdAt.desc().nullsFirst(),
      table.id.desc().nullsFirst(),
    ),
    index('identifications_unstarted').on(table.createdAt).where(sql`workflow_started_at IS NULL`),
    index('identifications_waiting')
      .on(table.waitingOn, table.waitingSince)
      .where(sql`waiting_on <> 'nobody'`),
    index('identifications_email').on(table.emailHash),
    index('identifications_name').on(table.nameHash),
    index('identifications_concluded').on(table.concludedAt).where(sql`erased_at IS NULL`),
    index('identifications_awaiting').on(table.id).where(sql`awaits_kyb AND verification <> 'closed'`),
  ],
)

/** Who blocks what of an identification, since when and why. Rows stay when a hold is lifted. */
export const holds = pgTable(
  'holds',
  {
    /** A case's id, where the owner is internal. */
    id: uuid('id').primaryKey(),
    identificationId: uuid('identification_id')
      .notNull()
      .references(() => identifications.id),
    owner: text('owner').$type<HoldOwner>().notNull(),
    services: text('services').array().$type<Service[]>().notNull(),
    reason: text('reason').notNull(),
    /** Written by people about people. */
    notes: encrypted('notes'),
    openedBy: text('opened_by').notNull(),
    openedAt: moment('opened_at').notNull().default(sql`clock_timestamp()`),
    /** Null until the workflow has applied it. */
    appliedAt: moment('applied_at'),
    closeRequestedBy: text('close_requested_by'),
    closeRequestedAt: moment('close_requested_at'),
    liftedBy: text('lifted_by'),
    liftedAt: moment('lifted_at'),
  },
  (table) => [
    index('holds_in_force')
      .on(table.identificationId)
      .where(sql`applied_at IS NOT NULL AND lifted_at IS NULL`),
    index('holds_unheard')
      .on(table.openedAt)
      .where(sql`(applied_at IS NULL OR close_requested_at IS NOT NULL) AND lifted_at IS NULL`),
  ],
)

/** One service of one account, blocked by one hold. Rows stay when it is lifted. */
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

/** Links to hosted verification: only the hash of a token is kept, and the newest link is the good one. */
export const verificationLinks = pgTable('verification_links', {
  identificationId: uuid('identification_id')
    .primaryKey()
    .references(() => identifications.id),
  tokenHash: bytea('token_hash').notNull().unique(),
  redirectUrl: encrypted('redirect_url'),
  expiresAt: moment('expires_at').notNull(),
  createdAt: createdAt(),
})

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

/** Money that came to an account, or failed to. In the sandbox, only simulated. */
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
    /** Without a scale, so that the digits come back as they went in. */
    amount: numeric('amount').notNull(),
    currency: text('currency').notNull(),
    status: text('status').$type<PaymentStatus>().notNull(),
    reasonCode: text('reason_code').$type<PaymentFailure>(),
    createdAt: createdAt(),
  },
  (table) => [index('payments_account').on(table.accountId, table.createdAt)],
)

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
    reviewReasonCode: text('review_reason_code').$type<ReasonCode>(),
    reviewedAt: moment('reviewed_at'),
    /** Its comment for the client, and what it wants mended. */
    review: encrypted('review'),
    /** Keyed hashes of the company's e-mail and legal name. */
    emailHash: bytea('email_hash'),
    nameHash: bytea('name_hash'),
    workflowStartedAt: moment('workflow_started_at'),
    createdAt: createdAt(),
  },
  (table) => [
    unique('kyb_applications_external_id').on(table.vaultId, table.externalId),
    index('kyb_applications_newest').on(
      table.vaultId,
      table.createdAt.desc().nullsFirst(),
      table.id.desc().nullsFirst(),
    ),
    index('kyb_applications_email').on(table.emailHash),
    index('kyb_applications_name').on(table.nameHash),
    index('kyb_applications_waiting').on(table.waitingOn, table.waitingSince).where(sql`status = 'open'`),
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
    position: integer('position').notNull(),
    person: encrypted('person').notNull(),
    /** The outcome of the hosted verification that `link` leads to. */
    verification: text('verification').$type<Verification>().notNull().default('initiated'),
    /** The link's token: sealed, so that answers can show it; hashed, so that the page can find it. */
    token: encrypted('token').notNull(),
    tokenHash: bytea('token_hash').notNull().unique(),
  },
  (table) => [index('beneficiaries_kyb_application').on(table.kybApplicationId, table.position)],
)

export const files = pgTable(
  'files',
  {
    /** The `id` that answers show; also the name of its blob. */
    id: uuid('id').primaryKey(),
    kybApplicationId: uuid('kyb_application_id')
      .notNull()
      .references(() => kybApplications.id),
    state: text('state').$type<'uploading' | 'attached' | 'detached'>().notNull(),
    name: encrypted('name').notNull(),
    contentType: text('content_type'),
    size: integer('size'),
    sha256: bytea('sha256'),
    createdAt: createdAt(),
  },
  (table) => [
    index('files_kyb_application').on(table.kybApplicationId),
    index('files_unattached').on(table.createdAt).where(sql`state <> 'attached'`),
  ],
)

/** Commands in flight and applied: what was asked, by whom, and what came of it. The audit trail. */
export const commands = pgTable(
  'commands',
  {
    id: uuid('id').primaryKey(),
    entity: text('entity').$type<'kyb' | 'identification'>().notNull(),
    entityId: uuid('entity_id').notNull(),
    vaultId: uuid('vault_id').notNull(),
    kind: text('kind').notNull(),
    payload: encrypted('payload').notNull(),
    actor: text('actor').notNull(),
    createdAt: createdAt(),
    /** Not applied by then means never applied. */
    expiresAt: moment('expires_at').notNull(),
    appliedAt: moment('applied_at'),
    result: jsonb('result').$type<Record<string, string>>(),
  },
  (table) => [
    index('commands_entity').on(table.entityId, table.createdAt),
    index('commands_unapplied').on(table.expiresAt).where(sql`applied_at IS NULL`),
  ],
)

/** Who did what and when to an application or identification, written with the change itself. */
export const timeline = pgTable(
  'timeline',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    vaultId: uuid('vault_id').notNull(),
    entity: text('entity').$type<'kyb' | 'identification'>().notNull(),
    entityId: uuid('entity_id').notNull(),
    action: text('action').notNull(),
    actor: text('actor').notNull(),
    from: text('from'),
    to: text('to'),
    reasonCode: text('reason_code'),
    /** Comments and internal notes. */
    notes: encrypted('notes'),
    /** The fact or command that caused the entry; the same one never causes two. */
    causeId: text('cause_id').notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index('timeline_entity').on(table.entityId, table.id),
    uniqueIndex('timeline_cause').on(table.entityId, table.causeId),
  ],
)

const statusIn = (statuses: readonly LogStatus[]) =>
  sql.raw(`status IN (${statuses.map((status) => `'${status}'`).join(', ')})`)

/** As text, not as parameters: a query uses a partial index whose condition it states. */
export const unfinished = statusIn(UNFINISHED_STATUSES)
export const final = statusIn(FINAL_STATUSES)

/** One event for one vault: what is sent, where to, and how far that is. */
export const webhookLogs = pgTable(
  'webhook_logs',
  {
    id: uuid('id').primaryKey(),
    vaultId: uuid('vault_id').notNull(),
    topic: text('topic').$type<Topic>().notNull(),
    status: text('status').$type<LogStatus>().notNull().default('pending'),
    failReason: text('fail_reason'),
    /** The exact text that is signed and sent. */
    payload: text('payload').notNull(),
    retries: smallint('retries').notNull().default(0),
    /** Counts manual retries; attempts belong to a round. */
    round: smallint('round').notNull().default(1),
    urlsDestiny: text('urls_destiny').array().notNull(),
    /** The batch whose workflow delivers it; null while no process has claimed it. */
    batchId: uuid('batch_id'),
    /** Whether `webhook_logs_search` holds the payload. */
    indexed: boolean('indexed').notNull().default(false),
    createdAt: createdAt(),
  },
  (table) => [
    // Ids are in the order of time.
    index('webhook_logs_newest').on(table.vaultId, table.topic, table.status, table.id.desc().nullsFirst()),
    // Not by batch_id: claiming then touches no index. By round: what is sent again waits for what is new.
    index('webhook_logs_unfinished').on(table.status, table.round, table.id).where(unfinished),
    // Putting a payload in takes longer than all else about a log: housekeeping does it, behind the deliveries.
    index('webhook_logs_search').using('gin', table.payload.op('gin_trgm_ops')).where(sql`indexed`),
    index('webhook_logs_unindexed')
      .on(table.vaultId, table.topic, table.status, table.id)
      .where(sql`NOT indexed AND ${final}`),
  ],
)

/**
 * How many logs a vault has of a topic and status is the sum of `delta`: triggers of webhook_logs add rows,
 * housekeeping folds them, and nobody waits for somebody else's row.
 */
export const webhookLogCounts = pgTable(
  'webhook_log_counts',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    vaultId: uuid('vault_id').notNull(),
    topic: text('topic').$type<Topic>().notNull(),
    status: text('status').$type<LogStatus>().notNull(),
    delta: bigint('delta', { mode: 'number' }).notNull(),
  },
  (table) => [index('webhook_log_counts_group').on(table.vaultId, table.topic, table.status)],
)

/** One attempt at one URL. */
export const webhookAttempts = pgTable(
  'webhook_attempts',
  {
    // No foreign key: checking it costs as much as the row. Both are written and deleted together.
    webhookLogId: uuid('webhook_log_id').notNull(),
    round: smallint('round').notNull(),
    number: smallint('number').notNull(),
    url: text('url').notNull(),
    statusCode: smallint('status_code'),
    error: text('error'),
    durationMs: integer('duration_ms').notNull(),
    /** The beginning of what the receiver answered, at most 2 kB. */
    excerpt: encrypted('excerpt'),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.webhookLogId, table.round, table.number, table.url] })],
)
