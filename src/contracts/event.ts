/**
 * Schemas for events that the platform publishes. Each event in the catalogue has its own schema. All other events
 * share an open schema.
 */
import { z } from 'zod'
import { cleanText } from '../domain/base/clean-text.ts'
import { TOPICS } from '../domain/base/topics.ts'
import {
  type AttributeKind,
  COMMON_ATTRIBUTES,
  EVENTS,
  type EventEntry,
  entryOf,
  isReserved,
  TEST_EVENT,
} from '../domain/webhook/events.ts'
import { described, id, isPlainText, NO_CONTROLS, requiredText } from './common.ts'
import { A_SHORT_AMOUNT, AN_AMOUNT } from './payment.ts'
import { PARSING } from './problems.ts'
import { dataOf, inPascalCase, named, uuid } from './response.ts'

const MAX_EVENTS = 500
const MAX_BYTES = 64 * 1024
const MAX_DEPTH = 8

const KINDS: Record<AttributeKind, z.ZodType> = {
  uuid: z.guid(),
  text: requiredText(1_000),
  integer: z.int().min(0),
  timestamp: z.int().min(0),
  amount: z.string(AN_AMOUNT).regex(/^\d{1,18}(\.\d{1,18})?$/, A_SHORT_AMOUNT),
  currency: z.string().regex(/^[A-Z0-9]{2,12}$/, 'Send a currency code, such as EUR.'),
}

const ATTRIBUTE_GUIDE: Readonly<Record<string, { description: string; examples?: readonly unknown[] }>> = {
  event_id: { description: 'ID of the event. It is the same in all deliveries of the event.' },
  occurred_at: { description: 'Time of the event, in Unix seconds.', examples: [1_767_225_600] },
  version: { description: 'Version of the resource. It increases with each change.', examples: [3] },
  account_uuid: { description: 'ID of the account.' },
  identification_uuid: { description: 'ID of the identification. Read it with `GET /identifications/{id}`.' },
  external_uuid: { description: 'Your own ID for the identity.', examples: ['customer-1842'] },
  kyb_uuid: { description: 'ID of the application. Read it with `GET /kyb/{id}`.' },
  external_id: { description: 'Your own ID for the company.', examples: ['company-1842'] },
  reason_code: { description: 'Reason code, for programs.', examples: ['complete'] },
  profile_version: { description: 'Version of the vault’s profile.', examples: [3] },
  outcome: { description: 'Result of the review: `approved` or `rejected`.', examples: ['approved'] },
  message: {
    description: 'Reason, for people.',
    examples: ['The account is blocked for this type of payment.'],
  },
  services: {
    description: 'Services, separated by commas.',
    examples: ['fiat_payments,card_payments'],
  },
  amount: { description: 'Amount, as a decimal string.', examples: ['10.50'] },
  currency: { description: 'Currency code.', examples: ['EUR'] },
  fiat_payment_uuid: { description: 'ID of the payment.' },
  blockchain_payment_uuid: { description: 'ID of the payment.' },
  card_payment_uuid: { description: 'ID of the payment.' },
  webhook_url_uuid: { description: 'ID of the URL in `GET /webhook_urls`.' },
  first_failed_at: {
    description: 'Time of the first failed attempt since the last accepted one, in Unix seconds.',
    examples: [1_767_225_600],
  },
}

const schemaOf = (kind: EventEntry['attributes'][string]): z.ZodType =>
  kind.endsWith('?') ? KINDS[kind.slice(0, -1) as AttributeKind].optional() : KINDS[kind as AttributeKind]

const shapeOf = (attributes: EventEntry['attributes']) =>
  Object.fromEntries(Object.entries(attributes).map(([name, kind]) => [name, schemaOf(kind)]))

/** An event. Attributes may be missing, and unknown attributes are allowed. */
const anyEvent = z.looseObject(shapeOf(COMMON_ATTRIBUTES)).partial()
const anyFailure = anyEvent.extend({ message: KINDS.text })

/** The schemas of the events that the platform publishes. `status` is required, because receivers use it to detect duplicates. */
const known = new Map(
  Object.entries<EventEntry>(EVENTS).flatMap(([name, { isPublishable, attributes }]) =>
    isPublishable ? [[name, anyEvent.extend({ status: KINDS.text, ...shapeOf(attributes) })] as const] : [],
  ),
)

function depthOf(value: unknown): number {
  let level: unknown[] = [value]
  for (let depth = 0; ; depth++) {
    level = level.filter((each) => typeof each === 'object' && each !== null).flatMap(Object.values)
    if (level.length === 0 || depth > MAX_DEPTH) return depth
  }
}

/** Returns whether the number lies in the range in which JavaScript represents every integer exactly. */
const isExact = (value: number) => Math.abs(value) <= Number.MAX_SAFE_INTEGER

/** Returns whether the text contains invisible characters, with which it can look like another one. */
const isUnclean = (text: string): boolean => cleanText(text) !== text
const UNCLEAN = 'Remove the invisible characters and direction marks from the text.'

/** Returns the paths of the values that Gatehouse could not pass on unchanged, with a message for each. */
function alteredIn(value: unknown, path: readonly string[] = []): { path: string[]; message: string }[] {
  const refuse = (message: string) => [{ path: [...path], message }]
  const name = path.at(-1) ?? ''
  if (name === '__proto__' || !isPlainText(name))
    return refuse('This attribute name is not allowed. Use another name.')
  if (typeof value === 'number' && !isExact(value))
    return refuse('This number is too large to be exact. Send it as a string.')
  if (typeof value === 'string') {
    if (!isPlainText(value)) return refuse(NO_CONTROLS)
    return isUnclean(value) ? refuse(UNCLEAN) : []
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => [
    ...(isPlainText(name) && isUnclean(name) ? refuse(UNCLEAN) : []),
    ...alteredIn(each, [...path, name]),
  ])
}

/** Checks the raw body, because the parsed record omits `__proto__`. */
const attributes = z
  .unknown()
  .superRefine((value, context) => {
    for (const each of alteredIn(value)) context.addIssue({ code: 'custom', ...each })
  })
  .pipe(
    z
      .record(z.string(), z.unknown())
      .refine(
        (value) => depthOf(value) <= MAX_DEPTH,
        `The attributes have more than ${MAX_DEPTH} levels. Use fewer levels.`,
      )
      .refine(
        (value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_BYTES,
        'The attributes exceed 64 kB. Send fewer or shorter attributes.',
      ),
  )
  .meta({ type: 'object', additionalProperties: {} })

const shape = z.strictObject({
  vault_id: id.describe('The vault that receives the event.'),
  topic: z.enum(TOPICS).describe('Topic of the event. Gatehouse sends the event to the URLs of this topic.'),
  event: described(
    z
      .string()
      .regex(
        /^[a-z][a-z0-9_]{0,63}$/,
        'Send a name such as payout_settled, with a-z, 0-9 and _, and at most 64 characters.',
      ),
    'Name of a payment event in the catalogue, or your own name. It cannot begin with `identification_` or `kyb_`, or be the name of another event in the catalogue.',
    'payout_settled',
  ),
  event_id: id
    .optional()
    .describe(
      'Your own ID for the event. If you send the same event again with this ID, it is published once, and the response is the same.',
    ),
  error: described(
    z.boolean().optional(),
    'Whether the body has the `error` key instead of `data`. For an event in the catalogue, this value must be the one in the catalogue.',
    false,
  ),
  attributes: described(
    attributes,
    'Attributes of the event. Gatehouse adds `occurred_at` and `event_id` if they are missing. You can send the `event_id` here instead.',
    { status: 'settled', amount: '10.50', currency: 'EUR' },
  ),
})

type Shape = z.output<typeof shape>

const idIn = ({ event_id }: Shape['attributes']): string | undefined => id.safeParse(event_id).data

function checkAgainstCatalogue(
  { topic, event, event_id, error, attributes }: Shape,
  context: z.RefinementCtx,
): void {
  const entry = entryOf(event)
  const refuse = (field: string, message: string) =>
    context.addIssue({ code: 'custom', path: [field], message })
  if (isReserved(topic, event))
    refuse('event', 'Only Gatehouse sends this event, after a change to the resource. Send another event.')
  else if (entry && entry.topic !== topic)
    refuse('topic', `This event belongs to the topic ${entry.topic}. Send this topic.`)
  if (entry && error !== undefined && error !== (entry.error ?? false))
    refuse(
      'error',
      `This event is ${entry.error ? 'always' : 'never'} sent under the key error. Remove this field.`,
    )
  if (event_id && attributes.event_id !== undefined && idIn(attributes) !== event_id)
    refuse('event_id', 'The attributes have another event_id. Remove one of them.')
  const schema = known.get(event) ?? (error ? anyFailure : anyEvent)
  const issues = schema.safeParse(attributes, PARSING).error?.issues ?? []
  for (const issue of issues) context.issues.push({ ...issue, path: ['attributes', ...issue.path] } as never)
}

/** Returns whether the fields that the check reads are valid. `vault_id` and `event_id` may be invalid. */
const isReadable = ({ issues }: z.core.ParsePayload) =>
  issues.every(
    ({ path, code }) => ['vault_id', 'event_id'].includes(String(path?.[0])) || code === 'unrecognized_keys',
  )

/** The body of one event. In the result, `key` is the top-level key of the payload, `data` or `error`. */
export const publishEventBody = shape
  .superRefine(checkAgainstCatalogue, { when: isReadable })
  .transform(({ error, ...event }) => {
    const isFailure = entryOf(event.event)?.error ?? error ?? false
    return { ...event, key: isFailure ? ('error' as const) : ('data' as const) }
  })
type PublishedEvent = z.output<typeof publishEventBody>

/** Returns the publisher's own ID, from the event or its attributes, or null if there is none. */
export const ownIdOf = ({ event_id, attributes }: PublishedEvent): string | null =>
  event_id ?? idIn(attributes) ?? null

export const publishEventsBody = z.union([publishEventBody, z.array(publishEventBody).min(1).max(MAX_EVENTS)])

const UUID_SENT = z.guid().meta({ format: 'uuid' })

/**
 * Describes the attributes that receivers get. Payment events may lack a version, because the platform publishes them.
 */
function sentAttributes({
  topic,
  attributes,
  statuses,
}: Pick<SentEntry, 'topic' | 'attributes' | 'statuses'>) {
  const version = topic?.endsWith('_payment') ? 'integer?' : 'integer'
  const all = { ...COMMON_ATTRIBUTES, version, ...attributes }
  const told = Object.entries(all).map(([name, kind]) => {
    const plain =
      kind.replace('?', '') === 'uuid' ? UUID_SENT : schemaOf(kind.replace('?', '') as AttributeKind)
    const schema = plain.meta({ ...ATTRIBUTE_GUIDE[name] })
    return [name, kind.endsWith('?') ? schema.optional() : schema]
  })
  return z.looseObject({
    ...Object.fromEntries(told),
    status: z.enum(statuses).describe('Status of the resource after the event.'),
  })
}

/** An event as the reference shows it. A test event has no topic. */
type SentEntry = Omit<EventEntry, 'topic'> & { readonly topic: EventEntry['topic'] | null }

const TEST: SentEntry = {
  topic: null,
  sentWhen: 'you test a URL with `POST /users/test_webhook`',
  attributes: {},
  statuses: ['test'],
}

/** The payloads of all events and of a test event. Attributes may be added later. */
export const SENT_EVENTS = Object.entries<SentEntry>({ ...EVENTS, [TEST_EVENT]: TEST }).map(
  ([name, entry]) => {
    const event = z.object({
      event: z.literal(name).describe('Name of the event.'),
      attributes: sentAttributes(entry).describe('Attributes of the event. They contain no personal data.'),
    })
    const key = entry.error ? 'error' : 'data'
    const body = z.object({ [key]: event.describe('The event.') })
    return { name, entry, body: named(`${inPascalCase(name)}Event`, body) }
  },
)

const published = named(
  'PublishedEvent',
  z.strictObject({
    event_id: z.string().meta({
      format: 'uuid',
      description: 'ID of the event. It is the same in all deliveries of the event.',
    }),
    webhook_log_ids: described(
      z.array(uuid),
      'IDs of the deliveries. Empty if the topic has no URLs. The log then shows the event as `failed`.',
    ),
  }),
)
export const publishedResponse = dataOf(z.union([published, z.array(published)]))
