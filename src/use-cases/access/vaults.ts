/** Use cases for vaults, which administrators create, change and list. */

import { v7 as newId } from 'uuid'
import { insertProposal } from '../../db/access/admin-proposal.ts'
import { listApiKeys } from '../../db/access/api-key.ts'
import {
  findVault,
  getVaultForUpdate,
  insertVault,
  listVaults as listAll,
  updateVault,
} from '../../db/access/vault.ts'
import { recordAudit } from '../../db/audit/audit.ts'
import { type Database, transaction } from '../../db/connection/database.ts'
import { findAddress } from '../../db/email/notice.ts'
import { countWaitingByVault } from '../../db/lists/vault-load.ts'
import { countRecentDeliveries } from '../../db/webhooks/delivery-count.ts'
import { countFailingUrlsByVault } from '../../db/webhooks/failing-url.ts'
import { readWebhookHealth } from '../../db/webhooks/health.ts'
import { aboutVault, auditChanges, BY_COMMAND_LINE, type By } from '../../domain/access/audit.ts'
import type { Granted, Permission, VaultScope } from '../../domain/access/grant.ts'
import type { Vault, VaultChanges } from '../../domain/access/vault.ts'
import { RequestRefused, requireFound } from '../../domain/base/errors.ts'
import { COMPLETE_LANGUAGES, type Language } from '../../domain/base/language.ts'
import type { Page } from '../../domain/base/page.ts'
import { sendsNotice } from '../../domain/email/notice.ts'
import { overdueBefore } from '../../domain/review/review-target.ts'
import type { Config } from '../../process/config.ts'
import { newWebhookSecret } from '../../storage/random.ts'
import { ImageRefused } from '../../storage/refusal.ts'
import type { Deps, WithDb } from '../base/deps.ts'
import { AlreadyCreated, type Commit, commitTogether, formEffect } from '../base/effect.ts'
import { decodeFairly } from '../limits/decoding.ts'
import { limitsOf } from '../limits/table.ts'
import { requirePermission } from './caller.ts'

/**
 * Creates a vault. With ADMIN_FOUR_EYES, imports are enabled only after a second administrator has confirmed them.
 * Throws `invalid` if the logo cannot be decoded, or if the default language is not one of the vault's
 * languages.
 */
export async function createVault(
  { config }: Pick<Deps, 'config'>,
  by: By,
  asked: VaultChanges & Pick<Vault, 'name'>,
  effect: Commit<Vault>,
): Promise<Vault> {
  const { languages = [...COMPLETE_LANGUAGES], defaultLanguage = languages[0] } = asked
  requireOffered(languages, defaultLanguage)
  const settings = { ...(await withReadLogo(by, '', asked)), languages, defaultLanguage }
  const { id } = effect
  const proposesImports = config.ADMIN_FOUR_EYES && by !== BY_COMMAND_LINE && asked.importEnabled === true
  return commitTogether(effect, async (tx) => {
    const importEnabled = proposesImports ? false : asked.importEnabled
    await insertVault(tx, { ...settings, importEnabled, id, webhookSecret: newWebhookSecret() })
    const created = await requireVaultForUpdate(tx, id)
    const changes = auditChanges({}, recorded(created), OMITTED_VALUES)
    await recordAudit(tx, by, { action: 'vault_created', ...aboutVault(id), changes })
    if (proposesImports) {
      const action = { kind: 'change_vault', vaultId: id, changes: { importEnabled: true } } as const
      await insertProposal(tx, { id: newId(), proposedBy: by.actor, action, firstHalf: null })
    }
    return created
  })
}

/**
 * Creates a vault from a form. A form that is submitted twice creates only one vault. Throws AlreadyCreated if the
 * existing vault has another name.
 */
export const createVaultFromForm = (
  { db, config }: Pick<Deps, 'db' | 'config'>,
  by: By,
  asked: VaultChanges & Pick<Vault, 'name'>,
  id: string | null,
): Promise<Vault> => {
  const effect = formEffect<Vault>({ db }, id)
  return createVault({ config }, by, asked, effect).catch(async (error: unknown) => {
    const created = error instanceof AlreadyCreated ? await findVault(db, effect.id) : null
    if (created?.name !== asked.name) throw error
    return created
  })
}

/** Changes a vault, with a logo from `withReadLogo`. Throws `not_found` and the errors of `createVault`. */
export async function changeVault(
  { db }: WithDb,
  by: By,
  id: string,
  { highRiskCountries, ...asked }: VaultChanges,
): Promise<Vault> {
  return transaction(db, async (tx) => {
    const before = await requireVaultForUpdate(tx, id)
    const isSame = highRiskCountries && areSameCountries(before.highRiskCountries, highRiskCountries)
    const settings = { ...asked, highRiskCountries: isSame ? undefined : highRiskCountries }
    requireOffered(asked.languages ?? before.languages, asked.defaultLanguage ?? before.defaultLanguage)
    await updateVault(tx, id, settings)
    const after = await requireVaultForUpdate(tx, id)
    const changes = auditChanges(recorded(before), recorded(after), OMITTED_VALUES)
    if (Object.keys(changes).length > 0)
      await recordAudit(tx, by, { action: 'vault_changed', ...aboutVault(id), changes })
    return after
  })
}

/** Returns a vault in which the operator has the permission. Throws `not_found` and `insufficient_role`. */
export async function getVault({ db }: WithDb, operator: Granted, permission: Permission, id: string) {
  requirePermission(operator, permission, id)
  return requireFound(await findVault(db, id))
}

export interface VaultLimit {
  readonly name: string
  readonly limit: number
  /** The current use, or null for a rate limit. */
  readonly used: number | null
}

/** Returns a vault with its newest keys and the health of its webhooks. Throws the errors of `getVault`. */
export async function getVaultDetails({ db }: WithDb, operator: Granted, id: string, shownKeys: number) {
  const vault = await getVault({ db }, operator, 'read_settings', id)
  const { entries } = await listApiKeys(db, id, { page: 1, per_page: shownKeys })
  return { vault, keys: entries, webhooks: await readWebhookHealth(db, id) }
}

/** Returns a vault's limits and their current use. Throws the errors of `getVault`. */
export async function readVaultLimits(
  { config, quota }: Pick<Deps, 'config' | 'quota'>,
  operator: Granted,
  id: string,
): Promise<VaultLimit[]> {
  requirePermission(operator, 'read_settings', id)
  const { files, bytes } = await quota.used(id)
  const used: Readonly<Record<string, number>> = { vault_files: files, vault_bytes: bytes }
  return Object.entries(limitsOf(config)).map(([name, limit]) => ({ name, limit, used: used[name] ?? null }))
}

/** Lists the vaults in the scope, oldest first. */
export const listVaults = ({ db }: WithDb, scope: VaultScope, page: Page) => listAll(db, scope, page)

/** Lists the vaults in the scope, oldest first, with the health of each. */
export async function listVaultsWithHealth({ db }: WithDb, scope: VaultScope, page: Page) {
  const { entries, totalCount } = await listAll(db, scope, page)
  const now = new Date()
  const ids = entries.map(({ id }) => id)
  const targets = entries.map((each) => ({
    vaultId: each.id,
    overdueBefore: overdueBefore(now, each.reviewTargetHours),
  }))
  const waiting = await countWaitingByVault(db, targets)
  const deliveries = await countRecentDeliveries(db, ids)
  const failing = await countFailingUrlsByVault(db, ids)
  const healthOf = (id: string) => ({
    ...(waiting.get(id) ?? { waiting: 0, overdue: 0 }),
    ...(deliveries.get(id) ?? { finished: 0, delivered: 0 }),
    failingUrls: failing.get(id) ?? 0,
  })
  return { entries: entries.map((vault) => ({ ...vault, health: healthOf(vault.id) })), totalCount }
}

/** Returns whether the stored files can be read and written now. */
export const isFileStoreAvailable = ({ blobs, log }: Pick<Deps, 'blobs' | 'log'>): Promise<boolean> =>
  blobs.check().then(
    () => true,
    (err) => {
      log.warn({ err }, 'stored files cannot be accessed')
      return false
    },
  )

const areSameCountries = (one: readonly string[], other: readonly string[]): boolean =>
  one.toSorted().join() === other.toSorted().join()

const recorded = ({ id: _id, createdAt: _createdAt, logoHash: logo, ...settings }: Vault) => ({
  ...settings,
  logo,
})
/** The audit trail omits these values, because a support address may be personal and a logo is not text. */
const OMITTED_VALUES = ['logo', 'supportEmail']

/** Returns the changes with the logo as pages show it. Throws `invalid` if the logo cannot be decoded. */
export async function withReadLogo<C extends VaultChanges>(by: By, vaultId: string, changes: C): Promise<C> {
  const { logo } = changes
  if (!logo) return changes
  try {
    const share = { vaultId, caller: by.actor }
    return { ...changes, logo: await decodeFairly(share, (decode) => decode('renderLogo', logo)) }
  } catch (error) {
    if (!(error instanceof ImageRefused)) throw error
    const message = 'The logo cannot be decoded. Send a complete PNG or JPEG of at most 50 million pixels.'
    throw new RequestRefused({ code: 'invalid', field: 'logo', message })
  }
}

function requireOffered(languages: readonly Language[], preset: Language | undefined): void {
  if (preset !== undefined && languages.includes(preset)) return
  const message = `The vault does not have this language. Choose from: ${languages.join(', ')}.`
  throw new RequestRefused({ code: 'invalid', field: 'default_language', message })
}

/** Locks and returns the vault. Throws `not_found`. */
export async function requireVaultForUpdate(tx: Database, id: string): Promise<Vault> {
  return requireFound(await getVaultForUpdate(tx, id))
}

/** Returns whether the deployment sends emails, for vaults that have them on. */
export const canSendEmails = ({ SMTP_URL }: Pick<Config, 'SMTP_URL'>): boolean => SMTP_URL !== undefined

export const emailsAreOn = ({ config }: Pick<Deps, 'config'>, vault: Pick<Vault, 'emails'> | null): boolean =>
  canSendEmails(config) && (vault?.emails ?? false)

/** Returns whether a person receives the result by email. Only the client can provide the address. */
export const isResultEmailed = async (
  { db, config }: Pick<Deps, 'config' | 'db'>,
  vault: Vault | null,
  identificationId: string,
): Promise<boolean> =>
  vault !== null &&
  canSendEmails(config) &&
  sendsNotice(vault, 'approved') &&
  (await findAddress(db, identificationId)) !== null

export const sendsEmails = async (deps: Pick<Deps, 'config' | 'db'>, vaultId: string): Promise<boolean> =>
  emailsAreOn(deps, await findVault(deps.db, vaultId))
