/** Vaults, as operators create and change them. */
import { eq } from 'drizzle-orm'
import { vaults } from '../../drizzle/schema.ts'
import { type Database, transaction } from './database.ts'
import { insertWebhookSettings } from './webhook-setting.ts'

export type Vault = typeof vaults.$inferSelect
type VaultSettings = Pick<Vault, 'name' | 'importEnabled' | 'internalSettlementsEnabled' | 'tradingFee'>

/** Creates the vault with webhook settings that send nothing yet. */
export async function insertVault(
  db: Database,
  { webhookSecret, ...vault }: VaultSettings & { id: string; webhookSecret: string },
): Promise<void> {
  await transaction(db, async (tx) => {
    await tx.orm.insert(vaults).values(vault)
    await insertWebhookSettings(tx, vault.id, webhookSecret)
  })
}

/** Changes what is given; what is undefined stays. */
export async function updateVault(
  db: Database,
  id: string,
  changes: { [K in keyof VaultSettings]: VaultSettings[K] | undefined },
): Promise<void> {
  if (Object.values(changes).every((value) => value === undefined)) return
  await db.orm.update(vaults).set(changes).where(eq(vaults.id, id))
}

export async function findVault(db: Database, id: string): Promise<Vault | null> {
  const [row] = await db.orm.select().from(vaults).where(eq(vaults.id, id))
  return row ?? null
}

/** Creates the vault, or changes what is given of one that exists. */
export async function saveVault(
  tx: Database,
  vault: { id: string; name: string; importEnabled?: boolean },
): Promise<void> {
  await tx.orm.insert(vaults).values(vault).onConflictDoUpdate({ target: vaults.id, set: vault })
}
