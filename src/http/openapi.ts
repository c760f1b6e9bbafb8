/** The OpenAPI document of one base path, made from its routes and the schemas that validate them. */
import { z } from 'zod'
import { refusal, unauthorized } from '../contracts/answer.ts'
import { ERRORS, type ErrorCode } from '../domain/errors.ts'
import { type Components, exampleOf, type JsonSchema, jsonSchemaOf } from './openapi-schema.ts'
import { type Route, takesKey } from './route.ts'

export interface Content {
  readonly schema: JsonSchema
  readonly example: unknown
}

interface Header {
  readonly description: string
  readonly schema: JsonSchema
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly security: readonly object[]
  readonly parameters: readonly {
    readonly name: string
    readonly in: 'path' | 'query' | 'header'
    readonly required: boolean
    readonly description?: string
    readonly schema: JsonSchema
    readonly example?: unknown
  }[]
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Content>> }
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description: string
        readonly headers: Readonly<Record<string, Header>>
        readonly content: Readonly<Record<string, Content>>
      }
    >
  >
}

export interface OpenApiDocument {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Components; readonly securitySchemes: object }
}

export interface About {
  readonly title: string
  readonly description: string
  readonly url: string
}

const SECURITY_SCHEMES = {
  token: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'An API key or access token.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'The same after the word Bearer.' },
}

/** Paths as OpenAPI writes them. */
export const templateOf = (path: string): string => path.replace(/:(\w+)/g, '{$1}')

export function openApiDocument(
  { title, description, url }: About,
  routes: readonly Route[],
): OpenApiDocument {
  const schemas: Components = {}
  const paths: Record<string, Record<string, Operation>> = {}
  for (const route of routes) {
    const path = templateOf(route.path)
    paths[path] = { ...paths[path], [route.method]: operationOf(route, schemas) }
  }
  const components = { schemas, securitySchemes: SECURITY_SCHEMES }
  return {
    openapi: '3.1.0',
    info: { title, version: '1', description },
    servers: [{ url }],
    paths,
    components,
  }
}

const takesBody = ({ method }: Route) => method !== 'get'

function operationOf(route: Route, components: Components): Operation {
  const { method, path, role, summary, schemas } = route
  const words = path.split('/').map((part) => part.replace(/^:(.*)$/, 'by_$1'))
  const body = schemas.body && jsonSchemaOf(schemas.body, 'input', components)
  const type = route.isForm ? 'multipart/form-data' : 'application/json'
  return {
    operationId: [method, ...words.filter(Boolean)].join('_'),
    summary,
    description: role === 'public' ? 'Needs no credentials.' : `Needs the role \`${role}\`.`,
    tags: [words.find(Boolean) ?? ''],
    security: role === 'public' ? [] : [{ token: [] }, { bearer: [] }],
    parameters: [
      ...parametersOf(schemas.params, 'path', components),
      ...parametersOf(schemas.query, 'query', components),
      ...(takesKey(route) ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(body && {
      requestBody: {
        // No body is read as an empty object.
        required: route.isForm || !schemas.body?.safeParse({}).success,
        content: { [type]: { schema: body, example: exampleOf(body, components, false) } },
      },
    }),
    responses: { ...answersOf(route, components), ...refusalsOf(route, components) },
  }
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same request with the same key has one effect and one answer for 24 hours.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' } as JsonSchema,
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

const headersOf = (route: Route, status: number): Record<string, Header> => ({
  'X-Request-Id': { description: 'Names the request in reports.', schema: { type: 'string' } },
  ...(takesKey(route) &&
    status < 500 && {
      'Idempotent-Replayed': { description: '`true` when it is a kept answer.', schema: { type: 'string' } },
    }),
  ...((status === 409 ? takesKey(route) : [429, 503].includes(status)) && {
    'Retry-After': { description: 'Seconds after which to ask again.', schema: { type: 'integer' } },
  }),
})

function answersOf(route: Route, components: Components) {
  const answers = Object.entries(route.schemas.response) as [string, z.ZodType][]
  const isDocumented = answers.some(([status]) => status === '401') || route.role === 'public'
  const all = isDocumented ? answers : [...answers, ['401', unauthorized] as const]
  return Object.fromEntries(
    all.map(([status, schema]) => {
      const json = jsonSchemaOf(schema, 'output', components)
      const type = schema instanceof z.ZodFile ? 'application/octet-stream' : 'application/json'
      const content = { [type]: { schema: json, example: exampleOf(json, components, true) } }
      const description = status === '401' ? 'The credentials are missing, wrong or expired.' : 'Done.'
      return [status, { description, headers: headersOf(route, Number(status)), content }]
    }),
  )
}

/** Codes that a route has by what it takes. */
function usualCodes(route: Route): ErrorCode[] {
  const { role, schemas } = route
  return [
    'malformed_request',
    'rate_limited',
    ...(role === 'public' ? [] : (['insufficient_role', 'not_found'] as const)),
    ...(role === 'public' || role === 'signed_in' ? [] : (['password_change_required'] as const)),
    ...(takesBody(route)
      ? (['request_timeout', 'payload_too_large', 'unsupported_media_type'] as const)
      : []),
    ...(schemas.body || schemas.query
      ? (['required', 'invalid', 'too_long', 'too_many', 'unknown_field'] as const)
      : []),
    ...(takesKey(route) ? (['idempotency_key_in_progress', 'idempotency_key_reused'] as const) : []),
    'internal_error',
    'service_unavailable',
  ]
}

function refusalsOf(route: Route, components: Components) {
  const own = (route.errors ?? []).map((each) =>
    typeof each === 'string' ? { code: each, status: ERRORS[each].status } : each,
  )
  const codes = [...usualCodes(route).map((code) => ({ code, status: ERRORS[code].status })), ...own]
  const statuses = [...new Set(codes.map(({ status }) => status))]
  return Object.fromEntries(
    statuses.map((status) => {
      // Where something is malformed, everything else that is wrong is told along with it.
      const told = status === 400 ? codes : codes.filter((each) => each.status === status)
      const names = [...new Set(told.map(({ code }) => code))]
      const json = jsonSchemaOf(refusal(names), 'output', components)
      const first = names[0] as ErrorCode
      const example = { errors: [{ code: first, message: ERRORS[first].message }] }
      const description = names.map((code) => `\`${code}\``).join(', ')
      const content = { 'application/json': { schema: json, example } }
      return [status, { description, headers: headersOf(route, status), content }]
    }),
  )
}
