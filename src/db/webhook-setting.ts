/** Webhook settings of a vault: where its events go and the secret that signs them. */
import { eq, sql } from 'drizzle-orm'
import { vaults, webhookSettings } from '../../drizzle/schema.ts'
import type { Topic } from '../domain/events.ts'
import type { Database } from './database.ts'
import { sealedFor } from './sealed.ts'

export type UrlList = Partial<Record<Topic, string[]>>

const context = (vaultId: string) => sealedFor('webhook_settings.secret', vaultId)

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

/** The secret that signs the vault's deliveries. */
export async function readWebhookSecret(db: Database, vaultId: string): Promise<string> {
  const [row] = await db.orm
    .select({ secret: webhookSettings.secret })
    .from(webhookSettings)
    .where(eq(webhookSettings.vaultId, vaultId))
  if (!row) throw new Error('the vault has no webhook settings')
  return db.encryption.open(row.secret, context(vaultId)).toString()
}

/** Only the topics given change; an empty list stops a topic. */
export async function updateWebhookUrls(db: Database, vaultId: string, urls: UrlList): Promise<void> {
  await db.orm
    .update(webhookSettings)
    .set({ urlList: sql`${webhookSettings.urlList} || ${JSON.stringify(urls)}::jsonb` })
    .where(eq(webhookSettings.vaultId, vaultId))
}

/** The URLs registered per topic, as seen by the transaction that writes an event. */
export async function readWebhookUrls(tx: Database, vaultId: string): Promise<UrlList> {
  const [row] = await tx.orm
    .select({ urlList: webhookSettings.urlList })
    .from(webhookSettings)
    .where(eq(webhookSettings.vaultId, vaultId))
  return row?.urlList ?? {}
}
