/** Vaults, created and changed by operators who administer. */
import { z } from 'zod'
import { LANGUAGE_NAMES, lowContrastBackgrounds } from '../domain/access/branding.ts'
import type { VaultChanges } from '../domain/access/vault.ts'
import { FOUR_EYES } from '../domain/decision/confirmation.ts'
import { HIGH_RISK_COUNTRIES } from '../domain/decision/risk.ts'
import { TOPICS } from '../domain/webhook/events.ts'
import { apiKeyResponse } from './api-key.ts'
import { httpsUrl, pageQuery, requiredText } from './common.ts'
import { VALUES } from './field.ts'
import { dataOf, listOf, named, unixTime, uuid } from './response.ts'

const MAX_LOGO_BYTES = 200 * 1024

/** A picture of one dot. */
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const logo = z
  .base64('Send the image in base64.')
  .min(1)
  .refine((value) => Buffer.from(value, 'base64').length <= MAX_LOGO_BYTES, {
    params: { code: 'too_long' },
    error: 'The picture is larger than 200 kB.',
  })
  .meta({
    format: 'byte',
    description: 'A PNG or JPEG of at most 200 kB in base64; null removes it.',
    examples: [DOT],
  })

/** Refused where what is written in it, or on it, would be hard to read. */
const accent = (scheme: 'light' | 'dark') =>
  z
    .string()
    .regex(/^#[0-9a-f]{6}$/i, 'Write the colour as #rrggbb.')
    .superRefine((color, context) => {
      const close = lowContrastBackgrounds(color, scheme)
      if (close.length === 0) return
      const message = `The contrast must be at least 4.5:1. With ${close.join(', with ')}.`
      context.addIssue({ code: 'custom', message })
    })
    .meta({
      description: `Of links and buttons on ${scheme} pages, legible by its contrast; null for the usual one.`,
      examples: [scheme === 'light' ? '#7a1f5c' : '#f0a6d4'],
    })

const language = z.enum(LANGUAGE_NAMES)

const languages = z
  .array(language)
  .min(1, 'Choose at least one language.')
  .refine((names) => new Set(names).size === names.length, 'Name each language once.')

const vault = {
  name: requiredText(200).meta({
    description: 'The name of the client; hosted pages show it.',
    examples: ['Analytical Engines'],
  }),
  import_enabled: z.boolean().describe('Whether `POST /identifications/import_identity` is open to it.'),
  internal_settlements_enabled: z.boolean().describe('Whether blocks cover internal settlements too.'),
  four_eyes: z
    .array(z.enum(FOUR_EYES))
    .max(FOUR_EYES.length)
    .meta({
      description: 'Of these, what one operator decides takes effect once another one confirms it.',
      examples: [[FOUR_EYES[0]]],
    }),
  high_risk_countries: z
    .array(VALUES.country)
    .max(250)
    .meta({
      description: 'Whoever has to do with one of them is a high risk.',
      examples: [['IR', 'KP', 'MM']],
    }),
  trading_fee: z
    .number()
    .min(0, 'A fraction from 0 to 1.')
    .max(1, 'A fraction from 0 to 1.')
    .meta({ description: 'A decimal fraction: 0.01 means 1%. Shown in the settings.', examples: [0.01] }),
}

const SUPPORT_EMAIL = {
  description: 'Where hosted pages send whoever needs help; null for nowhere.',
  examples: ['support@client.example.com'],
}
const PRIVACY_URL = {
  description: 'The privacy notice that hosted pages link to; null for none.',
  examples: ['https://client.example.com/privacy'],
}
const LANGUAGES = { description: 'Languages of its hosted pages.', examples: [['en', 'de']] }
const DEFAULT_LANGUAGE = 'One of the vault’s languages, for whoever speaks none of them.'

const branding = z
  .strictObject({
    logo: logo.nullable(),
    accent_color: accent('light').nullable(),
    accent_color_dark: accent('dark').nullable(),
    support_email: VALUES.email.nullable().meta(SUPPORT_EMAIL),
    privacy_url: httpsUrl.nullable().meta(PRIVACY_URL),
    languages: languages.meta(LANGUAGES),
    default_language: language.describe(DEFAULT_LANGUAGE),
  })
  .partial().shape

export const createVaultBody = z.strictObject({
  name: vault.name,
  import_enabled: vault.import_enabled.default(false),
  internal_settlements_enabled: vault.internal_settlements_enabled.default(false),
  four_eyes: vault.four_eyes.default([]),
  high_risk_countries: vault.high_risk_countries.default([...HIGH_RISK_COUNTRIES]),
  trading_fee: vault.trading_fee.default(0),
  ...branding,
})

export const patchVaultBody = z.strictObject({ ...z.strictObject(vault).partial().shape, ...branding })

/** Returns the changes that a body asks for. A list names each entry once. */
export const vaultChangesOf = (body: z.output<typeof patchVaultBody>): VaultChanges => ({
  name: body.name,
  importEnabled: body.import_enabled,
  internalSettlementsEnabled: body.internal_settlements_enabled,
  fourEyes: body.four_eyes && [...new Set(body.four_eyes)],
  highRiskCountries: body.high_risk_countries && [...new Set(body.high_risk_countries)],
  tradingFee: body.trading_fee,
  logo: typeof body.logo === 'string' ? Buffer.from(body.logo, 'base64') : body.logo,
  accentColor: body.accent_color,
  accentColorDark: body.accent_color_dark,
  supportEmail: body.support_email,
  privacyUrl: body.privacy_url,
  languages: body.languages,
  defaultLanguage: body.default_language,
})

export const listVaultsQuery = z.strictObject(pageQuery(25))

const vaultShown = z.strictObject({
  id: uuid.describe('The `vault_id` of paths and queries.'),
  name: vault.name,
  import_enabled: vault.import_enabled,
  internal_settlements_enabled: vault.internal_settlements_enabled,
  four_eyes: vault.four_eyes,
  high_risk_countries: vault.high_risk_countries,
  trading_fee: vault.trading_fee,
  logo_url: z
    .url()
    .nullable()
    .meta({
      description: 'Where its logo is shown; null for none.',
      examples: ['https://onboarding.example.com/logo'],
    }),
  accent_color: z
    .string()
    .nullable()
    .meta({
      description: 'Of links and buttons on light pages; null for the usual one.',
      examples: ['#7a1f5c'],
    }),
  accent_color_dark: z
    .string()
    .nullable()
    .meta({ description: 'The same on dark pages.', examples: ['#f0a6d4'] }),
  support_email: z.string().nullable().meta(SUPPORT_EMAIL),
  privacy_url: z.string().nullable().meta(PRIVACY_URL),
  languages: z.array(language).meta(LANGUAGES),
  default_language: language.describe(DEFAULT_LANGUAGE),
  created_at: unixTime.describe('When it was made, in Unix seconds.'),
})

export const vaultResponse = dataOf(named('Vault', vaultShown))
export const vaultListResponse = listOf(vaultResponse.shape.data)

const webhookHealth = named(
  'WebhookHealth',
  z.strictObject({
    topic: z.enum(TOPICS).describe('The topic that the URL is registered for.'),
    url: z
      .url()
      .meta({ description: 'Where events are sent.', examples: ['https://client.example.com/webhooks'] }),
    attempts_24h: z
      .int()
      .min(0)
      .meta({ description: 'Attempts at the URL within a day, of the newest 500 events of the topic.' }),
    accepted_24h: z.int().min(0).meta({ description: 'Those of them that the URL accepted.' }),
    failing_since: unixTime.nullable().meta({
      description:
        'Since when it has accepted nothing; null where the newest attempt was accepted, or none was made.',
    }),
    oldest_pending_at: unixTime.nullable().meta({
      description: 'When the oldest event happened that the URL is still to be sent; null for none.',
    }),
  }),
)

export const vaultDetailsResponse = dataOf(
  named(
    'VaultDetails',
    vaultShown.extend({
      api_keys: z.array(apiKeyResponse.shape.data).meta({ description: 'The newest 100.' }),
      webhooks: z.array(webhookHealth).describe('How each URL does.'),
    }),
  ),
)
