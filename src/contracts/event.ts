/** Events that the platform publishes: those of the catalogue by their entry, others by an open schema. */
import { z } from 'zod'
import {
  type AttributeKind,
  CLOSED_TOPICS,
  COMMON_ATTRIBUTES,
  EVENTS,
  type EventEntry,
  entryOf,
  TEST_EVENT,
  TOPICS,
} from '../domain/webhook/events.ts'
import { id, PARSING, requiredText } from './common.ts'
import { dataOf, inPascalCase, named, uuid } from './response.ts'

const MAX_EVENTS = 500
const MAX_BYTES = 64 * 1024
const MAX_DEPTH = 8

const KINDS: Record<AttributeKind, z.ZodType> = {
  uuid: z.guid(),
  text: requiredText(1_000),
  integer: z.int().min(0),
  timestamp: z.int().min(0),
  amount: z
    .string('Send a decimal number as a string, such as "10.50".')
    .regex(/^\d{1,18}(\.\d{1,18})?$/, 'Send a decimal number as a string, such as "10.50".'),
  currency: z.string().regex(/^[A-Z0-9]{2,12}$/, 'Write the code of a currency, such as EUR.'),
}

/** What each attribute says, in the reference. */
const ATTRIBUTE_GUIDE: Readonly<Record<string, { description: string; examples?: readonly unknown[] }>> = {
  event_id: { description: 'Of the event; the same in all its deliveries.' },
  occurred_at: { description: 'When it happened, in Unix seconds.', examples: [1_767_225_600] },
  version: { description: 'Rises with each change of the resource.', examples: [3] },
  account_uuid: { description: 'The account.' },
  identification_uuid: { description: 'The identification: `GET /identifications/{id}`.' },
  external_uuid: { description: 'Your own id for the identity.', examples: ['customer-1842'] },
  kyb_uuid: { description: 'The application: `GET /kyb/{id}`.' },
  external_id: { description: 'Your own id for the company.', examples: ['company-1842'] },
  reason_code: { description: 'Why, for programs.', examples: ['complete'] },
  outcome: { description: 'How the review ended: `approved` or `rejected`.', examples: ['approved'] },
  message: {
    description: 'Why, for people.',
    examples: ['The account is blocked for payments of this kind.'],
  },
  services: {
    description: 'Which services, separated by commas.',
    examples: ['fiat_payments,card_payments'],
  },
  amount: { description: 'A decimal number as text.', examples: ['10.50'] },
  currency: { description: 'Its code.', examples: ['EUR'] },
  fiat_payment_uuid: { description: 'The payment.' },
  blockchain_payment_uuid: { description: 'The payment.' },
  card_payment_uuid: { description: 'The payment.' },
}

const schemaOf = (kind: EventEntry['attributes'][string]): z.ZodType =>
  kind.endsWith('?') ? KINDS[kind.slice(0, -1) as AttributeKind].optional() : KINDS[kind as AttributeKind]

const shapeOf = (attributes: EventEntry['attributes']) =>
  Object.fromEntries(Object.entries(attributes).map(([name, kind]) => [name, schemaOf(kind)]))

/** What is left out of these is added on writing, or stays away. More than the schema names may be sent. */
const anyEvent = z.looseObject(shapeOf(COMMON_ATTRIBUTES)).partial()
const anyFailure = anyEvent.extend({ message: KINDS.text })

/** `status` is what receivers tell duplicates by, so it is needed of the events they know. */
const known = new Map(
  Object.entries(EVENTS).map(([name, { attributes }]) => [
    name,
    anyEvent.extend({ status: KINDS.text, ...shapeOf(attributes) }),
  ]),
)

function depthOf(value: unknown): number {
  let level: unknown[] = [value]
  for (let depth = 0; ; depth++) {
    level = level.filter((each) => typeof each === 'object' && each !== null).flatMap(Object.values)
    if (level.length === 0 || depth > MAX_DEPTH) return depth
  }
}

/** Beyond these, numbers of JavaScript leave some out. */
const isExact = (value: number) => Math.abs(value) <= Number.MAX_SAFE_INTEGER

/** What would be sent otherwise than it came, each with its path. */
function alteredIn(value: unknown, path: readonly string[] = []): { path: string[]; message: string }[] {
  if (path.at(-1) === '__proto__') return [{ path: [...path], message: 'Give it another name than this.' }]
  if (typeof value === 'number' && !isExact(value))
    return [{ path: [...path], message: 'This number is too large to be exact: write it as text.' }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => alteredIn(each, [...path, name]))
}

/** Looked at as they were sent, since the record leaves out `__proto__`. */
const attributes = z
  .unknown()
  .superRefine((value, context) => {
    for (const each of alteredIn(value)) context.addIssue({ code: 'custom', ...each })
  })
  .pipe(
    z
      .record(z.string(), z.unknown())
      .refine((value) => depthOf(value) <= MAX_DEPTH, `At most ${MAX_DEPTH} levels are allowed.`)
      .refine(
        (value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_BYTES,
        'All attributes together may have at most 64 kB.',
      ),
  )
  .meta({ type: 'object', additionalProperties: {} })

const shape = z.strictObject({
  vault_id: id.describe('Whose URLs it is sent to.'),
  topic: z.enum(TOPICS).describe('Which of the URLs.'),
  event: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,63}$/, 'Write a name such as payout_settled: a-z, 0-9 and _, at most 64.')
    .meta({
      description: 'Its name: one of the catalogue, or another one of yours.',
      examples: ['payout_settled'],
    }),
  event_id: id
    .optional()
    .describe('Yours: the same event sent again under it is published once, and answered as before.'),
  error: z
    .boolean()
    .optional()
    .meta({
      description: 'Whether it is sent under `error`; of an event of the catalogue its entry says so.',
      examples: [false],
    }),
  attributes: attributes.meta({
    description:
      'What it says; `occurred_at` and `event_id` are added where they are missing. An `event_id` may stand here instead.',
    examples: [{ status: 'settled', amount: '10.50', currency: 'EUR' }],
  }),
})

type Shape = z.output<typeof shape>

/** An id that the attributes give the event. */
const idIn = ({ event_id }: Shape['attributes']): string | undefined => id.safeParse(event_id).data

function checkAgainstCatalogue(
  { topic, event, event_id, error, attributes }: Shape,
  context: z.RefinementCtx,
): void {
  const entry = entryOf(event)
  const refuse = (field: string, message: string) =>
    context.addIssue({ code: 'custom', path: [field], message })
  if (entry && entry.topic !== topic) refuse('topic', `${event} belongs to the topic ${entry.topic}.`)
  if (!entry && CLOSED_TOPICS.includes(topic))
    refuse('event', `The topic ${topic} has no event of this name.`)
  if (entry && error !== undefined && error !== (entry.error ?? false))
    refuse('error', `${event} is ${entry.error ? 'always' : 'never'} sent under the key error.`)
  if (event_id && attributes.event_id !== undefined && idIn(attributes) !== event_id)
    refuse('event_id', 'The attributes have another event_id: leave one of them out.')
  const schema = known.get(event) ?? (error ? anyFailure : anyEvent)
  const issues = schema.safeParse(attributes, PARSING).error?.issues ?? []
  for (const issue of issues) context.issues.push({ ...issue, path: ['attributes', ...issue.path] } as never)
}

/** What the check above reads is sound; other fields may be wrong and are reported beside it. */
const isReadable = ({ issues }: z.core.ParsePayload) =>
  issues.every(
    ({ path, code }) => ['vault_id', 'event_id'].includes(String(path?.[0])) || code === 'unrecognized_keys',
  )

/** `key` of the result is the one under which the event is sent. */
export const publishEventBody = shape
  .superRefine(checkAgainstCatalogue, { when: isReadable })
  .transform(({ error, ...event }) => {
    const isFailure = entryOf(event.event)?.error ?? error ?? false
    return { ...event, key: isFailure ? ('error' as const) : ('data' as const) }
  })
export type PublishedEvent = z.output<typeof publishEventBody>

/** The id that its publisher gave it, in whichever place; null where none was given. */
export const ownIdOf = ({ event_id, attributes }: PublishedEvent): string | null =>
  event_id ?? idIn(attributes) ?? null

/** One event, or many in one call. */
export const publishEventsBody = z.union([publishEventBody, z.array(publishEventBody).min(1).max(MAX_EVENTS)])

const UUID_SENT = z.guid().meta({ format: 'uuid' })

/** Payments come from the platform, which may give them no version. */
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
    status: z.enum(statuses).describe('Of the resource, once it has happened.'),
  })
}

/** An event as the reference shows it; a test event has no topic. */
type SentEntry = Omit<EventEntry, 'topic'> & { readonly topic: EventEntry['topic'] | null }

const TEST: SentEntry = {
  topic: null,
  emitted: 'you test a URL with `POST /users/test_webhook`',
  attributes: {},
  statuses: ['test'],
}

/** What receivers get of each event of the catalogue, and of a test. There may come to be more attributes. */
export const SENT_EVENTS = Object.entries<SentEntry>({ ...EVENTS, [TEST_EVENT]: TEST }).map(
  ([name, entry]) => {
    const event = z.object({
      event: z.literal(name).describe('Its name.'),
      attributes: sentAttributes(entry).describe('What it says; nothing personal.'),
    })
    const key = entry.error ? 'error' : 'data'
    const body = z.object({ [key]: event.describe('The event.') })
    return { name, entry, body: named(`${inPascalCase(name)}Event`, body) }
  },
)

const published = named(
  'PublishedEvent',
  z.strictObject({
    event_id: z
      .string()
      .meta({ format: 'uuid', description: 'Of the event; the same in all its deliveries.' }),
    webhook_log_ids: z
      .array(uuid)
      .describe(
        'Its deliveries. Empty where the topic has no URLs: the log then keeps the event as `failed`.',
      ),
  }),
)
export const publishedResponse = dataOf(z.union([published, z.array(published)]))
