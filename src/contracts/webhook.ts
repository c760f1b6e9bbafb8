/** Schemas for webhook settings, secrets and delivery logs (specification, "Webhook settings and logs"). */
import { z } from 'zod'
import { TOPICS } from '../domain/base/topics.ts'
import { LOG_STATUSES } from '../domain/webhook/events.ts'
import { MAX_URLS } from '../domain/webhook/url.ts'
import {
  described,
  id,
  idParam,
  inOrder,
  MAX_URL,
  pageQuery,
  periodQuery,
  text,
  urlOf,
  vaultQuery,
} from './common.ts'
import { isHostName, isPublicHost } from './public-address.ts'
import { changedOf, dataOf, ENVELOPES, listOf, message, named, unixTime, uuid } from './response.ts'

const HOOK = 'https://client.example.com/webhooks'

type UrlRule = readonly [(url: URL) => boolean, string]

const URL_RULES: readonly UrlRule[] = [
  [
    ({ username, password }) => username === '' && password === '',
    'Remove the user name and the password from the URL.',
  ],
  [({ href }) => !href.includes('#'), 'Remove the # and the text after it, which is never sent.'],
  [({ port }) => port !== '0', 'Send another port. Nothing can listen on port 0.'],
  [({ hostname }) => isHostName(hostname), 'The host name of the URL is invalid. Correct it.'],
]
const PUBLIC_HOST_RULE: UrlRule = [
  ({ hostname }) => isPublicHost(hostname),
  'The host has no public address. Send a URL that is reachable over the internet.',
]

/** Creates the schema of a webhook URL. If the deployment allows private addresses, accepts them and HTTP. */
const webhookUrl = (allowPrivate: boolean) =>
  (allowPrivate ? URL_RULES : [...URL_RULES, PUBLIC_HOST_RULE]).reduce(
    (schema, [holds, error]) => schema.refine((url) => holds(new URL(url)), error),
    urlOf(
      allowPrivate ? /^https?$/ : /^https$/,
      allowPrivate ? 'Send an http or https URL.' : 'Send an https URL.',
    )
      .regex(/^https?:\/\/[^/\\]/i, {
        error: 'Send a URL with two slashes and a host, such as https://example.com.',
        abort: true,
      })
      // Limits the bytes, because an index contains the value.
      .refine(
        (url) => url.length > MAX_URL || Buffer.byteLength(url) <= MAX_URL,
        'The URL exceeds 2,000 bytes. Send a shorter URL.',
      ),
  )

/** Returns the error code `unknown_topic` for an unknown key, or undefined for other issues. */
const unknownTopic = ({ code }: { readonly code: string }) =>
  code === 'unrecognized_keys' ? 'unknown_topic' : undefined

const LONG_RETRIES =
  'Whether Gatehouse makes five more attempts after four failed attempts. The pauses are 1, 2, 4, 8 and 16 hours, each plus up to 20 percent.'

/** Removes duplicate URLs, even if they are spelled differently, and keeps the first spelling. */
function onceEach(urls: readonly string[]): string[] {
  const hrefs = urls.map((url) => new URL(url).href)
  return urls.filter((_url, n) => hrefs.indexOf(hrefs[n] as string) === n)
}

export const updateWebhookBody = (allowPrivate: boolean) => {
  const urls = z
    .array(webhookUrl(allowPrivate).meta({ examples: [HOOK] }))
    .max(MAX_URLS)
    .transform(onceEach)
    .optional()
  const topics = Object.fromEntries(
    TOPICS.map((topic) => [
      topic,
      described(
        urls,
        `URLs for events of the topic ${topic}, at most 10. An empty list stops the topic’s deliveries.`,
        [HOOK],
      ),
    ]),
  )
  return z.strictObject({
    webhook_url: z.strictObject(topics, { error: unknownTopic }).meta({
      description: 'URLs by topic. Only the topics in the request change.',
      examples: [{ identification: [HOOK] }],
    }),
    long_retries: described(
      z.boolean().optional(),
      `${LONG_RETRIES} If omitted, the setting does not change.`,
      true,
    ),
  })
}

export const testWebhookBody = (allowPrivate: boolean) =>
  z.strictObject({
    url: described(
      webhookUrl(allowPrivate),
      'URL that receives the test event. It does not have to be registered.',
      HOOK,
    ),
  })

const ALL = ['all'] as const

export const listWebhookLogsQuery = inOrder(
  z.strictObject({
    type: described(
      z.enum([...TOPICS, ...ALL]).optional(),
      'Topic of the deliveries, or `all`. Send it together with `status`. Without both, the list is empty.',
    ),
    status: described(
      z.enum([...LOG_STATUSES, ...ALL]).optional(),
      'Status of the deliveries, or `all`. Send it together with `type`.',
    ),
    search: described(
      text(500).optional(),
      'Text to find in the payload, such as an ID or an event name.',
      'kyb_processed',
    ),
    ...periodQuery,
    ...vaultQuery,
    ...pageQuery(80),
  }),
)

export const listWebhookAttemptsQuery = z.strictObject(pageQuery(80))

/** A time that PostgreSQL and JavaScript can both represent. */
export const unixMoment = z
  .int('Send the time in Unix seconds, such as 1767225600.')
  .min(0)
  .max(253_402_300_799)

const onlyFailed = described(
  z.boolean().default(false),
  'Whether to send only to registered URLs that did not accept the delivery in its latest round.',
  true,
)

export const retryWebhookLogBody = z.strictObject({ only_failed: onlyFailed })

export const retryWebhookLogsBody = z
  .strictObject({
    type: z.enum(TOPICS).describe('Topic of the deliveries to send again.'),
    status: z.enum(['failed', 'partial']).describe('Status of the deliveries to send again.'),
    from: described(unixMoment, 'Earliest time of creation, in Unix seconds.', 1_767_225_600),
    to: described(
      unixMoment,
      'Latest time of creation, in Unix seconds. This second is included.',
      1_767_312_000,
    ),
    vault_id: id
      .optional()
      .meta({ description: 'The vault. The `vault_id` in the query takes precedence.', deprecated: true }),
    only_failed: onlyFailed,
  })
  .refine(({ from, to }) => from <= to, {
    path: ['to'],
    error: 'Send a time that is not earlier than `from`.',
    // If the time is invalid, reports only that problem.
    when: ({ issues }) => issues.length === 0,
  })

const WEEK = 168

export const rotateWebhookSecretBody = z.strictObject({
  overlap_hours: described(
    z.int().min(0).max(WEEK).default(0),
    'Number of hours for which the earlier secret also signs deliveries. Default: 0.',
  ),
})

/** The URLs as submitted. They can contain characters of any script, which the format `uri` does not allow. */
const urls = z.array(z.string().meta({ examples: [HOOK] }))
const secret = {
  description: 'Secret that signs every delivery. Anyone who has it can forge deliveries from Gatehouse.',
  examples: ['whsec_7hKqRWxN2cPdM4vTzB9e'],
}

export const settingsResponse = dataOf(
  z.strictObject({
    id: uuid.describe('ID of the vault that the settings belong to.'),
    otp_required_for_login: z.boolean().describe('Whether the caller’s sign-in requires a one-time code.'),
    redirect_url: described(
      z.string().nullable(),
      'The vault’s redirect URL. Null if none is set. Each hosted verification has its own `redirect_url`.',
      'https://client.example.com/done',
    ),
    trading_fee: described(z.number(), 'Trading fee, as a decimal fraction. 0.01 means 1%.', 0.01),
    webhook_url_list: described(z.partialRecord(z.enum(TOPICS), urls), 'Registered URLs by topic.', {
      identification: [HOOK],
    }),
    long_retries: z.boolean().describe(`${LONG_RETRIES} By default, it does not.`),
    failing_webhook_urls: z
      .array(
        z.strictObject({
          topic: z.enum(TOPICS).describe('Topic of the URL.'),
          url: described(z.url(), 'The registered URL.', HOOK),
          failing_since: unixTime.describe(
            'Time of the first failed attempt since the last accepted one, in Unix seconds.',
          ),
        }),
      )
      .describe('Registered URLs at which all attempts have failed for at least one hour.'),
    webhook_secret: z.string().meta(secret),
    secret_key_present: z.boolean().describe('Whether the vault has a webhook secret.'),
    previous_secret_expires_at: unixTime
      .nullable()
      .describe(
        'Time when the earlier secret stops signing, in Unix seconds. Null if only one secret signs deliveries.',
      ),
  }),
)
export const settingsWithoutSecretsResponse = dataOf(
  settingsResponse.shape.data.omit({ otp_required_for_login: true, webhook_secret: true }),
)
export const webhookUpdatedResponse = message('Webhook URLs updated')

const log = named(
  'WebhookLog',
  z.strictObject({
    id: uuid.describe('ID of the delivery. The event has its own `event_id`.'),
    event: z.enum(TOPICS).describe('Topic of the delivery.'),
    status: described(
      z.enum(LOG_STATUSES),
      'Status of the delivery. `completed` means that every URL accepted it, `partial` that some did, and `failed` that none did or none is registered.',
    ),
    fail_reason: described(
      z.string().nullable(),
      'Reason why the latest attempt failed. Null if it did not fail.',
      'HTTP status 500',
    ),
    payload: described(z.record(z.string(), z.unknown()), 'Body of the delivery.', {
      data: { event: 'account_locked', attributes: {} },
    }),
    retries: z.int().min(0).describe('Number of automatic retries in the latest round.'),
    urls_destiny: urls.describe('Destination URLs.'),
    created_at: unixTime.describe('Time of the event, in Unix seconds.'),
  }),
)
export const webhookLogRetriedResponse = dataOf(changedOf('RetriedWebhookLog', log, ENVELOPES.webhookLog))
export const webhookLogListResponse = listOf(log)

const attempt = z.strictObject({
  round: z.int().min(1).meta({ description: 'Number of the round. It increases with each manual retry.' }),
  number: z.int().min(1).describe('Number of the attempt in its round, starting at 1.'),
  url: described(z.url(), 'Destination URL.', HOOK),
  status_code: described(
    z.int().nullable(),
    'HTTP status of the response. Null if there was no response.',
    500,
  ),
  error: described(
    z.string().nullable(),
    'Reason why the attempt failed. Null if the receiver accepted it.',
    'HTTP status 500',
  ),
  duration_ms: described(z.int().min(0), 'Duration, in milliseconds.', 84),
  excerpt: described(
    z.string().nullable(),
    'Start of the response body. Null if there was none.',
    'Internal Server Error',
  ),
  created_at: unixTime.describe('Time when the attempt ended, in Unix seconds.'),
})
export const webhookAttemptListResponse = listOf(attempt)
export const webhookTestedResponse = dataOf(
  attempt.omit({ round: true, number: true, created_at: true }).extend({
    accepted: described(
      z.boolean(),
      'Whether the receiver accepted the event, which means 200 or 201 within the time limit.',
    ),
    payload: described(z.record(z.string(), z.unknown()), 'Body of the delivery.', {
      data: { event: 'webhook_test', attributes: { version: 1, status: 'test' } },
    }),
  }),
)
export const listDeliveriesQuery = z.strictObject(pageQuery(25))
export const deliveryListResponse = listOf(
  named('Delivery', log.extend({ attempts: z.array(attempt).describe('Attempts, oldest first.') })),
)
export const webhookLogsRetriedResponse = dataOf(
  z.strictObject({ count: z.int().min(0).describe('Number of deliveries to be sent again.') }),
)
export const webhookSecretRotatedResponse = dataOf(
  z.strictObject({
    webhook_secret: z.string().meta(secret),
    previous_secret_expires_at: unixTime
      .nullable()
      .describe(
        'Time when the earlier secret stops signing, in Unix seconds. Null if it stopped immediately.',
      ),
  }),
)

export const deliveryParams = z.object({ id: idParam, delivery_id: idParam })
export const deliveryRetriedResponse = message('Delivery is sent again')

export const newWebhookUrlBody = (allowPrivate: boolean) =>
  z.strictObject({ url: webhookUrl(allowPrivate), topics: topicList.min(1) })

export const topicList = z.array(z.enum(TOPICS))
