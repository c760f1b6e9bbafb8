/** Generates the OpenAPI document for a base path from its routes and schemas. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { z } from 'zod'
import { SENT_EVENTS } from '../../contracts/event.ts'
import { refusal, unauthorized } from '../../contracts/response.ts'
import { ERRORS, type ErrorCode } from '../../domain/base/errors.ts'
import { CONTENT_TYPES } from '../../domain/base/file.ts'
import { type Needed, nameRoles } from '../../use-cases/access/caller.ts'
import { RETRY_GUIDANCE } from '../routing/retry-guidance.ts'
import { acceptsIdempotencyKey, type Route } from '../routing/route.ts'
import type { Header, OpenApiDocument, Operation } from './document.ts'
import { nameSchemas } from './names.ts'
import { type Components, exampleOf, type JsonSchema, jsonSchemaOf } from './schema.ts'

interface About {
  readonly title: string
  readonly description: string
  readonly url: string
  /** Describes the content of the `Authorization` header. */
  readonly credentials: string
  /** True if the audience receives webhooks. */
  readonly receives: boolean
}

const securitySchemes = (credentials: string) => ({
  token: { type: 'apiKey', in: 'header', name: 'Authorization', description: credentials },
  bearer: { type: 'http', scheme: 'bearer', description: 'The same credentials after the word `Bearer`.' },
})

/** Converts the path of a route to the OpenAPI format. */
export const templateOf = (path: string): string => path.replace(/:(\w+)/g, '{$1}')

/**
 * Builds the OpenAPI document. Yields to other work after each route, because the document takes a quarter of a second
 * of processor time.
 */
export async function buildOpenApiDocument(
  { title, description, url, credentials, receives }: About,
  routes: readonly Route[],
): Promise<OpenApiDocument> {
  const schemas: Components = {}
  const paths: Record<string, Record<string, Operation>> = {}
  for (const route of routes) {
    await yieldToEventLoop()
    const path = templateOf(route.path)
    paths[path] = { ...paths[path], [route.method]: operationOf(route, schemas) }
  }
  const webhooks = receives
    ? Object.fromEntries(SENT_EVENTS.map((event) => [event.name, { post: deliveryOf(event, schemas) }]))
    : undefined
  const components = { schemas, headers: HEADERS, securitySchemes: securitySchemes(credentials) }
  const used = new Set([...routes.map(({ path }) => tagOf(path)), ...(webhooks ? ['webhooks'] : [])])
  return nameSchemas({
    openapi: '3.1.0',
    info: {
      title,
      version: '1',
      description,
      contact: { name: 'The operator of this instance' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url }],
    tags: TAGS.filter(({ name }) => used.has(name)),
    paths,
    ...(webhooks && { webhooks }),
    components,
  })
}

const DELIVERY_HEADERS = (
  [
    [
      'Service-Signature',
      'Signature of the delivery. `t` is the signing time, in Unix seconds. `v1` is the HMAC-SHA256 of `t`, a dot and the raw body, keyed with the webhook secret. While two secrets are valid, the header has one `v1` for each, newest first.',
      `t=1767225600,v1=${'5f'.repeat(32)}`,
    ],
    [
      'webhook-id',
      'The `event_id`. It is the same in all deliveries of the event.',
      '018f4d2e-7c1a-7b3e-9d55-0a1b2c3d4e5f',
    ],
    ['webhook-timestamp', 'Signing time, in Unix seconds.', '1767225600'],
    [
      'webhook-signature',
      'Signatures in the Standard Webhooks format, one for each valid secret.',
      `v1,${'X19f'.repeat(10)}X18=`,
    ],
    ['Gatehouse-Attempt', 'Number of the attempt, starting at 1.', '1'],
  ] as const
).map(([name, description, example]) => ({
  name,
  in: 'header' as const,
  required: true,
  description,
  schema: { type: 'string', examples: [example] } as JsonSchema,
}))

function deliveryOf({ name, entry, body }: (typeof SENT_EVENTS)[number], components: Components): Operation {
  const schema = jsonSchemaOf(body, 'output', components)
  const accepted = {
    description: 'The receiver accepts the delivery. Any other status is a failed attempt.',
    headers: {},
    content: {},
  }
  return {
    operationId: name,
    summary: `Sent when ${entry.sentWhen}`,
    description: entry.topic
      ? `Gatehouse sends this event to the URLs of the topic \`${entry.topic}\`.`
      : 'Gatehouse sends this event to the URL of the request.',
    tags: ['webhooks'],
    security: [],
    parameters: DELIVERY_HEADERS,
    requestBody: {
      required: true,
      content: { 'application/json': { schema, example: exampleOf(schema, components, true) } },
    },
    responses: { 200: accepted, 201: accepted },
  }
}

const asCode = (name: string) => `\`${name}\``

/** Describes the role that a route requires. */
const needed = (role: Needed): string => {
  if (role === 'public') return 'Requires no credentials.'
  if (role === 'signed_in') return 'Requires an access token from `POST /sign_in`.'
  return `Requires the ${nameRoles(role, asCode)}.`
}

const TAGS = [
  { name: 'sign_in', description: 'Access tokens for users.' },
  { name: 'kyb', description: 'Applications that verify a company, with their files and beneficiaries.' },
  {
    name: 'identifications',
    description: 'Verified identities of people and companies, and their blocks.',
  },
  { name: 'users', description: 'Users and their passwords, and a vault’s webhook settings.' },
  { name: 'operator_groups', description: 'Groups of the OpenID provider, and the roles that they grant.' },
  { name: 'vaults', description: 'Vaults of clients, and their API keys.' },
  { name: 'api_keys', description: 'API keys of vaults.' },
  { name: 'profile', description: 'The vault’s questions to companies and people, as JSON Schema.' },
  { name: 'profiles', description: 'Profiles that Gatehouse includes.' },
  { name: 'webhook_urls', description: 'Options of webhook URLs.' },
  { name: 'webhook_logs', description: 'Webhook deliveries and their attempts.' },
  { name: 'webhooks', description: 'Events that Gatehouse sends.' },
  { name: 'sandbox', description: 'Simulations, in the sandbox only.' },
  { name: 'queue', description: 'Cases that are awaiting action.' },
  { name: 'queue_filters', description: 'Filters of the queue that operators have saved.' },
  { name: 'comment_templates', description: 'Prepared comments for reviews.' },
  { name: 'cases', description: 'Internal holds that block services.' },
  { name: 'files', description: 'Files of applications and people.' },
  { name: 'screening_hits', description: 'Possible matches between a company or person and a list entry.' },
  { name: 'figures', description: 'Reports on cases, decisions and deliveries.' },
  { name: 'admin_actions', description: 'Administrators’ actions that await a second approval.' },
  { name: 'audit', description: 'The audit trail of administrative actions.' },
  { name: 'erasures', description: 'Identifications that are due for erasure.' },
  { name: 'events', description: 'Events of vaults in order, and events that the platform publishes.' },
] as const

/** Returns the first part of the path, by which operations are grouped. */
const tagOf = (path: string): string => path.split('/')[1] ?? ''

const acceptsBody = ({ method }: Route) => method !== 'get'

function operationOf(route: Route, components: Components): Operation {
  const { path, role, summary, schemas } = route
  const body = schemas.body && jsonSchemaOf(schemas.body, 'input', components)
  const type = route.isForm ? 'multipart/form-data' : 'application/json'
  return {
    operationId: route.name,
    summary,
    description: needed(role),
    tags: [tagOf(path)],
    security: role === 'public' ? [] : [{ token: [] }, { bearer: [] }],
    parameters: [
      ...parametersOf(schemas.params, 'path', components),
      ...parametersOf(schemas.query, 'query', components),
      ...(acceptsIdempotencyKey(route) ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(body && {
      requestBody: {
        // The parser treats a missing body as an empty object.
        required: route.isForm || !schemas.body?.safeParse({}).success,
        content: { [type]: { schema: body, example: exampleOf(body, components, false) } },
      },
    }),
    responses: { ...responsesOf(route, components), ...refusalsOf(route, components) },
  }
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Key of the request. For 24 hours, the same request with the same key takes effect once and returns the same response.',
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    pattern: '^[!-~]+$',
    examples: ['5b1f6a0e-8f1c'],
  } as JsonSchema,
} as const

function parametersOf(schema: z.ZodType | undefined, place: 'path' | 'query', components: Components) {
  const { properties = {}, required = [] } = schema ? jsonSchemaOf(schema, 'input', components) : {}
  return Object.entries(properties).map(([name, each]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(each.description && { description: each.description }),
    schema: each,
  }))
}

const HEADERS = {
  'X-Request-Id': {
    description: 'ID of the request. Include it if you report a problem.',
    schema: { type: 'string' },
  },
  'Idempotent-Replayed': {
    description:
      '`true` if the response is a stored response to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string' },
  },
  'Retry-After': { description: 'Number of seconds to wait before a retry.', schema: { type: 'integer' } },
  'RateLimit-Policy': {
    description:
      'Limit that the request counts towards. `"reads";q=600;w=60` means 600 requests in 60 seconds.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description:
      'Remaining requests. `"reads";r=599;t=60` means 599 more requests in the next 60 seconds. Operators have no limit.',
    schema: { type: 'string' },
  },
  'Content-Disposition': { description: 'Name of the file.', schema: { type: 'string' } },
  'WWW-Authenticate': { description: 'Scheme for the credentials.', schema: { type: 'string' } },
  'Gatehouse-Otp': {
    description: 'Present if only the one-time code is missing (`required`) or wrong (`wrong`).',
    schema: { type: 'string', enum: ['required', 'wrong'] },
  },
} as const

function headersOf(route: Route, status: number): Record<string, Header> {
  const isRetried = status === 409 ? acceptsIdempotencyKey(route) : [429, 503].includes(status)
  const names: readonly (keyof typeof HEADERS)[] = [
    'X-Request-Id',
    'RateLimit-Policy',
    'RateLimit',
    ...(isFile(route.schemas.response[200]) && status === 200 ? (['Content-Disposition'] as const) : []),
    // A sign-in request has no Authorization header.
    ...(status === 401
      ? [route.role === 'public' ? ('Gatehouse-Otp' as const) : ('WWW-Authenticate' as const)]
      : []),
    ...(acceptsIdempotencyKey(route) && status < 500 ? (['Idempotent-Replayed'] as const) : []),
    ...(isRetried ? (['Retry-After'] as const) : []),
  ]
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

const isFile = (schema: z.ZodType | undefined): boolean => schema instanceof z.ZodFile

function responsesOf(route: Route, components: Components) {
  const answers = Object.entries(route.schemas.response) as [string, z.ZodType][]
  const isDocumented = answers.some(([status]) => status === '401') || route.role === 'public'
  const all = isDocumented ? answers : [...answers, ['401', unauthorized] as const]
  return Object.fromEntries(
    all.map(([status, schema]) => {
      const json = jsonSchemaOf(schema, 'output', components)
      const content = isFile(schema)
        ? Object.fromEntries(CONTENT_TYPES.map((type) => [type, { schema: json, example: 'its bytes' }]))
        : { 'application/json': { schema: json, example: exampleOf(json, components, true) } }
      const description = status === '401' ? 'The credentials are missing, wrong or expired.' : 'Success.'
      return [status, { description, headers: headersOf(route, Number(status)), content }]
    }),
  )
}

/** Returns the error codes that follow from a route's parameters, role and body. */
function usualCodes(route: Route): ErrorCode[] {
  const { role, schemas } = route
  return [
    'malformed_request',
    'rate_limited',
    ...(role === 'public' ? [] : (['insufficient_role', 'not_found'] as const)),
    ...(role === 'public' || role === 'signed_in' ? [] : (['password_change_required'] as const)),
    ...(acceptsBody(route)
      ? (['request_timeout', 'payload_too_large', 'unsupported_media_type'] as const)
      : []),
    ...(schemas.body || schemas.query
      ? (['required', 'invalid', 'too_long', 'too_many', 'unknown_field'] as const)
      : []),
    ...(acceptsIdempotencyKey(route)
      ? (['idempotency_key_in_progress', 'idempotency_key_reused'] as const)
      : []),
    'internal_error',
    'service_unavailable',
  ]
}

/** The validation error codes that one response can combine. */
const CHECKED: ReadonlySet<ErrorCode> = new Set([
  'required',
  'invalid',
  'too_long',
  'too_many',
  'unknown_field',
  'unknown_topic',
])

function describeRetry(route: Route): string {
  const { retryGuidance = 'nothing' } = route
  const isKept = retryGuidance !== 'nothing' && acceptsIdempotencyKey(route)
  return (
    RETRY_GUIDANCE[retryGuidance] +
    (isKept ? ' With the same `Idempotency-Key`, the request takes effect once.' : '')
  )
}

function refusalsOf(route: Route, components: Components) {
  const own = (route.errors ?? []).map((each) =>
    typeof each === 'string' ? { code: each, status: ERRORS[each].status } : each,
  )
  const codes = [...usualCodes(route).map((code) => ({ code, status: ERRORS[code].status })), ...own]
  const statuses = [...new Set(codes.map(({ status }) => status))]
  const schema = jsonSchemaOf(refusal, 'output', components)
  return Object.fromEntries(
    statuses.map((status) => {
      const names = [...new Set(codes.filter((each) => each.status === status).map(({ code }) => code))]
      const additional =
        status === 400 ? codes.filter(({ code }) => CHECKED.has(code)).map(({ code }) => code) : []
      const first = names[0] as ErrorCode
      const example = { errors: [{ code: first, message: ERRORS[first].message }] }
      const description =
        names.map((code) => `- \`${code}\`: ${ERRORS[code].message}`).join('\n') +
        (additional.length > 0 ? '\n\nThe response also lists the problems of a 422.' : '') +
        (status === 503 ? `\n\n${describeRetry(route)}` : '')
      const content = { 'application/json': { schema, example } }
      const all = { 'x-codes': [...new Set([...names, ...additional])] }
      return [status, { description, headers: headersOf(route, status), content, ...all }]
    }),
  )
}
