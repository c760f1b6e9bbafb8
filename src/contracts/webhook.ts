/** Requests about webhook settings, secrets and delivery logs (specification, "Webhook settings and logs"). */
import { z } from 'zod'
import { LOG_STATUSES, TOPICS } from '../domain/webhook/events.ts'
import { id, inOrder, MAX_URL, pageQuery, periodQuery, text, urlOf, vaultQuery } from './common.ts'
import { isHostName, isPublicHost } from './public-address.ts'
import { changedOf, dataOf, ENVELOPES, listOf, message, named, unixTime, uuid } from './response.ts'

const MAX_URLS = 10
const HOOK = 'https://client.example.com/webhooks'

type UrlRule = readonly [(url: URL) => boolean, string]

const URL_RULES: readonly UrlRule[] = [
  [
    ({ username, password }) => username === '' && password === '',
    'Remove the user name and the password from the URL.',
  ],
  [({ href }) => !href.includes('#'), 'Remove the # and what follows it. It is never sent.'],
  [({ port }) => port !== '0', 'Send another port. Nothing can listen on port 0.'],
  [({ hostname }) => isHostName(hostname), 'The host name of the URL is invalid. Correct it.'],
]
const PUBLIC_HOST_RULE: UrlRule = [
  ({ hostname }) => isPublicHost(hostname),
  'The host has no public address. Send a URL that is reachable over the internet.',
]

/** `http` and private addresses are for receivers nearby, where the deployment allows them. */
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
      // It goes into an index, which counts bytes.
      .refine(
        (url) => url.length > MAX_URL || Buffer.byteLength(url) <= MAX_URL,
        'Write at most 2,000 bytes.',
      ),
  )

/** Names the code of keys that are no topics. */
const unknownTopic = ({ code }: { readonly code: string }) =>
  code === 'unrecognized_keys' ? 'unknown_topic' : undefined

const LONG_RETRIES =
  'Whether what no URL accepts in four attempts is tried five more times, 1, 2, 4, 8 and 16 hours apart, each a little longer.'

/** Each URL as it was written first, however else it is written. */
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
      urls.meta({
        description: `Where events of ${topic} are sent. An empty list stops them.`,
        examples: [[HOOK]],
      }),
    ]),
  )
  return z.strictObject({
    webhook_url: z.strictObject(topics, { error: unknownTopic }).meta({
      description: 'URLs by topic; only the topics that are sent change.',
      examples: [{ identification: [HOOK] }],
    }),
    long_retries: z
      .boolean()
      .optional()
      .meta({ description: `${LONG_RETRIES} Stays as it is where it is not sent.`, examples: [true] }),
  })
}

export const testWebhookBody = (allowPrivate: boolean) =>
  z.strictObject({
    url: webhookUrl(allowPrivate).meta({
      description: 'Where the test event goes; it need not be registered.',
      examples: [HOOK],
    }),
  })

const ALL = ['all'] as const

export const listWebhookLogsQuery = inOrder(
  z.strictObject({
    type: z
      .enum([...TOPICS, ...ALL])
      .optional()
      .describe('The topic, or `all`; goes with `status`: without both there are no results.'),
    status: z
      .enum([...LOG_STATUSES, ...ALL])
      .optional()
      .describe('The status, or `all`; goes with `type`.'),
    search: text(500)
      .optional()
      .meta({
        description: 'A text that the payload has, such as an id or the name of an event.',
        examples: ['kyb_processed'],
      }),
    ...periodQuery,
    ...vaultQuery,
    ...pageQuery(80),
  }),
)

export const listWebhookAttemptsQuery = z.strictObject(pageQuery(80))

/** A moment that PostgreSQL and JavaScript can both tell. */
const unixMoment = z.int('Send the time in Unix seconds, such as 1767225600.').min(0).max(253_402_300_799)

const onlyFailed = z
  .boolean()
  .default(false)
  .meta({
    description:
      'Send to those of the URLs alone that did not accept it in its newest round and are still registered.',
    examples: [true],
  })

export const retryWebhookLogBody = z.strictObject({ only_failed: onlyFailed })

export const retryWebhookLogsBody = z
  .strictObject({
    type: z.enum(TOPICS).describe('The topic of what is sent again.'),
    status: z.enum(['failed', 'partial']).describe('The status of what is sent again.'),
    from: unixMoment.meta({ description: 'Created at this moment or later.', examples: [1_767_225_600] }),
    to: unixMoment.meta({
      description: 'Created then or earlier; this second is included.',
      examples: [1_767_312_000],
    }),
    vault_id: id
      .optional()
      .meta({ description: 'The same as the query’s `vault_id`, which goes before it.', deprecated: true }),
    only_failed: onlyFailed,
  })
  .refine(({ from, to }) => from <= to, {
    path: ['to'],
    error: 'Send a time after `from`.',
    // What is no moment is told as that alone.
    when: ({ issues }) => issues.length === 0,
  })

const WEEK = 168

export const rotateWebhookSecretBody = z.strictObject({
  overlap_hours: z
    .int()
    .min(0)
    .max(WEEK)
    .default(0)
    .describe('How long the earlier secret signs beside the new one: not at all, unless asked for.'),
})

/** As they were sent: signs of any script are taken, which no `uri` has. */
const urls = z.array(z.string().meta({ examples: [HOOK] }))
const secret = {
  description: 'Signs every delivery. Whoever has it can sign as Gatehouse does.',
  examples: ['whsec_7hKqRWxN2cPdM4vTzB9e'],
}

export const settingsResponse = dataOf(
  z.strictObject({
    id: uuid.describe('Of the vault that the settings belong to.'),
    otp_required_for_login: z
      .boolean()
      .describe('Whether the caller signs in with a code beside the password.'),
    redirect_url: z
      .string()
      .nullable()
      .meta({
        description: 'Null, unless the platform set one; each hosted verification names its own.',
        examples: ['https://client.example.com/done'],
      }),
    trading_fee: z.number().meta({ description: 'A decimal fraction: 0.01 means 1%.', examples: [0.01] }),
    webhook_url_list: z
      .partialRecord(z.enum(TOPICS), urls)
      .meta({ description: 'URLs by topic.', examples: [{ identification: [HOOK] }] }),
    long_retries: z.boolean().describe(`${LONG_RETRIES} Off unless asked for.`),
    failing_webhook_urls: z
      .array(
        z.strictObject({
          topic: z.enum(TOPICS).describe('The topic that the URL is registered for.'),
          url: z.url().meta({ description: 'Where events are sent.', examples: [HOOK] }),
          failing_since: unixTime.describe('Since when it has accepted nothing, in Unix seconds.'),
        }),
      )
      .describe('Registered URLs that have accepted nothing for an hour or longer; none while all is well.'),
    webhook_secret: z.string().meta(secret),
    secret_key_present: z.boolean().describe('Whether there is a secret that signs deliveries.'),
    previous_secret_expires_at: unixTime
      .nullable()
      .describe(
        'When the earlier secret stops signing, in Unix seconds. Null if only one secret signs deliveries.',
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
    id: uuid.describe('Of the delivery; the event has its own `event_id`.'),
    event: z.enum(TOPICS).describe('The topic, whose URLs it goes to.'),
    status: z
      .enum(LOG_STATUSES)
      .describe(
        '`completed`: every URL accepted; `partial`: some did; `failed`: none did, or none is there.',
      ),
    fail_reason: z
      .string()
      .nullable()
      .meta({
        description: 'Why the newest attempt failed; null when it did not.',
        examples: ['HTTP status 500'],
      }),
    payload: z.record(z.string(), z.unknown()).meta({
      description: 'The body that was sent.',
      examples: [{ data: { event: 'account_locked', attributes: {} } }],
    }),
    retries: z.int().min(0).describe('Attempts after the first, of the round that is the latest.'),
    urls_destiny: urls.describe('Where it goes, or went.'),
    created_at: unixTime.describe('When the event happened, in Unix seconds.'),
  }),
)
export const webhookLogRetriedResponse = dataOf(changedOf('RetriedWebhookLog', log, ENVELOPES.webhookLog))
export const webhookLogListResponse = listOf(log)

const attempt = z.strictObject({
  round: z.int().min(1).meta({ description: 'Rises with each retry by hand.' }),
  number: z.int().min(1).describe('Of the attempt in its round, from 1.'),
  url: z.url().meta({ description: 'Where it was sent.', examples: [HOOK] }),
  status_code: z
    .int()
    .nullable()
    .meta({ description: 'What the receiver answered; null where it did not.', examples: [500] }),
  error: z
    .string()
    .nullable()
    .meta({
      description: 'Why it does not count as accepted; null when it does.',
      examples: ['HTTP status 500'],
    }),
  duration_ms: z
    .int()
    .min(0)
    .meta({ description: 'How long it took.', examples: [84] }),
  excerpt: z
    .string()
    .nullable()
    .meta({ description: 'The beginning of the answer.', examples: ['Internal Server Error'] }),
  created_at: unixTime.describe('When it ended, in Unix seconds.'),
})
export const webhookAttemptListResponse = listOf(attempt)
export const webhookTestedResponse = dataOf(
  attempt.omit({ round: true, number: true, created_at: true }).extend({
    accepted: z.boolean().describe('Whether a delivery would be taken for accepted: 200 or 201 in time.'),
    payload: z.record(z.string(), z.unknown()).meta({
      description: 'The body that was sent.',
      examples: [{ data: { event: 'webhook_test', attributes: { version: 1, status: 'test' } } }],
    }),
  }),
)
export const listDeliveriesQuery = z.strictObject(pageQuery(25))
export const deliveryListResponse = listOf(
  named('Delivery', log.extend({ attempts: z.array(attempt).describe('Every attempt, oldest first.') })),
)
export const webhookLogsRetriedResponse = dataOf(
  z.strictObject({ count: z.int().min(0).describe('How many are sent again.') }),
)
export const webhookSecretRotatedResponse = dataOf(
  z.strictObject({
    webhook_secret: z.string().meta(secret),
    previous_secret_expires_at: unixTime
      .nullable()
      .describe('When the earlier one signs no more; null where it ended at once.'),
  }),
)
