/** Requests about webhook settings, secrets and delivery logs (specification, "Webhook settings and logs"). */
import { z } from 'zod'
import { LOG_STATUSES, TOPICS } from '../domain/events.ts'
import { dataOf, listOf, message, named, unixTime, uuid } from './answer.ts'
import { id, idParam, isUnbroken, pageQuery, text } from './common.ts'

const MAX_URLS = 10
const MAX_URL = 2_000

const hasNoCredentials = (url: string) => {
  const { username, password } = new URL(url)
  return username === '' && password === ''
}

/** `http` is for receivers on the same machine, where the deployment allows private addresses. */
const webhookUrl = (allowPrivate: boolean) =>
  z
    .url({ protocol: allowPrivate ? /^https?$/ : /^https$/, error: 'Write an https URL.', abort: true })
    .max(MAX_URL)
    // It goes into an index, which counts bytes.
    .refine((url) => url.length > MAX_URL || Buffer.byteLength(url) <= MAX_URL, 'Write at most 2,000 bytes.')
    .refine(isUnbroken, 'Leave spaces out of the URL.')
    .refine(hasNoCredentials, 'Leave user names and passwords out of the URL.')

/** Names the code of keys that are no topics. */
const unknownTopic = ({ code }: { readonly code: string }) =>
  code === 'unrecognized_keys' ? 'unknown_topic' : undefined

export const updateWebhookBody = (allowPrivate: boolean) => {
  const urls = z
    .array(webhookUrl(allowPrivate))
    .max(MAX_URLS)
    .transform((urls) => [...new Set(urls)])
    .optional()
  const topics = Object.fromEntries(TOPICS.map((topic) => [topic, urls]))
  return z.strictObject({ webhook_url: z.strictObject(topics, { error: unknownTopic }) })
}

export const listWebhookLogsQuery = z.strictObject({
  type: z.enum(TOPICS).optional(),
  status: z.enum(LOG_STATUSES).optional(),
  search: text(500).optional(),
  vault_id: idParam.optional(),
  ...pageQuery(80),
})

export const listWebhookAttemptsQuery = z.strictObject(pageQuery(80))

/** A moment that PostgreSQL and JavaScript can both tell. */
const unixMoment = z.int().min(0).max(253_402_300_799)

export const retryWebhookLogsBody = z.strictObject({
  type: z.enum(TOPICS),
  status: z.enum(['failed', 'partial']),
  from: unixMoment,
  to: unixMoment,
  vault_id: id.optional(),
})

const WEEK = 168

export const rotateWebhookSecretBody = z.strictObject({ overlap_hours: z.int().min(0).max(WEEK).default(24) })

const urls = z.array(z.url().meta({ examples: ['https://client.example.com/webhooks'] }))

export const settingsAnswer = dataOf(
  z.strictObject({
    id: uuid,
    otp_required_for_login: z.boolean(),
    redirect_url: z.string().nullable(),
    trading_fee: z.number().meta({ description: 'A decimal fraction: 0.01 means 1%.', examples: [0.01] }),
    webhook_url_list: z.partialRecord(z.enum(TOPICS), urls),
    webhook_secret: z.string().meta({ examples: ['whsec_7hKqRWxN2cPdM4vTzB9e'] }),
    secret_key_present: z.boolean(),
  }),
)
export const webhookUpdatedAnswer = message('Webhook URLs updated')

const log = named(
  'WebhookLog',
  z.strictObject({
    id: uuid,
    event: z.enum(TOPICS),
    status: z.enum(LOG_STATUSES),
    fail_reason: z.string().nullable(),
    payload: z.record(z.string(), z.unknown()).meta({
      description: 'The body that was sent.',
      examples: [{ data: { event: 'account_locked', attributes: {} } }],
    }),
    retries: z.int().min(0),
    urls_destiny: urls,
    created_at: unixTime,
  }),
)
export const webhookLogAnswer = dataOf(log)
export const webhookLogListAnswer = listOf(log)

const attempt = z.strictObject({
  round: z.int().min(1).meta({ description: 'Rises with each retry by hand.' }),
  number: z.int().min(1),
  url: z.url().meta({ examples: ['https://client.example.com/webhooks'] }),
  status_code: z.int().nullable(),
  error: z.string().nullable(),
  duration_ms: z.int().min(0),
  excerpt: z.string().nullable().meta({ description: 'The beginning of the answer.' }),
  created_at: unixTime,
})
export const webhookAttemptListAnswer = listOf(attempt)
export const listDeliveriesQuery = z.strictObject(pageQuery(25))
export const deliveryListAnswer = listOf(named('Delivery', log.extend({ attempts: z.array(attempt) })))
export const webhookLogsRetriedAnswer = dataOf(z.strictObject({ count: z.int().min(0) }))
export const webhookSecretRotatedAnswer = dataOf(
  z.strictObject({ webhook_secret: z.string(), previous_secret_expires_at: unixTime.nullable() }),
)
