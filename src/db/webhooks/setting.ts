/** Queries for a vault's webhook settings, with the URLs and the secrets. */
import { and, eq, lt, sql } from 'drizzle-orm'
import { vaults, webhookSettings } from '../../../drizzle/schema.ts'
import { aboutVault, auditChanges, type By, type Changes } from '../../domain/access/audit.ts'
import type { VaultScope } from '../../domain/access/grant.ts'
import type { UrlList } from '../../domain/webhook/events.ts'
import { withoutQuery } from '../../domain/webhook/url.ts'
import { recordAudit } from '../audit/audit.ts'
import { type Database, transaction } from '../connection/database.ts'
import { inScope } from '../connection/in-scope.ts'
import { sealedFor } from '../connection/sealed.ts'
import { forgetUnregisteredUrls } from './failing-url.ts'
import { deleteOptionsOfUnregisteredUrls } from './url.ts'

const context = (vaultId: string) => sealedFor('webhook_settings.secret', vaultId)
const previousContext = (vaultId: string) => sealedFor('webhook_settings.previous_secret', vaultId)

export async function insertWebhookSettings(tx: Database, vaultId: string, secret: string): Promise<void> {
  await tx.orm
    .insert(webhookSettings)
    .values({ vaultId, secret: tx.encryption.seal(secret, context(vaultId)) })
}

export async function hasWebhookUrls({ orm }: Database, scope: VaultScope): Promise<boolean> {
  const { vaultId, urlList } = webhookSettings
  const hasUrl = sql`jsonb_path_exists(${urlList}, '$.*[0]')`
  const rows = await orm
    .select({ vaultId })
    .from(webhookSettings)
    .where(and(inScope(vaultId, scope), hasUrl))
    .limit(1)
  return rows.length > 0
}

export async function readWebhookSettings(db: Database, vaultId: string) {
  const [row] = await db.orm
    .select({
      urlList: webhookSettings.urlList,
      longRetries: webhookSettings.longRetries,
      secret: webhookSettings.secret,
      redirectUrl: webhookSettings.redirectUrl,
      tradingFee: vaults.tradingFee,
      previousSecretExpiresAt:
        sql<Date | null>`CASE WHEN ${webhookSettings.previousSecretExpiresAt} > clock_timestamp() THEN ${webhookSettings.previousSecretExpiresAt} END`.mapWith(
          webhookSettings.previousSecretExpiresAt,
        ),
    })
    .from(webhookSettings)
    .innerJoin(vaults, eq(vaults.id, webhookSettings.vaultId))
    .where(eq(webhookSettings.vaultId, vaultId))
  if (!row) throw new Error('the vault has no webhook settings')
  // Decrypts the secret only on demand, so that a damaged secret does not affect the other settings.
  return { ...row, secret: () => db.encryption.unseal(row.secret, context(vaultId)).toString() }
}

type Secrets = Pick<typeof webhookSettings.$inferSelect, 'vaultId' | 'secret' | 'previousSecret'>

/** Returns when the secret was last replaced, or null, and whether the vault has long retries. */
export async function readUrlSettings(db: Database, vaultId: string) {
  const { secretReplacedAt, longRetries } = webhookSettings
  const [row] = await db.orm
    .select({ secretReplacedAt, longRetries })
    .from(webhookSettings)
    .where(eq(webhookSettings.vaultId, vaultId))
  return row ?? { secretReplacedAt: null, longRetries: false }
}

/** Decrypts the secrets that sign the vault's deliveries, newest first. */
export function unsealSecretsInForce(
  { encryption }: Pick<Database, 'encryption'>,
  { vaultId, secret, previousSecret }: Secrets,
): string[] {
  const newest = encryption.unseal(secret, context(vaultId)).toString()
  return previousSecret
    ? [newest, encryption.unseal(previousSecret, previousContext(vaultId)).toString()]
    : [newest]
}

/** Returns the secrets that are active by PostgreSQL's clock, newest first, and the version of the URLs' options. */
export async function readSecretsInForce(db: Database, vaultId: string) {
  const { secret, previousSecret, previousSecretExpiresAt, optionsVersion } = webhookSettings
  const [row] = await db.orm
    .select({
      secret,
      previousSecret: sql<Buffer | null>`CASE WHEN ${previousSecretExpiresAt} > clock_timestamp() THEN ${previousSecret} END`,
      optionsVersion,
    })
    .from(webhookSettings)
    .where(eq(webhookSettings.vaultId, vaultId))
  if (!row) throw new Error('the vault has no webhook settings')
  return {
    secrets: unsealSecretsInForce(db, { vaultId, ...row }),
    optionsVersion: row.optionsVersion,
  }
}

/**
 * Replaces the active secret, which continues to sign during the overlap. A secret from an earlier overlap expires
 * immediately. Returns the end of the overlap, or null if there is none.
 */
export async function rotateWebhookSecret(
  db: Database,
  by: By,
  vaultId: string,
  secret: string,
  overlapHours: number,
): Promise<Date | null> {
  return transaction(db, async (tx) => {
    const [row] = await tx.orm
      .select({ secret: webhookSettings.secret })
      .from(webhookSettings)
      .where(eq(webhookSettings.vaultId, vaultId))
      .for('update')
    if (!row) throw new Error('the vault has no webhook settings')
    // Without an overlap, does not decrypt the old secret, so that a damaged one can be replaced.
    const inForce = overlapHours > 0 ? tx.encryption.unseal(row.secret, context(vaultId)) : null
    const [rotated] = await tx.orm
      .update(webhookSettings)
      .set({
        secret: tx.encryption.seal(secret, context(vaultId)),
        secretReplacedAt: sql`clock_timestamp()`,
        previousSecret: inForce && tx.encryption.seal(inForce, previousContext(vaultId)),
        previousSecretExpiresAt: inForce
          ? sql`clock_timestamp() + make_interval(hours => ${overlapHours})`
          : null,
      })
      .where(eq(webhookSettings.vaultId, vaultId))
      .returning({ expiresAt: webhookSettings.previousSecretExpiresAt })
    const changes = { overlap_hours: { to: overlapHours } }
    await recordAudit(tx, by, { action: 'webhook_secret_rotated', ...aboutVault(vaultId), changes })
    return rotated?.expiresAt ?? null
  })
}

export async function deleteExpiredWebhookSecrets(db: Database): Promise<number> {
  const forgotten = await db.orm
    .update(webhookSettings)
    .set({ previousSecret: null, previousSecretExpiresAt: null })
    .where(lt(webhookSettings.previousSecretExpiresAt, sql`now()`))
    .returning({ vaultId: webhookSettings.vaultId })
  return forgotten.length
}

interface WebhookChange {
  /**
   * Returns the URLs of the topics that change, for the current URLs, which nothing else changes meanwhile. An empty list
   * stops the topic's deliveries.
   */
  readonly urls: (before: UrlList) => UrlList
  readonly longRetries?: boolean | undefined
}

export const updateWebhookSettings = (
  db: Database,
  by: By,
  vaultId: string,
  { urls: changedUrls, longRetries }: WebhookChange,
): Promise<void> =>
  transaction(db, async (tx) => {
    const ofVault = eq(webhookSettings.vaultId, vaultId)
    const [row] = await tx.orm
      .select({ before: webhookSettings.urlList, longRetries: webhookSettings.longRetries })
      .from(webhookSettings)
      .where(ofVault)
      .for('update')
    const before = row?.before ?? {}
    const urls = changedUrls(before)
    // Removes rows that were recorded during the previous change, so that a URL that is registered again starts without
    // failures.
    await forgetUnregisteredUrls(tx, vaultId)
    await tx.orm
      .update(webhookSettings)
      .set({ urlList: { ...before, ...urls }, ...(longRetries !== undefined && { longRetries }) })
      .where(ofVault)
    await forgetUnregisteredUrls(tx, vaultId)
    await deleteOptionsOfUnregisteredUrls(tx, vaultId)
    const changes = {
      ...auditChanges(before, urls),
      ...(longRetries !== undefined &&
        auditChanges({ long_retries: row?.longRetries ?? false }, { long_retries: longRetries })),
    }
    // A topic without a list has no URLs, as if its list were empty.
    const isEmpty = (list: unknown) => list === null || (Array.isArray(list) && list.length === 0)
    if (Object.values(changes).every(({ from, to }) => isEmpty(from) && isEmpty(to))) return
    const recorded = { ...aboutVault(vaultId), changes: withoutQueries(changes) }
    await recordAudit(tx, by, { action: 'webhook_urls_changed', ...recorded })
  })

/** Removes queries from URLs, because they may contain secrets. */
const withoutQueries = (changes: Changes): Changes =>
  JSON.parse(JSON.stringify(changes), (_name, value) =>
    typeof value === 'string' ? withoutQuery(value) : value,
  )

export async function readWebhookUrls(tx: Database, vaultId: string): Promise<UrlList> {
  const [row] = await tx.orm
    .select({ urlList: webhookSettings.urlList })
    .from(webhookSettings)
    .where(eq(webhookSettings.vaultId, vaultId))
  return row?.urlList ?? {}
}
