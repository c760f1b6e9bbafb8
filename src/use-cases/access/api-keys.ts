/** Use cases for the API keys of vaults, which administrators and vaults' own users create, list and revoke. */
import { v7 as newId } from 'uuid'
import { insertProposal } from '../../db/access/admin-proposal.ts'
import {
  confirmApiKey,
  findApiKey,
  findApiKeyEnd,
  insertApiKey,
  listApiKeys as listKeys,
  revokeApiKey as revokeKey,
} from '../../db/access/api-key.ts'
import { findVault } from '../../db/access/vault.ts'
import { recordAudit } from '../../db/audit/audit.ts'
import { type Database, transaction } from '../../db/connection/database.ts'
import { type ApiKey, canChange } from '../../domain/access/api-key.ts'
import { auditChanges, BY_COMMAND_LINE, type By } from '../../domain/access/audit.ts'
import { RequestRefused, requireFound } from '../../domain/base/errors.ts'
import type { Page } from '../../domain/base/page.ts'
import { unixSeconds } from '../../domain/base/unix-time.ts'
import type { Deps, WithDb } from '../base/deps.ts'
import { type Commit, commitTogether } from '../base/effect.ts'
import { apiKeyPrefix, isApiKey, newApiKey } from '../credentials/api-key-text.ts'
import { type Access, requireAccess, type VaultUser } from './caller.ts'

/** A new key. No later response contains its text. */
export interface CreatedApiKey extends ApiKey {
  readonly key: string
}

type NewKey = Pick<ApiKey, 'roles' | 'name' | 'expiresAt'>

/**
 * Creates a key. With ADMIN_FOUR_EYES, a key that can change data is valid only after a second administrator has
 * confirmed it. Throws `not_found` and `insufficient_role`, and RateReached after too many changes by a client.
 */
export async function createApiKey(
  { db, config, spend }: Pick<Deps, 'db' | 'config' | 'spend'>,
  user: VaultUser,
  by: By,
  vaultId: string,
  { roles, name, expiresAt }: NewKey,
  effect: Commit<CreatedApiKey>,
): Promise<CreatedApiKey> {
  await requireKeys(db, user, 'change', vaultId)
  if (!('operator' in user)) await spend('settings', vaultId)
  const { id } = effect
  const key = newApiKey(config.ENVIRONMENT)
  const awaitsConfirmation = config.ADMIN_FOUR_EYES && by !== BY_COMMAND_LINE && canChange({ roles })
  return commitTogether(effect, async (tx) => {
    await insertApiKey(tx, { id, vaultId, key, roles, name, expiresAt, awaitsConfirmation })
    const created = await findOrRefuse(tx, id)
    const changes = auditChanges(
      {},
      { prefix: created.prefix, roles, expires_at: expiresAt && unixSeconds(expiresAt) },
    )
    await recordAudit(tx, by, { action: 'api_key_created', ...subjectOf(created), changes })
    if (awaitsConfirmation) {
      const action = { kind: 'confirm_api_key', vaultId, keyId: id, prefix: created.prefix, roles } as const
      await insertProposal(tx, { id: newId(), proposedBy: by.actor, action, firstHalf: null })
    }
    return { ...created, key }
  })
}

/** Lists the keys of a vault, newest first. Throws `not_found` and `insufficient_role`. */
export async function listApiKeys({ db }: WithDb, user: VaultUser, vaultId: string, page: Page) {
  await requireKeys(db, user, 'read', vaultId)
  return listKeys(db, vaultId, page)
}

/** Returns a key that the user may revoke. Throws `not_found` and `insufficient_role`. */
export async function getApiKey({ db }: WithDb, user: VaultUser, id: string): Promise<ApiKey> {
  const key = await findOrRefuse(db, id)
  requireAccess(user, 'change', key.vaultId)
  return key
}

/** Revokes a key and returns it. Has no effect on a key that is already revoked. Throws the errors of `getApiKey`. */
export const revokeApiKey = ({ db }: WithDb, user: VaultUser, by: By, id: string): Promise<ApiKey> =>
  transaction(db, async (tx) => {
    await getApiKey({ db: tx }, user, id)
    const isRevoked = await revokeKey(tx, id)
    const key = await findOrRefuse(tx, id)
    const changes = { prefix: { from: key.prefix } }
    if (isRevoked) await recordAudit(tx, by, { action: 'api_key_revoked', ...subjectOf(key), changes })
    return key
  })

/** Throws `not_found` if there is no such vault, and the errors of `requireAccess`. */
async function requireKeys(db: Database, user: VaultUser, access: Access, vaultId: string): Promise<void> {
  requireAccess(user, access, vaultId)
  requireFound(await findVault(db, vaultId))
}

/**
 * Makes a key valid that another administrator has created, and returns it. Throws `stale_version` if the key has been
 * revoked or has expired.
 */
export async function confirmKey(tx: Database, by: By, id: string): Promise<ApiKey> {
  if (!(await confirmApiKey(tx, id))) throw new RequestRefused({ code: 'stale_version', message: ENDED })
  const key = await findOrRefuse(tx, id)
  const changes = { prefix: { from: key.prefix } }
  await recordAudit(tx, by, { action: 'api_key_confirmed', ...subjectOf(key), changes })
  return key
}

const ENDED =
  'The key has been revoked or has expired since the proposal. Withdraw it and create another key.'

/** The reason why a text is not a valid API key. */
type KeyRefusal = 'other_environment' | 'mistyped' | 'revoked' | 'unconfirmed' | 'expired' | 'unknown'

export async function findKeyRefusal(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  text: string,
): Promise<KeyRefusal> {
  if (!text.startsWith(apiKeyPrefix(config.ENVIRONMENT))) return 'other_environment'
  if (!isApiKey(text)) return 'mistyped'
  return (await findApiKeyEnd(db, text)) ?? 'unknown'
}

async function findOrRefuse(db: Database, id: string): Promise<ApiKey> {
  return requireFound(await findApiKey(db, id))
}

const subjectOf = ({ id, vaultId }: ApiKey) => ({ subject: 'api_key', subjectId: id, vaultId }) as const
