/** Rules for the audit of administrative actions. Entries contain no personal data and no secrets. */

import type { Period } from '../base/page.ts'
import type { VaultScope } from './grant.ts'

export const AUDIT_ACTIONS = [
  'vault_created',
  'vault_changed',
  'profile_drafted',
  'profile_published',
  'api_key_created',
  'api_key_confirmed',
  'api_key_revoked',
  'user_created',
  'user_roles_changed',
  'user_groups_changed',
  'user_deactivated',
  'user_reactivated',
  'user_removed',
  'user_changed',
  'directory_group_created',
  'directory_group_changed',
  'directory_group_removed',
  'identity_connected',
  'group_mapped',
  'break_glass_used',
  'tokens_revoked',
  'password_reset',
  'password_changed',
  'otp_enrolled',
  'otp_confirmed',
  'otp_removed',
  'admin_action_proposed',
  'admin_action_confirmed',
  'admin_action_withdrawn',
  'webhook_urls_changed',
  'webhook_url_options_changed',
  'webhook_secret_rotated',
  'event_published',
  'signing_key_rotated',
  'legal_hold_set',
  'legal_hold_lifted',
  'case_read',
  'case_names_read',
  'report_exported',
  'operator_signed_in',
  'sign_in_failed',
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** The actions that change nothing and show data of cases. */
export const READ_ACTIONS = [
  'case_read',
  'case_names_read',
  'report_exported',
] as const satisfies AuditAction[]

export const AUDIT_SUBJECTS = [
  'vault',
  'api_key',
  'user',
  'signing_key',
  'identification',
  'kyb',
  'operator_group',
] as const
export type AuditSubject = (typeof AUDIT_SUBJECTS)[number]

/** The actor and the IP address of an action. The command line has no address. */
export interface By {
  readonly actor: string
  readonly address: string | null
}

export const BY_COMMAND_LINE: By = { actor: 'cli', address: null }

/** The subject of an action that affects a vault, or the deployment if the vault is null. */
export const aboutVault = (vaultId: string | null) =>
  ({ subject: 'vault', subjectId: vaultId, vaultId }) as const

/** The changes, keyed by field name. Personal and secret fields appear without values. */
export type Changes = Readonly<Record<string, { readonly from?: unknown; readonly to?: unknown }>>

type Values = Readonly<Record<string, unknown>>

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** Returns the API name of a field, which is in snake case. */
export const apiName = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Returns the changed fields under their API names. Fields in `omitted` appear without values. */
export function auditChanges(before: Values, after: Values, omitted: readonly string[] = []): Changes {
  const changed = Object.keys(after).filter((name) => !isSame(before[name] ?? null, after[name] ?? null))
  return Object.fromEntries(
    changed.map((name) => [
      apiName(name),
      omitted.includes(name) ? {} : { from: before[name] ?? null, to: after[name] ?? null },
    ]),
  )
}

/**
 * The maximum size of the changes in one entry. Without a maximum, clients could fill the table, because entries are
 * never deleted.
 */
export const MAX_CHANGES_BYTES = 3_500

const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value) ?? '').length

/**
 * Shortens changes that are too large for an entry. Replaces long lists with a count and a hash, then long texts with a
 * hash, and finally all fields.
 */
export function boundChanges(changes: Changes, hash: (text: string) => string): Changes {
  const summary = (value: unknown) => ({
    ...(Array.isArray(value) && { count: value.length }),
    sha256: hash(JSON.stringify(value)),
  })
  const shorten = (isLong: (value: unknown) => boolean) => (all: Changes) =>
    Object.fromEntries(
      Object.entries(all).map(([name, values]) => [
        name,
        Object.fromEntries(
          Object.entries(values).map(([side, value]) => [side, isLong(value) ? summary(value) : value]),
        ),
      ]),
    )
  const steps = [
    shorten((value) => Array.isArray(value) && bytesOf(value) > 200),
    shorten((value) => bytesOf(value) > 200),
    (all: Changes): Changes => ({ all: { to: { count: Object.keys(all).length, ...summary(all) } } }),
  ]
  return steps.reduce((all, step) => (bytesOf(all) > MAX_CHANGES_BYTES ? step(all) : all), changes)
}

export interface AuditEntry {
  readonly id: string
  readonly actor: string
  /** The IP address. Null for the command line, and for an address that cannot be decrypted. */
  readonly address: string | null
  readonly action: AuditAction
  readonly subject: AuditSubject
  readonly subjectId: string | null
  readonly vaultId: string | null
  readonly changes: Changes
  readonly count: number
  readonly createdAt: Date
}

export interface AuditFilter extends Period {
  readonly actor?: string | undefined
  readonly action?: AuditAction | undefined
  readonly scope: VaultScope
}

export interface ReadsOfActor {
  readonly actor: string
  /** The number of different cases. */
  readonly cases: number
  /** The number of names that lists and searches showed. */
  readonly names: number
  readonly exports: number
  /** The hour of the last read, in which it was recorded. */
  readonly lastAt: Date
}

/** Returns the ID of the user or operator, or null for API keys and programs. */
export const personOf = (actor: string): string | null => /^(?:operator|user):(.+)$/.exec(actor)?.[1] ?? null

/** Returns the IDs of the users and operators among the actors. */
export const peopleIn = (actors: readonly (string | null | undefined)[]): string[] =>
  actors.flatMap((actor) => personOf(actor ?? '') ?? [])

/** Returns whether both actors are one person, who may act as an operator and as a vault's own user. */
export const areSamePerson = (one: string, other: string): boolean =>
  (personOf(one) ?? one) === (personOf(other) ?? other)
