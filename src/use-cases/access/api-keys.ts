/** Use cases for the API keys of vaults, which administrators create, list and revoke. */
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
import { recordAudit } from '../../db/audit/audit.ts'
import { type Database, transaction } from '../../db/connection/database.ts'
import { type ApiKey, canChange } from '../../domain/access/api-key.ts'
import { auditChanges, BY_COMMAND_LINE, type By } from '../../domain/access/audit.ts'
import type { Granted } from '../../domain/access/grant.ts'
import { requireFound } from '../../domain/base/errors.ts'
import type { Page } from '../../domain/base/page.ts'
import type { Deps, WithDb } from '../base/deps.ts'
import { type Commit, commitTogether } from '../base/effect.ts'
import { apiKeyPrefix, isApiKey, newApiKey } from '../credentials/api-key-text.ts'
import { type Caller, requirePermission, requireVault } from './caller.ts'
import { getVault } from './vaults.ts'

/** A new key. No later response contains its text. */
export interface CreatedApiKey extends ApiKey {
  readonly key: string
}

type NewKey = Pick<ApiKey, 'roles' | 'name' | 'expiresAt'>
type KeyDeps = Pick<Deps, 'db' | 'config'>

/**
 * Creates a key. With ADMIN_FOUR_EYES, a key that can change data is valid only after a second administrator has
 * confirmed it. Throws the errors of `getVault`.
 */
export async function createApiKey(
  deps: KeyDeps,
  operator: Granted,
  by: By,
  vaultId: string,
  asked: NewKey,
  effect: Commit<CreatedApiKey>,
): Promise<CreatedApiKey> {
  await getVault(deps, operator, 'administer', vaultId)
  return insertKey(deps, by, vaultId, asked, effect)
}

/** Creates a key of the caller's vault, as `createApiKey` does. Throws RateReached after too many changes. */
export async function createOwnApiKey(
  deps: KeyDeps & Pick<Deps, 'spend'>,
  caller: Caller,
  by: By,
  asked: NewKey,
  effect: Commit<CreatedApiKey>,
): Promise<CreatedApiKey> {
  const vaultId = requireVault(caller, 'api_write')
  await deps.spend('settings', vaultId)
  return insertKey(deps, by, vaultId, asked, effect)
}

async function insertKey(
  { config }: Pick<Deps, 'config'>,
  by: By,
  vaultId: string,
  { roles, name, expiresAt }: NewKey,
  effect: Commit<CreatedApiKey>,
): Promise<CreatedApiKey> {
  const { id } = effect
  const key = newApiKey(config.ENVIRONMENT)
  const awaitsConfirmation = config.ADMIN_FOUR_EYES && by !== BY_COMMAND_LINE && canChange({ roles })
  return commitTogether(effect, async (tx) => {
    await insertApiKey(tx, { id, vaultId, key, roles, name, expiresAt, awaitsConfirmation })
    const created = await findOrRefuse(tx, id)
    const changes = auditChanges({}, { prefix: created.prefix, roles, expires_at: inSeconds(expiresAt) })
    await recordAudit(tx, by, { action: 'api_key_created', ...subjectOf(created), changes })
    if (awaitsConfirmation) {
      const action = { kind: 'confirm_api_key', vaultId, keyId: id, prefix: created.prefix, roles } as const
      await insertProposal(tx, { id: newId(), proposedBy: by.actor, action, firstHalf: null })
    }
    return { ...created, key }
  })
}

/** Lists the keys, newest first. Throws the errors of `getVault`. */
export async function listApiKeys({ db }: WithDb, operator: Granted, vaultId: string, page: Page) {
  await getVault({ db }, operator, 'read_settings', vaultId)
  return listKeys(db, vaultId, page)
}

/** Lists the keys of the caller's vault, newest first. */
export const listOwnApiKeys = ({ db }: WithDb, caller: Caller, page: Page) =>
  listKeys(db, requireVault(caller, 'api_read'), page)

/** Returns a key that the operator may revoke. Throws `not_found` and `insufficient_role`. */
export async function getApiKey({ db }: WithDb, operator: Granted, id: string): Promise<ApiKey> {
  const key = await findOrRefuse(db, id)
  requirePermission(operator, 'administer', key.vaultId)
  return key
}

/** Returns a key of the caller's vault that the caller may revoke. Throws `not_found` for keys of other vaults. */
export async function getOwnApiKey({ db }: WithDb, caller: Caller, id: string): Promise<ApiKey> {
  const key = await findOrRefuse(db, id)
  requireVault(caller, 'api_write', key.vaultId)
  return key
}

/** Revokes a key and returns it. Has no effect on a key that is already revoked. Throws the errors of `getApiKey`. */
export const revokeApiKey = (deps: WithDb, operator: Granted, by: By, id: string): Promise<ApiKey> =>
  revoke(deps, by, id, ({ vaultId }) => requirePermission(operator, 'administer', vaultId))

/** Revokes a key of the caller's vault, as `revokeApiKey` does. Throws `not_found` for keys of other vaults. */
export const revokeOwnApiKey = (deps: WithDb, caller: Caller, by: By, id: string): Promise<ApiKey> =>
  revoke(deps, by, id, ({ vaultId }) => requireVault(caller, 'api_write', vaultId))

const revoke = (
  { db }: WithDb,
  by: By,
  id: string,
  requireAccess: (key: ApiKey) => unknown,
): Promise<ApiKey> =>
  transaction(db, async (tx) => {
    requireAccess(await findOrRefuse(tx, id))
    const isRevoked = await revokeKey(tx, id)
    const key = await findOrRefuse(tx, id)
    const changes = { prefix: { from: key.prefix } }
    if (isRevoked) await recordAudit(tx, by, { action: 'api_key_revoked', ...subjectOf(key), changes })
    return key
  })

/** Makes a key valid that another administrator has created, and returns it. */
export async function confirmKey(tx: Database, by: By, id: string): Promise<ApiKey> {
  await confirmApiKey(tx, id)
  const key = await findOrRefuse(tx, id)
  const changes = { prefix: { from: key.prefix } }
  await recordAudit(tx, by, { action: 'api_key_confirmed', ...subjectOf(key), changes })
  return key
}

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

const inSeconds = (date: Date | null): number | null => date && Math.floor(date.getTime() / 1_000)
