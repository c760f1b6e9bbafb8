/** Lists every encrypted column, with its owner and the effect of an erasure on it. */
import { is, sql } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import * as schema from '../../../drizzle/schema.ts'
import { DecryptionError } from '../../storage/encryption.ts'

/**
 * The effect of an identification's erasure on a value. A `kept` value concerns someone else or expires by itself. A
 * `cleared` value becomes null. The personal data in an `emptied` value is removed. The row of a `deleted` value is
 * deleted.
 */
type Erasure = 'kept' | 'cleared' | 'emptied' | 'deleted'

/**
 * Maps `<table>.<column>` to its `owner`, the column that contains the ID of the value's owner. A value can be
 * decrypted only for the column and the owner that it was encrypted for.
 */
export const SEALED = {
  'webhook_settings.secret': { owner: 'vault_id', erasure: 'kept' },
  'webhook_settings.previous_secret': { owner: 'vault_id', erasure: 'kept' },
  'webhook_urls.headers': { owner: 'id', erasure: 'kept' },
  'webhook_urls.client_key': { owner: 'id', erasure: 'kept' },
  'users.email': { owner: 'id', erasure: 'kept' },
  'users.otp_secret': { owner: 'id', erasure: 'kept' },
  'users.otp_pending_secret': { owner: 'id', erasure: 'kept' },
  'signing_keys.private_jwk': { owner: 'id', erasure: 'kept' },
  'identifications.profile': { owner: 'id', erasure: 'emptied' },
  'identifications.review': { owner: 'id', erasure: 'emptied' },
  'identifications.proposal': { owner: 'id', erasure: 'cleared' },
  'holds.notes': { owner: 'id', erasure: 'cleared' },
  'service_blocks.notes': { owner: 'hold_id', erasure: 'cleared' },
  'verification_links.redirect_url': { owner: 'identification_id', erasure: 'deleted' },
  'verification_links.email': { owner: 'identification_id', erasure: 'deleted' },
  'verification_links.token': { owner: 'identification_id', erasure: 'deleted' },
  'emails.address': { owner: 'id', erasure: 'deleted' },
  'kyb_applications.content': { owner: 'id', erasure: 'emptied' },
  'kyb_applications.company_name': { owner: 'id', erasure: 'cleared' },
  'kyb_applications.review': { owner: 'id', erasure: 'cleared' },
  'kyb_applications.proposal': { owner: 'id', erasure: 'cleared' },
  'kyb_applications.decided_content': { owner: 'id', erasure: 'cleared' },
  'beneficiaries.person': { owner: 'id', erasure: 'deleted' },
  'beneficiaries.token': { owner: 'id', erasure: 'deleted' },
  'kept_values.value': { owner: 'id', erasure: 'deleted' },
  'files.name': { owner: 'id', erasure: 'emptied' },
  'commands.payload': { owner: 'id', erasure: 'cleared' },
  'idempotency_keys.response': { owner: 'scope', erasure: 'kept' },
  'timeline.notes': { owner: 'entity_id', erasure: 'cleared' },
  'review_marks.comment': { owner: 'id', erasure: 'deleted' },
  'screening_hits.details': { owner: 'id', erasure: 'deleted' },
  'screening_hits.comment': { owner: 'id', erasure: 'deleted' },
  'webhook_attempts.excerpt': { owner: 'webhook_log_id', erasure: 'cleared' },
  'admin_proposals.action': { owner: 'id', erasure: 'kept' },
  'audit_log.ip_address': { owner: 'id', erasure: 'kept' },
} as const satisfies Record<string, { readonly owner: string; readonly erasure: Erasure }>

export type SealedColumn = keyof typeof SEALED
export const SEALED_COLUMNS = Object.keys(SEALED) as SealedColumn[]

/** Returns the encryption context of a value. `owner` is the value of the owner column in `SEALED`. */
export const sealedFor = (column: SealedColumn, owner: string): string => `${column}:${owner}`

const TABLES = new Map(
  Object.values(schema).flatMap((each) => (is(each, PgTable) ? [[getTableConfig(each).name, each]] : [])),
)

/** Returns the parts of an encrypted column, as SQL. */
export function partsOf(name: SealedColumn) {
  const [tableName = '', columnName = ''] = name.split('.')
  const table = TABLES.get(tableName)
  if (!table) throw new Error(`there is no table ${tableName}`)
  const { columns, primaryKeys } = getTableConfig(table)
  const keys = primaryKeys[0]?.columns ?? columns.filter((column) => column.primary)
  return {
    tableName,
    table,
    column: sql.identifier(columnName),
    owner: sql.identifier(SEALED[name].owner),
    primaryKey: keys.map((column) => sql.identifier(column.name)),
  }
}

/** Decrypts a value. If this fails, reports it and returns null, so that a command continues with the other values. */
export async function unsealOrReport<T>(
  what: string,
  report: (failure: string) => void,
  open: () => T | Promise<T>,
): Promise<T | null> {
  try {
    return await open()
  } catch (error) {
    const { message } = error as Error
    // Adds the location of the value if the error does not contain it.
    report(message.startsWith(what) ? message : `${what} cannot be decrypted. ${message}`)
    return null
  }
}

/**
 * Decrypts a value. Returns null if this fails, so that a list still shows the other values. Throws all other errors.
 */
export function orNull<T>(open: () => T): T | null {
  try {
    return open()
  } catch (error) {
    return nullIfDamaged(error)
  }
}

/** Returns null for a failed decryption. Throws all other errors, such as those of an unavailable database. */
export function nullIfDamaged(error: unknown): null {
  if (error instanceof DecryptionError) return null
  throw error
}

/** A function that decrypts a value of a record. */
export type Read = <T>(open: () => T, ifDamaged: T) => T

/** Decrypts a value. Throws if the value is damaged, because no decision may be made without it. */
export const strictly: Read = (open) => open()

/** Decrypts a value. Replaces a damaged value with `ifDamaged`, so that a list still shows the other values. */
export const leniently: Read = (open, ifDamaged) => orNull(open) ?? ifDamaged
