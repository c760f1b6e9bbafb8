/** Vaults, created and changed by operators who administer. */
import type { z } from 'zod'
import { idParams, unixSeconds } from '../../contracts/common.ts'
import { createVaultBody, patchVaultBody, vaultAnswer } from '../../contracts/vault.ts'
import { type Database, transaction } from '../../db/database.ts'
import { insertVault, lockVault, updateVault, type Vault } from '../../db/vault.ts'
import { LANGUAGE_NAMES, type Language } from '../../domain/branding.ts'
import { RequestRefused } from '../../domain/errors.ts'
import { asLogo, ImageRefused } from '../../storage/image.ts'
import { newWebhookSecret } from '../../storage/random.ts'
import { logoPath } from '../branding.ts'
import type { RouteDeps } from '../deps.ts'
import { type Route, route } from '../route.ts'

export const vaultRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/vaults',
    role: 'operator_admin',
    summary: 'Create a vault',
    response: { 201: vaultAnswer },
    body: createVaultBody,
    handler: async ({ deps: { config }, body, effect }) => {
      const { languages = [...LANGUAGE_NAMES], default_language = languages[0] } = body
      checkLanguages(languages, default_language)
      const settings = await settingsOf({ ...body, languages, default_language })
      return effect.commit(async (tx) => {
        const { id } = effect
        await insertVault(tx, { ...settings, id, name: body.name, webhookSecret: newWebhookSecret() })
        return { answer: { status: 201, body: present(config, await lock(tx, id)) } }
      })
    },
  }),
  route({
    method: 'patch',
    path: '/vaults/:id',
    role: 'operator_admin',
    summary: 'Change a vault',
    response: { 200: vaultAnswer },
    params: idParams,
    body: patchVaultBody,
    handler: async ({ deps: { db, config }, params: { id }, body }) => {
      const settings = await settingsOf(body)
      return transaction(db, async (tx) => {
        const before = await lock(tx, id)
        checkLanguages(body.languages ?? before.languages, body.default_language ?? before.defaultLanguage)
        await updateVault(tx, id, settings)
        return { body: present(config, await lock(tx, id)) }
      })
    },
  }),
]

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
  const vault = await lockVault(tx, id)
  if (!vault) throw new RequestRefused({ code: 'not_found' })
  return vault
}

function present({ PUBLIC_URL }: RouteDeps['config'], vault: Vault) {
  const logo = logoPath(vault)
  return {
    data: {
      id: vault.id,
      name: vault.name,
      import_enabled: vault.importEnabled,
      internal_settlements_enabled: vault.internalSettlementsEnabled,
      four_eyes: vault.fourEyes,
      high_risk_countries: vault.highRiskCountries,
      trading_fee: vault.tradingFee,
      logo_url: logo && PUBLIC_URL + logo,
      accent_color: vault.accentColor,
      accent_color_dark: vault.accentColorDark,
      support_email: vault.supportEmail,
      privacy_url: vault.privacyUrl,
      languages: vault.languages,
      default_language: vault.defaultLanguage,
      created_at: unixSeconds(vault.createdAt),
    },
  }
}
