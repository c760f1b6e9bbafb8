/** The documents say what the routes are, with examples. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { clientTypes } from '../../dev/documents/client-types.ts'
import { BASES as PATHS } from '../../src/api/app.ts'
import { templateOf } from '../../src/api/openapi.ts'
import type { OpenApiDocument } from '../../src/api/openapi-document.ts'
import type { JsonSchema } from '../../src/api/openapi-schema.ts'
import { RETRY_GUIDANCE } from '../../src/api/retry-guidance.ts'
import { createRoutes } from '../../src/api/routes/index.ts'
import { KYB_GUIDE } from '../../src/contracts/kyb-guide.ts'
import { ERRORS } from '../../src/domain/errors.ts'
import { emptyContent, SECTIONS } from '../../src/domain/kyb/fields.ts'
import { requiredFields } from '../../src/domain/kyb/requirements.ts'
import { EVENTS, type EventName, envelopeKey, TEST_EVENT } from '../../src/domain/webhook/events.ts'
import { schemaCompiler } from '../support/contract.ts'
import { sharedInstance } from '../support/instance.ts'
import { mountedRoutes } from '../support/routes.ts'

const documents: Record<string, OpenApiDocument> = {}
/** What describes the routes is no route of its own. */
const OWN = ['/openapi.json', '/docs']
const BASES = ['/v1', '/operator/v1']
const gatehouse = await sharedInstance()
for (const base of BASES) {
  const answer = await fetch(`${gatehouse.baseUrl}${base}/openapi.json`)
  documents[base] = (await answer.json()) as OpenApiDocument
}

const documentOf = (base: string): OpenApiDocument => {
  const document = documents[base]
  if (!document) throw new Error('there is no such document')
  return document
}

const operationsOf = (base: string) =>
  Object.entries(documentOf(base).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )

/** An edit that they refuse is a 403, a decision a 422. */
const BY_COMMAND: ReadonlySet<string> = new Set([
  'kyb_processed',
  'kyb_abandoned',
  'identification_closed',
  'identification_erased',
])

interface Field {
  readonly path: string
  readonly field: JsonSchema
}

/** Every property of a schema, and of those inside of it. */
function fieldsIn(path: string, schema: JsonSchema): Field[] {
  const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [] } = schema
  const inner = [items, additionalProperties || undefined, ...anyOf, ...oneOf]
  return [
    ...Object.entries(properties).flatMap(([name, field]) => [
      { path: `${path}.${name}`, field },
      ...fieldsIn(`${path}.${name}`, field),
    ]),
    ...inner.flatMap((each) => (each ? fieldsIn(path, each) : [])),
  ]
}

function fieldsOf({ components, paths, webhooks = {} }: OpenApiDocument): Field[] {
  const operations = [...Object.entries(paths), ...Object.entries(webhooks)].flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
  )
  return [
    ...Object.entries(components.schemas).flatMap(([name, schema]) => fieldsIn(name, schema)),
    ...operations.flatMap(({ name, operation: { parameters = [], requestBody, responses } }) => [
      ...parameters.map((each) => ({ path: `${name} ${each.name}`, field: { ...each.schema, ...each } })),
      ...[requestBody, ...Object.values(responses)].flatMap((each) =>
        Object.values(each?.content ?? {}).flatMap(({ schema }) => fieldsIn(name, schema)),
      ),
    ]),
  ] as Field[]
}

/** By itself, or by the schema that it names; an object says in its own fields what is in it. */
function isTold(field: JsonSchema, schemas: Readonly<Record<string, JsonSchema>>): boolean {
  const named = ({ $ref }: JsonSchema) => schemas[$ref?.split('/').at(-1) ?? ''] ?? {}
  const hasExample = (schema: JsonSchema): boolean => {
    const { $ref, properties, items, anyOf = [], oneOf = [], examples } = schema
    return (
      examples !== undefined ||
      properties !== undefined ||
      ($ref !== undefined && hasExample(named(schema))) ||
      (items !== undefined && hasExample(items)) ||
      [...anyOf, ...oneOf].some(hasExample)
    )
  }
  return Boolean(field.description ?? named(field).description) && hasExample(field)
}

describe.each(BASES)('%s', (base) => {
  test('has every mounted route, and nothing else', () => {
    const mounted = mountedRoutes(gatehouse.app)
      .filter(({ audience, path }) => PATHS[audience] === base && !OWN.includes(path))
      .map(({ method, path }) => `${method.toLowerCase()} ${templateOf(path)}`)
    expect(
      operationsOf(base)
        .map(({ method, path }) => `${method} ${path}`)
        .sort(),
    ).toEqual(mounted.sort())
    const ids = operationsOf(base).map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('every path that it names is there: without credentials 401, with another method 405', async () => {
    for (const { path, method, operation } of operationsOf(base)) {
      const url = `${gatehouse.baseUrl}${base}${path.replace(/\{\w+\}/g, crypto.randomUUID())}`
      const { status } = await fetch(url, { method: method.toUpperCase() })
      expect({ path, method, status }).toEqual({
        path,
        method,
        status: operation.security.length > 0 ? 401 : 422,
      })
      expect((await fetch(url, { method: 'DELETE' })).status).toBeOneOf([401, 405])
    }
  })

  test('every example is what its schema allows', () => {
    const compile = schemaCompiler(documentOf(base))
    for (const { path, method, operation } of operationsOf(base)) {
      const contents = [
        ...Object.entries(operation.requestBody?.content ?? {}).map(
          ([type, content]) => [['requestBody', 'content', type, 'schema'], content] as const,
        ),
        ...Object.entries(operation.responses).flatMap(([status, { content }]) =>
          Object.entries(content).map(
            ([type, each]) => [['responses', status, 'content', type, 'schema'], each] as const,
          ),
        ),
      ]
      for (const [place, { example }] of contents) {
        const validate = compile('paths', path, method, ...place)
        expect({ path, place, valid: validate(example), errors: validate.errors }).toMatchObject({
          valid: true,
        })
        // Whoever tries it out begins with something to change.
        if (place[0] === 'requestBody' && method === 'patch') expect([path, example]).not.toEqual([path, {}])
      }
    }
  })

  test('every field and parameter is described, with an example', () => {
    const document = documentOf(base)
    const silent = fieldsOf(document)
      .filter(({ field }) => !isTold(field, document.components.schemas))
      .map(({ path }) => path)
    expect(silent).toEqual([])
  })

  test('a refusal stands under its own status; what else is wrong may stand beside a 400', () => {
    for (const { path, method, operation } of operationsOf(base)) {
      for (const [status, { 'x-codes': codes = [] }] of Object.entries(operation.responses)) {
        const misplaced = codes.filter((code) => {
          const own = ERRORS[code].status
          return String(own) !== status && !(status === '400' && own === 422) && !BY_COMMAND.has(code)
        })
        expect(misplaced, `${method} ${path} ${status}`).toEqual([])
      }
    }
  })

  test('what a 503 leaves behind is said for every route, and of one that changes something by itself', () => {
    const routes = Object.values(createRoutes({ ENVIRONMENT: 'sandbox', WEBHOOK_ALLOW_PRIVATE: true })).flat()
    expect(
      routes.filter(({ method, retryGuidance }) => (method === 'get') !== (retryGuidance === undefined)),
    ).toEqual([])
    for (const { path, method, operation } of operationsOf(base)) {
      const told = Object.values(RETRY_GUIDANCE).filter((text) =>
        operation.responses[503]?.description.includes(text),
      )
      expect(told, `${method} ${path}`).toHaveLength(1)
      if (method === 'get') expect(told).toEqual([RETRY_GUIDANCE.nothing])
    }
  })

  test('its pages take no other method', async () => {
    for (const path of OWN) {
      const answer = await fetch(`${gatehouse.baseUrl}${base}${path}`, { method: 'POST' })
      expect({ status: answer.status, allow: answer.headers.get('Allow') }).toEqual({
        status: 405,
        allow: 'GET, HEAD',
      })
    }
  })
})

test('clients are told what they are sent, by the name of each event', () => {
  const { webhooks = {}, components } = documentOf('/v1')
  expect(Object.keys(webhooks)).toEqual([...Object.keys(EVENTS), TEST_EVENT])
  for (const [name, { post }] of Object.entries(webhooks)) {
    const { schema } = post.requestBody?.content['application/json'] ?? {}
    const body = components.schemas[schema?.$ref?.split('/').at(-1) ?? '']
    const key = name === TEST_EVENT ? 'data' : envelopeKey(name as EventName)
    expect(Object.keys(body?.properties ?? {}), name).toEqual([key])
  }
  expect(documentOf('/operator/v1').webhooks).toBeUndefined()
})

test('what an application needs says so, and nothing else does', () => {
  const { nature_of_business, usage_of_account, business_files, ...rest } = emptyContent()
  const content = {
    ...rest,
    nature_of_business: { ...nature_of_business, subject_of_supervision: 'BaFin' },
    usage_of_account: {
      ...usage_of_account,
      nesting_confirmation: true,
      ubo_source_of_wealth: 'other' as const,
    },
    business_files: { ...business_files, signature_type: 'joint' as const },
  }
  for (const section of SECTIONS) {
    const told = Object.entries(KYB_GUIDE[section]).filter(([, { description }]) =>
      /Needed/.test(description),
    )
    expect(told.map(([name]) => name).sort()).toEqual(requiredFields(section, content).sort())
  }
})

test('operators are not told to send API keys', () => {
  const { info, components } = documentOf('/operator/v1')
  expect(JSON.stringify([info, components.securitySchemes])).not.toContain('API key')
})

test('client/types.ts is what `npm run documents` writes', () => {
  const written = readFileSync(new URL('../../client/types.ts', import.meta.url), 'utf8')
  expect(written).toBe(clientTypes({ Client: documentOf('/v1'), Operator: documentOf('/operator/v1') }))
})
