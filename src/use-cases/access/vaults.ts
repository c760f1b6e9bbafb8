/** Vaults, created and changed by operators who administer: for the API, and for the console. */

import type { z } from 'zod'
import { unixSeconds } from '../../contracts/common.ts'
import type { createVaultBody, patchVaultBody } from '../../contracts/vault.ts'
import { recordAudit } from '../../db/access/audit.ts'
import { findVault, getVaultForUpdate, insertVault, updateVault } from '../../db/access/vault.ts'
import { type Database, transaction } from '../../db/connection/database.ts'
import { auditChanges } from '../../domain/access/audit.ts'
import { LANGUAGE_NAMES, type Language } from '../../domain/access/branding.ts'
import type { Vault } from '../../domain/access/vault.ts'
import { RequestRefused } from '../../domain/errors.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { asLogo, ImageRefused } from '../../storage/image.ts'
import { newWebhookSecret } from '../../storage/random.ts'
import type { Deps } from '../deps.ts'
import type { Administering } from './administering.ts'
import { logoPath } from './branding.ts'

type Config = RouteDeps['config']

export async function createVault(
  config: Config,
  { by, effect }: Administering,
  body: z.output<typeof createVaultBody>,
) {
  const { languages = [...LANGUAGE_NAMES], default_language = languages[0] } = body
  checkLanguages(languages, default_language)
  const settings = await settingsOf({ ...body, languages, default_language })
  const { id } = effect
  return effect.commit((outer) =>
    transaction(outer, async (tx) => {
      await insertVault(tx, { ...settings, id, name: body.name, webhookSecret: newWebhookSecret() })
      const created = await lock(tx, id)
      const changes = auditChanges({}, recorded(created), UNSAID)
      await recordAudit(tx, by, { action: 'vault_created', ...about(id), changes })
      return { answer: { status: 201 as const, body: { data: presentVault(config, created) } } }
    }),
  )
}

export async function changeVault(
  db: Database,
  by: Administering['by'],
  id: string,
  body: z.output<typeof patchVaultBody>,
): Promise<Vault> {
  const settings = await settingsOf(body)
  return transaction(db, async (tx) => {
    const before = await lock(tx, id)
    checkLanguages(body.languages ?? before.languages, body.default_language ?? before.defaultLanguage)
    await updateVault(tx, id, settings)
    const after = await lock(tx, id)
    const changes = auditChanges(recorded(before), recorded(after), UNSAID)
    if (Object.keys(changes).length > 0)
      await recordAudit(tx, by, { action: 'vault_changed', ...about(id), changes })
    return after
  })
}

const about = (id: string) => ({ subject: 'vault', subjectId: id, vaultId: id }) as const

/** What the audit trail says of it. Behind the address for support may be a person. */
const recorded = (vault: Vault) => ({
  name: vault.name,
  import_enabled: vault.importEnabled,
  internal_settlements_enabled: vault.internalSettlementsEnabled,
  four_eyes: vault.fourEyes,
  high_risk_countries: vault.highRiskCountries,
  trading_fee: vault.tradingFee,
  logo: vault.logoHash,
  accent_color: vault.accentColor,
  accent_color_dark: vault.accentColorDark,
  support_email: vault.supportEmail,
  privacy_url: vault.privacyUrl,
  languages: vault.languages,
  default_language: vault.defaultLanguage,
})
const UNSAID = ['logo', 'support_email']

/** Throws `not_found`. */
export async function getVault({ db }: Pick<Deps, 'db'>, id: string): Promise<Vault> {
  const vault = await findVault(db, id)
  if (!vault) throw new RequestRefused({ code: 'not_found' })
  return vault
}

/** As the columns are called. */
const settingsOf = async (body: z.output<typeof patchVaultBody>) => ({
  name: body.name,
  importEnabled: body.import_enabled,
  internalSettlementsEnabled: body.internal_settlements_enabled,
  fourEyes: body.four_eyes && [...new Set(body.four_eyes)],
  highRiskCountries: body.high_risk_countries && [...new Set(body.high_risk_countries)],
  tradingFee: body.trading_fee,
  logo: typeof body.logo === 'string' ? await readLogo(body.logo) : body.logo,
  accentColor: body.accent_color,
  accentColorDark: body.accent_color_dark,
  supportEmail: body.support_email,
  privacyUrl: body.privacy_url,
  languages: body.languages,
  defaultLanguage: body.default_language,
})

async function readLogo(base64: string): Promise<Buffer> {
  try {
    return await asLogo(Buffer.from(base64, 'base64'))
  } catch (error) {
    if (!(error instanceof ImageRefused)) throw error
    const message = 'Send a whole PNG or JPEG of at most 50 million pixels.'
    throw new RequestRefused({ code: 'invalid', field: 'logo', message })
  }
}

function checkLanguages(languages: readonly Language[], preset: Language | undefined): void {
  if (preset !== undefined && languages.includes(preset)) return
  const message = `Choose from the vault’s languages: ${languages.join(', ')}.`
  throw new RequestRefused({ code: 'invalid', field: 'default_language', message })
}

async function lock(tx: Database, id: string): Promise<Vault> {
  const vault = await getVaultForUpdate(tx, id)
  if (!vault) throw new RequestRefused({ code: 'not_found' })
  return vault
}

export function presentVault({ PUBLIC_URL }: Config, vault: Vault) {
  const logo = logoPath(vault)
  const { logo: _, ...settings } = recorded(vault)
  return {
    id: vault.id,
    ...settings,
    logo_url: logo && PUBLIC_URL + logo,
    created_at: unixSeconds(vault.createdAt),
  }
}
