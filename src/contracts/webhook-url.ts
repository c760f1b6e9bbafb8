/** Schemas for the options of webhook URLs. */
import { z } from 'zod'
import { TOPICS } from '../domain/base/topics.ts'
import { EVENTS, entryOf, isNameReserved } from '../domain/webhook/events.ts'
import { DEFAULT_RESEND_PER_SECOND, RESEND_STATUSES } from '../domain/webhook/resend.ts'
import { isOwnHeader, type UrlChange } from '../domain/webhook/url.ts'
import { described, dictionaryOf, requiredText } from './common.ts'
import { recordOf } from './record.ts'
import { changedOf, dataOf, ENVELOPES, named, unixTime, uuid } from './response.ts'
import { unixMoment } from './webhook.ts'

const MAX_EVENTS = 100
const MAX_PER_SECOND = 1_000

const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_\x60|~0-9A-Za-z-]{1,100}$/, {
    error: 'Send a header name with letters, digits and hyphens, at most 100 characters.',
    abort: true,
  })
  .refine((name) => !isOwnHeader(name), 'Gatehouse sets this header itself. Send another header.')

const headerValue = z
  .string()
  .max(4_000)
  .regex(
    /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/,
    'Send printable ASCII characters, without spaces at the start or end.',
  )

const headers = dictionaryOf(headerName, headerValue.nullable()).refine(
  (value) => new Set(Object.keys(value).map((name) => name.toLowerCase())).size === Object.keys(value).length,
  {
    error: 'Two names differ only in case. Send each header once.',
  },
)

/** The events with names that the platform cannot give to events of its own. */
const OWN_EVENTS = Object.keys(EVENTS).filter(isNameReserved)

const eventName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, {
    error: 'Send the name of an event, such as kyb_processed.',
    abort: true,
  })
  .refine(
    (name) => entryOf(name) !== null || !isNameReserved(name),
    `This event does not exist. Choose from: ${OWN_EVENTS.join(', ')}.`,
  )

const name = described(requiredText(100), 'Name of the URL, for people.', 'Case updates')
const maxPerSecond = z.int().min(1).max(MAX_PER_SECOND)

/** The maximum length of certificates, which is longer than any chain that servers accept. */
const MAX_PEM = 100_000
const pem = (label: string, description: string) =>
  described(
    z.string().min(1).max(MAX_PEM).nullable().optional(),
    description,
    `-----BEGIN ${label}-----\n…\n-----END ${label}-----\n`,
  )

export const updateWebhookUrlBody = z.strictObject({
  name: name.nullable().optional(),
  events: described(
    z
      .array(eventName)
      .min(1, 'Send at least one event, or null for all events. To receive none, pause the URL.')
      .max(MAX_EVENTS)
      .nullable()
      .optional(),
    'Names of the events that the URL receives, also of events that the deployment defines. Null means all events of its topics.',
    ['kyb_processed', 'identification_approved'],
  ),
  headers: described(
    headers.nullable().optional(),
    'Additional headers of each request. Other headers of the URL do not change. A value of null removes a header, and null instead of the object removes all.',
    { Authorization: 'Bearer 2f6c' },
  ),
  paused: described(
    z.boolean().optional(),
    'Whether deliveries wait. If false, waiting deliveries are sent in the order of their events.',
    false,
  ),
  max_per_second: described(
    maxPerSecond.nullable().optional(),
    'Maximum number of requests per second. Null means no maximum.',
    20,
  ),
  ca: pem(
    'CERTIFICATE',
    'Certificate authorities that the receiver’s certificate must chain to, in PEM format. Null means the usual ones.',
  ),
  client_certificate: pem(
    'CERTIFICATE',
    'Client certificate with its chain, in PEM format. Null removes the certificate and its key.',
  ),
  client_key: pem(
    'PRIVATE KEY',
    'Private key of the client certificate, in PEM format without a passphrase. It is never shown.',
  ),
})

export const urlChangeOf = (body: z.output<typeof updateWebhookUrlBody>): UrlChange => ({
  ...recordOf(body),
  events: body.events && [...new Set(body.events)],
})

const webhookUrl = named(
  'WebhookUrl',
  z.strictObject({
    id: uuid.describe('ID of the URL in the vault. It remains the same if you register the URL again.'),
    url: described(z.string(), 'The registered URL.', 'https://client.example.com/webhooks'),
    topics: z.array(z.enum(TOPICS)).describe('Topics for which the URL is registered.'),
    name: described(z.string().nullable(), 'Name of the URL, for people.', 'Case updates'),
    events: described(
      z.array(z.string()).nullable(),
      'Names of the events that the URL receives. Null means all events of its topics.',
      ['kyb_processed'],
    ),
    header_names: described(
      z.array(z.string()),
      'Names of the additional headers. Their values are never shown.',
      ['Authorization'],
    ),
    paused: z.boolean().describe('Whether deliveries to the URL wait.'),
    max_per_second: described(
      z.int().nullable(),
      'Maximum number of requests per second. Null means no maximum.',
      20,
    ),
  }),
)

export const webhookUrlListResponse = z.strictObject({
  data: z.array(webhookUrl).describe('The registered URLs, in the order of their topics.'),
})
export const webhookUrlChangedResponse = dataOf(
  changedOf('ChangedWebhookUrl', webhookUrl, ENVELOPES.webhookUrl),
)

export const resendBody = z.strictObject({
  since: described(unixMoment, 'Earliest time of the events, in Unix seconds.', 1_767_225_600),
  per_second: described(
    z.int().min(1).max(100).default(DEFAULT_RESEND_PER_SECOND),
    'Maximum number of deliveries that are sent again per second.',
    10,
  ),
})

export const resendResponse = dataOf(
  named(
    'Resend',
    z.strictObject({
      status: z.enum(RESEND_STATUSES).describe('State of the newest resending. `none` if there was none.'),
      since: unixTime.nullable().describe('Earliest time of the events, in Unix seconds.'),
      per_second: z.int().nullable().describe('Maximum number of deliveries per second.'),
      total: z.int().min(0).describe('Number of failed deliveries at the start, at most 100,000.'),
      sent: z.int().min(0).describe('Number of deliveries that were sent again so far.'),
    }),
  ),
)
