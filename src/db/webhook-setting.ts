/** Webhook settings of a vault: where its events go and the secret that signs them. */
import { eq, sql } from 'drizzle-orm'
import { vaults, webhookSettings } from '../../drizzle/schema.ts'
import type { UrlList } from '../domain/events.ts'
import type { Database } from './database.ts'

const context = (vaultId: string) => `webhook_settings.secret:${vaultId}`

export async function insertWebhookSettings(tx: Database, vaultId: string, secret: string): Promise<void> {
  await tx.orm
    .insert(webhookSettings)
    .values({ vaultId, secret: tx.encryption.seal(secret, context(vaultId)) })
    .onConflictDoNothing()
}

export async function readWebhookSettings(db: Database, vaultId: string) {
  const [row] = await db.orm
    .select({
      urlList: webhookSettings.urlList,
      secret: webhookSettings.secret,
      redirectUrl: webhookSettings.redirectUrl,
      tradingFee: vaults.tradingFee,
    })
    .from(webhookSettings)
    .innerJoin(vaults, eq(vaults.id, webhookSettings.vaultId))
    .where(eq(webhookSettings.vaultId, vaultId))
  if (!row) throw new Error('the vault has no webhook settings')
  return { ...row, secret: db.encryption.open(row.secret, context(vaultId)).toString() }
}

/** The secrets that sign the vault's deliveries, newest first. */
export const secretsInForce = (db: Database, row: { vaultId: string; secret: Buffer }): string[] => [
  db.encryption.open(row.secret, context(row.vaultId)).toString(),
]

/** Only the topics given change; an empty list stops a topic. */
export async function updateWebhookUrls(db: Database, vaultId: string, urls: UrlList): Promise<void> {
  await db.orm
    .update(webhookSettings)
    .set({ urlList: sql`${webhookSettings.urlList} || ${JSON.stringify(urls)}::jsonb` })
    .where(eq(webhookSettings.vaultId, vaultId))
}
