/** Creates the first vault, API key and users of a new instance. */
import { randomBytes } from 'node:crypto'
import { v7 as newId } from 'uuid'
import { insertApiKey } from '../../src/db/access/api-key.ts'
import { grantVault, saveUser } from '../../src/db/access/user.ts'
import { findVault, insertVault } from '../../src/db/access/vault.ts'
import { connectDatabase, transaction } from '../../src/db/connection/database.ts'
import { CLIENT_ROLES } from '../../src/domain/access/access.ts'
import { grantsOfNames } from '../../src/domain/access/grant.ts'
import type { Config } from '../../src/process/config.ts'
import { createLogger } from '../../src/process/log.ts'
import { createEncryption } from '../../src/storage/encryption.ts'
import { newPassword, newWebhookSecret } from '../../src/storage/random.ts'
import { newApiKey } from '../../src/use-cases/credentials/api-key-text.ts'
import { hashPassword } from '../../src/use-cases/credentials/password-hash.ts'

export interface SeedCredentials {
  readonly api_key: string
  readonly read_only_api_key: string
  readonly vault_id: string
  readonly user_email: string
  readonly user_password: string
  readonly operator_email: string
  readonly operator_password: string
}

/** Returns new credentials. They must be stored before `seed` runs, because the database contains only hashes. */
export const newSeedCredentials = (environment: Config['ENVIRONMENT']): SeedCredentials => ({
  api_key: newApiKey(environment),
  read_only_api_key: newApiKey(environment),
  vault_id: newId(),
  user_email: `developer-${randomBytes(3).toString('hex')}@gatehouse.invalid`,
  user_password: newPassword(),
  operator_email: `operator-${randomBytes(3).toString('hex')}@gatehouse.invalid`,
  operator_password: newPassword(),
})

/**
 * Creates the vault, key and users for the credentials. Does nothing if the vault exists, so that later changes remain.
 */
export async function seed(config: Config, credentials: SeedCredentials, hash = hashPassword): Promise<void> {
  const db = connectDatabase(config.DATABASE_URL, createEncryption(config), createLogger('warn', 'seed'))
  const vaultId = credentials.vault_id
  try {
    if (await findVault(db, vaultId)) return
    const userHash = await hash(credentials.user_password)
    const operatorHash = await hash(credentials.operator_password)
    await transaction(db, async (tx) => {
      await insertVault(tx, {
        id: vaultId,
        name: 'First vault',
        importEnabled: config.ENVIRONMENT === 'sandbox',
        webhookSecret: newWebhookSecret(),
      })
      const keys = [
        { key: credentials.api_key, roles: CLIENT_ROLES },
        { key: credentials.read_only_api_key, roles: ['api_read'] },
      ] as const
      for (const { key, roles } of keys) await insertApiKey(tx, { id: newId(), vaultId, key, roles })
      const userId = await saveUser(tx, {
        id: newId(),
        email: credentials.user_email,
        passwordHash: userHash,
      })
      await grantVault(tx, { vaultId, userId, roles: CLIENT_ROLES })
      await saveUser(tx, {
        id: newId(),
        email: credentials.operator_email,
        passwordHash: operatorHash,
        operatorGrants: grantsOfNames(['operator_review', 'operator_admin']),
      })
    })
  } finally {
    await db.end()
  }
}
