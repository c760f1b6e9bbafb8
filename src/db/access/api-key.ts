/** Queries for vaults' API keys, which are stored as hashes. */
import { and, desc, eq, getTableColumns, isNull, or, sql } from 'drizzle-orm'
import { apiKeys, vaults } from '../../../drizzle/schema.ts'
import type { ClientRole, VaultAccess } from '../../domain/access/access.ts'
import type { ApiKey } from '../../domain/access/api-key.ts'
import type { Listed, Page } from '../../domain/base/page.ts'
import type { Database } from '../connection/database.ts'

/**
 * Together with the time for which APIs cache callers, this is less than a minute, so `last_used_at` is accurate to a
 * minute.
 */
const NOTE_USE_AFTER_SECONDS = 50

const SHOWN_CHARACTERS = 12

const { keyHash: _, ...SHOWN } = getTableColumns(apiKeys)

const hasNotEnded = and(
  isNull(apiKeys.revokedAt),
  or(isNull(apiKeys.expiresAt), sql`${apiKeys.expiresAt} > clock_timestamp()`),
)

const keyHash = (db: Database, key: string) => db.encryption.hash(key, 'api_key')

/**
 * Returns the vault of a key and the key's expiry, and records the use. Returns null if the key is unknown, not confirmed,
 * revoked or expired.
 */
export async function findVaultByApiKey(
  db: Database,
  key: string,
): Promise<{ id: string; vault: VaultAccess; expiresAt: Date | null } | null> {
  const [row] = await db.orm
    .select({
      id: apiKeys.id,
      roles: apiKeys.roles,
      expiresAt: apiKeys.expiresAt,
      vaultId: vaults.id,
      vaultName: vaults.name,
      noted: sql<boolean>`coalesce(${usedLately}, false)`,
    })
    .from(apiKeys)
    .innerJoin(vaults, eq(vaults.id, apiKeys.vaultId))
    .where(and(eq(apiKeys.keyHash, keyHash(db, key)), eq(apiKeys.awaitsConfirmation, false), hasNotEnded))
  if (!row) return null
  if (!row.noted) await noteUse(db, row.id)
  return {
    id: row.id,
    vault: { id: row.vaultId, name: row.vaultName, roles: row.roles },
    expiresAt: row.expiresAt,
  }
}

/**
 * Returns why a key is not valid, or null if the key is unknown. Call this only for a key that `findVaultByApiKey` has
 * refused.
 */
export async function findApiKeyEnd(db: Database, key: string) {
  const [row] = await db.orm
    .select({ revokedAt: apiKeys.revokedAt, awaitsConfirmation: apiKeys.awaitsConfirmation })
    .from(apiKeys)
    .where(eq(apiKeys.keyHash, keyHash(db, key)))
  if (!row) return null
  if (row.revokedAt) return 'revoked'
  return row.awaitsConfirmation ? 'unconfirmed' : 'expired'
}

const usedLately = sql`${apiKeys.lastUsedAt} > clock_timestamp() - make_interval(secs => ${NOTE_USE_AFTER_SECONDS})`

/** Records the use of a key. Only one of several concurrent processes updates the row. */
const noteUse = (db: Database, id: string) =>
  db.orm
    .update(apiKeys)
    .set({ lastUsedAt: sql`clock_timestamp()` })
    .where(and(eq(apiKeys.id, id), sql`${usedLately} IS NOT TRUE`))

export async function insertApiKey(
  tx: Database,
  key: {
    id: string
    vaultId: string
    key: string
    roles: readonly ClientRole[]
    name?: string | null
    expiresAt?: Date | null
    awaitsConfirmation?: boolean
  },
): Promise<void> {
  const { key: text, roles, ...rest } = key
  const prefix = text.slice(0, SHOWN_CHARACTERS)
  await tx.orm.insert(apiKeys).values({ ...rest, roles: [...roles], prefix, keyHash: keyHash(tx, text) })
}

/** Returns a page of the vault's keys, newest first. */
export async function listApiKeys(
  db: Database,
  vaultId: string,
  { page, per_page }: Page,
): Promise<Listed<ApiKey>> {
  const ofVault = eq(apiKeys.vaultId, vaultId)
  const entries = await db.orm
    .select(SHOWN)
    .from(apiKeys)
    .where(ofVault)
    .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id))
    .limit(per_page)
    .offset((page - 1) * per_page)
  return { entries, totalCount: await db.orm.$count(apiKeys, ofVault) }
}

export async function findApiKey(db: Database, id: string): Promise<ApiKey | null> {
  const [key] = await db.orm.select(SHOWN).from(apiKeys).where(eq(apiKeys.id, id))
  return key ?? null
}

/** Makes a key valid that awaited confirmation. Returns false if it has been revoked or has expired. */
export async function confirmApiKey(tx: Database, id: string): Promise<boolean> {
  const { count } = await tx.orm
    .update(apiKeys)
    .set({ awaitsConfirmation: false })
    .where(and(eq(apiKeys.id, id), hasNotEnded))
  return count === 1
}

/** Revokes a key permanently. Returns false if it is already revoked or does not exist. */
export async function revokeApiKey(db: Database, id: string): Promise<boolean> {
  const { count } = await db.orm
    .update(apiKeys)
    .set({ revokedAt: sql`clock_timestamp()` })
    .where(and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt)))
  return count === 1
}
