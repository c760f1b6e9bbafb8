/** Events that the platform publishes: those of the catalogue by their entry, others by an open schema. */
import { z } from 'zod'
import {
  type AttributeKind,
  CLOSED_TOPICS,
  COMMON_ATTRIBUTES,
  EVENTS,
  type EventEntry,
  entryOf,
  TOPICS,
} from '../domain/events.ts'
import { dataOf, named, uuid } from './answer.ts'
import { id, requiredText } from './common.ts'

const MAX_EVENTS = 500
const MAX_BYTES = 64 * 1024
const MAX_DEPTH = 8

const KINDS: Record<AttributeKind, z.ZodType> = {
  uuid: z.guid(),
  text: requiredText(1_000),
  integer: z.int().min(0),
  timestamp: z.int().min(0),
  amount: z.string().regex(/^\d{1,18}(\.\d{1,18})?$/, 'Write a decimal number as text, such as "10.50".'),
  currency: z.string().regex(/^[A-Z0-9]{2,12}$/, 'Write the code of a currency, such as EUR.'),
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

const attributes = z
  .record(z.string(), z.unknown())
  .refine((value) => depthOf(value) <= MAX_DEPTH, `At most ${MAX_DEPTH} levels are allowed.`)
  .refine(
    (value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_BYTES,
    'All attributes together may have at most 64 kB.',
  )

const shape = z.strictObject({
  vault_id: id,
  topic: z.enum(TOPICS),
  event: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,63}$/, 'Write a name such as payout_settled: a-z, 0-9 and _, at most 64.'),
  /** Sends it under the `error` key; for events of the catalogue it follows from their entry. */
  error: z.boolean().optional(),
  attributes,
})

type Shape = z.output<typeof shape>

function checkAgainstCatalogue({ topic, event, error, attributes }: Shape, context: z.RefinementCtx): void {
  const entry = entryOf(event)
  const refuse = (field: string, message: string) =>
    context.addIssue({ code: 'custom', path: [field], message })
  if (entry && entry.topic !== topic) refuse('topic', `${event} belongs to the topic ${entry.topic}.`)
  if (!entry && CLOSED_TOPICS.includes(topic))
    refuse('event', `The topic ${topic} has no event of this name.`)
  if (entry && error !== undefined && error !== (entry.error ?? false))
    refuse('error', `${event} is ${entry.error ? 'always' : 'never'} sent under the key error.`)
  const schema = known.get(event) ?? (error ? anyFailure : anyEvent)
  const issues = schema.safeParse(attributes, { reportInput: true }).error?.issues ?? []
  for (const issue of issues) context.issues.push({ ...issue, path: ['attributes', ...issue.path] } as never)
}

/** What the check above reads is sound; other fields may be wrong and are reported beside it. */
const isReadable = ({ issues }: z.core.ParsePayload) =>
  issues.every(({ path, code }) => path?.[0] === 'vault_id' || code === 'unrecognized_keys')

/** `key` of the result is the one under which the event is sent. */
export const publishEventBody = shape
  .superRefine(checkAgainstCatalogue, { when: isReadable })
  .transform(({ error, ...event }) => {
    const isFailure = entryOf(event.event)?.error ?? error ?? false
    return { ...event, key: isFailure ? ('error' as const) : ('data' as const) }
  })
export type PublishedEvent = z.output<typeof publishEventBody>

/** One event, or many in one call. */
export const publishEventsBody = z.union([publishEventBody, z.array(publishEventBody).min(1).max(MAX_EVENTS)])

const published = named(
  'PublishedEvent',
  z.strictObject({ event_id: z.string().meta({ format: 'uuid' }), webhook_log_ids: z.array(uuid) }),
)
export const publishedAnswer = dataOf(z.union([published, z.array(published)]))
