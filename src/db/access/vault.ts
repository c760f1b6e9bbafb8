/** Queries for vaults. */
import { asc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import { vaults } from '../../../drizzle/schema.ts'
import type { VaultScope } from '../../domain/access/grant.ts'
import type { Vault, VaultChanges, VaultWithLogo } from '../../domain/access/vault.ts'
import type { Listed, Page } from '../../domain/base/page.ts'
import { type Database, transaction } from '../connection/database.ts'
import { inScope } from '../connection/in-scope.ts'
import { insertWebhookSettings } from '../webhooks/setting.ts'

const { logo, ...columns } = getTableColumns(vaults)
/** Excludes the logo, which only the branding files need. Elsewhere, its hash identifies it. */
export const VAULT_COLUMNS = {
  ...columns,
  logoHash: sql`encode(sha256(${logo}), 'hex')` as SQL<string | null>,
}

/** Creates the vault, and its webhook settings without URLs. */
export async function insertVault(
  db: Database,
  { webhookSecret, ...vault }: VaultChanges & { id: string; name: string; webhookSecret: string },
): Promise<void> {
  await transaction(db, async (tx) => {
    await tx.orm.insert(vaults).values(vault)
    await insertWebhookSettings(tx, vault.id, webhookSecret)
  })
}

/** Changes the given fields. Undefined fields keep their values. */
export async function updateVault(db: Database, id: string, changes: VaultChanges): Promise<void> {
  if (Object.values(changes).every((value) => value === undefined)) return
  await db.orm.update(vaults).set(changes).where(eq(vaults.id, id))
}

export async function findVault(db: Database, id: string): Promise<Vault | null> {
  const [row] = await db.orm.select(VAULT_COLUMNS).from(vaults).where(eq(vaults.id, id))
  return row ?? null
}

/** Returns a page of vaults, oldest first. */
export async function listVaults(
  db: Database,
  scope: VaultScope,
  { page, per_page }: Page,
): Promise<Listed<Vault>> {
  const entries = await db.orm
    .select(VAULT_COLUMNS)
    .from(vaults)
    .where(inScope(vaults.id, scope))
    .orderBy(asc(vaults.id))
    .limit(per_page)
    .offset((page - 1) * per_page)
  return { entries, totalCount: await db.orm.$count(vaults, inScope(vaults.id, scope)) }
}

/** Returns the names of at most 1,000 vaults by ID, sorted by name. */
export async function readVaultNames(db: Database, scope: VaultScope): Promise<ReadonlyMap<string, string>> {
  const { id, name } = vaults
  const rows = await db.orm
    .select({ id, name })
    .from(vaults)
    .where(inScope(id, scope))
    .orderBy(asc(name), asc(id))
    .limit(1_000)
  return new Map(rows.map((row) => [row.id, row.name]))
}

/** Returns the vault, locked until the transaction ends, or null if there is none. */
export async function getVaultForUpdate(tx: Database, id: string): Promise<Vault | null> {
  const [row] = await tx.orm.select(VAULT_COLUMNS).from(vaults).where(eq(vaults.id, id)).for('update')
  return row ?? null
}

/** Returns the vault and its logo from the same snapshot, or null if there is no such vault. */
export async function findVaultWithLogo(db: Database, id: string): Promise<VaultWithLogo | null> {
  const [row] = await db.orm
    .select({ ...VAULT_COLUMNS, logo })
    .from(vaults)
    .where(eq(vaults.id, id))
  return row ?? null
}
