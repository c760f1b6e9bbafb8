/** Use cases for a vault's webhook URLs, retries and signing secret. */
import { isOtpRequired } from '../../db/access/user-otp.ts'
import type { Database } from '../../db/connection/database.ts'
import { listFailingUrls } from '../../db/webhooks/failing-url.ts'
import {
  hasWebhookUrls as hasUrls,
  readWebhookSettings,
  rotateWebhookSecret as rotateSecret,
  updateWebhookSettings as updateSettings,
} from '../../db/webhooks/setting.ts'
import type { By } from '../../domain/access/audit.ts'
import type { Granted, VaultScope } from '../../domain/access/grant.ts'
import type { UrlList } from '../../domain/webhook/events.ts'
import type { FailingUrl } from '../../domain/webhook/health.ts'
import { newWebhookSecret } from '../../storage/random.ts'
import { type Caller, requireVault } from '../access/caller.ts'
import { getVault } from '../access/vaults.ts'
import type { Deps, WithDb } from '../base/deps.ts'
import type { Commit } from '../base/effect.ts'

export const hasWebhookUrls = ({ db }: WithDb, scope: VaultScope): Promise<boolean> => hasUrls(db, scope)

/** The settings for operators, without the secret. */
export interface ShownSettings {
  readonly urlList: UrlList
  readonly longRetries: boolean
  readonly redirectUrl: string | null
  /** The trading fee, as a decimal fraction. */
  readonly tradingFee: number
  /** When the earlier secret expires, or null if there is only one secret. */
  readonly previousSecretExpiresAt: Date | null
  readonly vaultId: string
  readonly failing: readonly FailingUrl[]
}

export interface OwnSettings extends ShownSettings {
  readonly secret: string
  /** Whether the caller signs in with one-time codes. */
  readonly isOtpRequired: boolean
}

/** Returns the settings for an operator. Throws the errors of `getVault`. */
export async function getWebhookSettings(
  { db }: WithDb,
  operator: Granted,
  vaultId: string,
): Promise<ShownSettings> {
  await getVault({ db }, operator, 'read_settings', vaultId)
  const { secret: _, ...settings } = await readSettings(db, vaultId)
  return settings
}

/** Returns the settings of the caller's first vault, or of `vaultId`. */
export async function getOwnWebhookSettings(
  { db }: WithDb,
  caller: Caller,
  vaultId?: string,
): Promise<OwnSettings> {
  const { secret, ...settings } = await readSettings(db, requireVault(caller, 'api_read', vaultId))
  const usesOtp = caller.userId !== null && (await isOtpRequired(db, caller.userId))
  return { ...settings, secret: secret(), isOtpRequired: usesOtp }
}

const readSettings = async (db: Database, vaultId: string) => ({
  ...(await readWebhookSettings(db, vaultId)),
  vaultId,
  failing: await listFailingUrls(db, vaultId),
})

interface SettingsChange {
  /** Only the listed topics change. An empty list stops the topic's deliveries. */
  readonly urls: UrlList
  readonly longRetries?: boolean | undefined
}

/** Changes the settings. Throws RateReached after too many changes. */
export async function updateWebhookSettings(
  { db, spend }: Pick<Deps, 'db' | 'spend'>,
  caller: Caller,
  by: By,
  vaultId: string | undefined,
  change: SettingsChange,
): Promise<void> {
  const ownId = requireVault(caller, 'api_write', vaultId)
  await spend('settings', ownId)
  await updateSettings(db, by, ownId, { ...change, urls: () => change.urls })
}

export interface RotatedSecret {
  readonly secret: string
  /** When the earlier secret expires, or null if it expired immediately. */
  readonly previousExpiresAt: Date | null
}

/** Creates a secret. The earlier one remains valid for `overlapHours`. Throws RateReached after too many changes. */
export async function rotateWebhookSecret(
  { spend }: Pick<Deps, 'spend'>,
  caller: Caller,
  by: By,
  vaultId: string | undefined,
  overlapHours: number,
  effect: Commit<RotatedSecret>,
): Promise<RotatedSecret> {
  const ownId = requireVault(caller, 'api_write', vaultId)
  await spend('settings', ownId)
  const secret = newWebhookSecret()
  return effect.commit(async (tx) => ({
    secret,
    previousExpiresAt: await rotateSecret(tx, by, ownId, secret, overlapHours),
  }))
}
