/** Schemas for vaults, which administrators create and change. */
import { z } from 'zod'
import { lowContrastBackgrounds } from '../domain/access/branding.ts'
import { FOUR_EYES } from '../domain/access/review-policy.ts'
import type { VaultChanges } from '../domain/access/vault.ts'
import { LANGUAGE_NAMES } from '../domain/base/language.ts'
import { TOPICS } from '../domain/base/topics.ts'
import { HIGH_RISK_COUNTRIES } from '../domain/decision/risk.ts'
import { REVIEW_TARGET_HOURS } from '../domain/review/review-target.ts'
import { apiKeyResponse } from './api-key.ts'
import { described, httpsUrl, pageQuery, requiredText } from './common.ts'
import { VALUES } from './field.ts'
import { recordOf } from './record.ts'
import { dataOf, listOf, named, unixTime, uuid } from './response.ts'

const MAX_LOGO_BYTES = 200 * 1024

/** An example image with one pixel. */
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const logo = z
  .base64('Send the image in base64.')
  .min(1)
  .refine((value) => Buffer.from(value, 'base64').length <= MAX_LOGO_BYTES, {
    params: { code: 'too_long' },
    error: 'The logo exceeds 200 kB. Send a smaller image.',
  })
  .meta({
    format: 'byte',
    description: 'Logo, as a PNG or JPEG of at most 200 kB in base64. Null removes it.',
    examples: [DOT],
  })

/**
 * Creates the schema of a colour. Refuses colours with too little contrast to their backgrounds or to the button text.
 */
const accent = (scheme: 'light' | 'dark') =>
  z
    .string()
    .regex(/^#[0-9a-f]{6}$/i, 'Send the colour as #rrggbb.')
    .superRefine((color, context) => {
      const close = lowContrastBackgrounds(color, scheme)
      if (close.length === 0) return
      const message = `The contrast is ${close.join(', and ')}. Send a colour with at least 4.5:1.`
      context.addIssue({ code: 'custom', message })
    })
    .meta({
      description: `Colour of links and buttons on ${scheme} pages, as #rrggbb. The contrast must be at least 4.5:1. Null for the default colour.`,
      examples: [scheme === 'light' ? '#7a1f5c' : '#f0a6d4'],
    })

const language = z.enum(LANGUAGE_NAMES)

const languages = z
  .array(language)
  .min(1, 'Send at least one language.')
  .refine((names) => new Set(names).size === names.length, 'Send each language once.')

const { min, max } = REVIEW_TARGET_HOURS
const OUTSIDE_TARGET = `The value is outside the range. Send an integer from ${min} to ${max}.`

const vault = {
  name: described(requiredText(200), 'The client’s name, which hosted pages show.', 'Analytical Engines'),
  import_enabled: z.boolean().describe('Whether the vault can use `POST /identifications/import_identity`.'),
  internal_settlements_enabled: z.boolean().describe('Whether blocks include internal settlements.'),
  send_traceparent: described(
    z.boolean(),
    'Whether webhook requests contain the `traceparent` header, if traces are on.',
  ),
  emails: described(
    z.boolean(),
    'Whether applicants receive emails, such as their link. This requires a mail server.',
  ),
  email_outcomes: z.boolean().describe('Whether these emails include approvals and rejections.'),
  four_eyes: described(
    z.array(z.enum(FOUR_EYES)).max(FOUR_EYES.length),
    'Decisions that require a second approval by another operator.',
    [FOUR_EYES[0]],
  ),
  high_risk_countries: described(
    z.array(VALUES.country).max(250),
    'High-risk countries, as ISO 3166-1 alpha-2 codes. Cases that involve one of them are high-risk.',
    ['IR', 'KP', 'MM'],
  ),
  review_target_hours: described(
    z.int().min(min, OUTSIDE_TARGET).max(max, OUTSIDE_TARGET),
    'Number of hours within which a case that awaits review should be decided. Saturdays and Sundays (UTC) do not count, so 24 is one working day.',
    REVIEW_TARGET_HOURS.default,
  ),
  trading_fee: described(
    z
      .number()
      .min(0, 'The value is outside the range. Send a fraction from 0 to 1.')
      .max(1, 'The value is outside the range. Send a fraction from 0 to 1.'),
    'Trading fee, as a decimal fraction. 0.01 means 1%. The client’s settings show it.',
    0.01,
  ),
}

const SUPPORT_EMAIL = {
  description: 'Email address for help on hosted pages. Null if there is none.',
  examples: ['support@client.example.com'],
}
const PRIVACY_URL = {
  description: 'URL of the privacy notice on hosted pages. Null if there is none.',
  examples: ['https://client.example.com/privacy'],
}
const LANGUAGES = { description: 'Languages of the hosted pages.', examples: [['en', 'de']] }
const DEFAULT_LANGUAGE =
  'Default language of the hosted pages, for applicants whose language is not available.'

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
  send_traceparent: vault.send_traceparent.default(false),
  emails: vault.emails.default(false),
  email_outcomes: vault.email_outcomes.default(false),
  four_eyes: vault.four_eyes.default([]),
  high_risk_countries: vault.high_risk_countries.default([...HIGH_RISK_COUNTRIES]),
  review_target_hours: vault.review_target_hours.default(REVIEW_TARGET_HOURS.default),
  trading_fee: vault.trading_fee.default(0),
  ...branding,
})

export const patchVaultBody = z.strictObject({ ...z.strictObject(vault).partial().shape, ...branding })

/** Returns the changes in a body. Removes duplicate entries from lists. */
export const vaultChangesOf = (body: z.output<typeof patchVaultBody>): VaultChanges => ({
  ...recordOf(body),
  fourEyes: body.four_eyes && [...new Set(body.four_eyes)],
  highRiskCountries: body.high_risk_countries && [...new Set(body.high_risk_countries)],
  logo: typeof body.logo === 'string' ? Buffer.from(body.logo, 'base64') : body.logo,
})

export const listVaultsQuery = z.strictObject(pageQuery(25))

const vaultShown = z.strictObject({
  id: uuid.describe('ID of the vault, for the `vault_id` in paths and queries.'),
  ...vault,
  logo_url: described(
    z.url().nullable(),
    'URL of the logo. Null if there is none.',
    'https://onboarding.example.com/logo',
  ),
  accent_color: described(
    z.string().nullable(),
    'Colour of links and buttons on light pages, as #rrggbb. Null for the default colour.',
    '#7a1f5c',
  ),
  accent_color_dark: described(
    z.string().nullable(),
    'Colour of links and buttons on dark pages, as #rrggbb. Null for the default colour.',
    '#f0a6d4',
  ),
  support_email: z.string().nullable().meta(SUPPORT_EMAIL),
  privacy_url: z.string().nullable().meta(PRIVACY_URL),
  languages: z.array(language).meta(LANGUAGES),
  default_language: language.describe(DEFAULT_LANGUAGE),
  created_at: unixTime.describe('Time of creation, in Unix seconds.'),
})

export const vaultResponse = dataOf(named('Vault', vaultShown))
export const vaultListResponse = listOf(vaultResponse.shape.data)

const webhookHealth = named(
  'WebhookHealth',
  z.strictObject({
    topic: z.enum(TOPICS).describe('Topic of the URL.'),
    url: described(z.url(), 'The registered URL.', 'https://client.example.com/webhooks'),
    attempts_24h: described(
      z.int().min(0),
      'Number of attempts in the last 24 hours, for the latest 500 events of the topic.',
    ),
    accepted_24h: z.int().min(0).meta({ description: 'Number of these attempts that the URL accepted.' }),
    failing_since: described(
      unixTime.nullable(),
      'Time of the first failed attempt since the last accepted one, in Unix seconds. Null if the latest attempt was accepted, or if there was none.',
    ),
    oldest_pending_at: described(
      unixTime.nullable(),
      'Time of the oldest event not yet delivered to the URL, in Unix seconds. Null if there is none.',
    ),
  }),
)

export const vaultDetailsResponse = dataOf(
  named(
    'VaultDetails',
    vaultShown.extend({
      api_keys: z.array(apiKeyResponse.shape.data).meta({ description: 'The latest 100 API keys.' }),
      webhooks: z.array(webhookHealth).describe('Delivery status of each URL.'),
    }),
  ),
)
