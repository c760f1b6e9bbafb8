/** Every sealed column, and what its values are bound to: said here once, for queries and key rotation. */

/**
 * `<table>.<column>` of each sealed column, and the column whose value names whose it is. Sealed bytes open
 * only in the column and for the value that they were sealed for.
 */
export const SEALED = {
  'webhook_settings.secret': 'vault_id',
  'webhook_settings.previous_secret': 'vault_id',
  'users.email': 'id',
  'users.otp_secret': 'id',
  'users.otp_pending_secret': 'id',
  'signing_keys.private_jwk': 'id',
  'identifications.profile': 'id',
  'identifications.review': 'id',
  'holds.notes': 'id',
  'service_blocks.notes': 'hold_id',
  'verification_links.redirect_url': 'identification_id',
  'kyb_applications.content': 'id',
  'kyb_applications.review': 'id',
  'beneficiaries.person': 'id',
  'beneficiaries.token': 'id',
  'files.name': 'id',
  'commands.payload': 'id',
  'idempotency_keys.answer': 'scope',
  'timeline.notes': 'entity_id',
  'webhook_attempts.excerpt': 'webhook_log_id',
} as const

export type SealedColumn = keyof typeof SEALED

/** What a value of the column is sealed with; `owner` is the value of the column that `SEALED` names. */
export const sealedFor = (column: SealedColumn, owner: string): string => `${column}:${owner}`
