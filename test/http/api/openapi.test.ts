/** Tests that the OpenAPI documents match the routes, with descriptions and valid examples. */

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { clientTypes } from '../../../dev/documents/client-types.ts'
import { BASES as PATHS } from '../../../src/api/app.ts'
import type { OpenApiDocument } from '../../../src/api/openapi/document.ts'
import { templateOf } from '../../../src/api/openapi/openapi.ts'
import type { JsonSchema } from '../../../src/api/openapi/schema.ts'
import { createRoutes } from '../../../src/api/routes/index.ts'
import { RETRY_GUIDANCE } from '../../../src/api/routing/retry-guidance.ts'
import { KYB_GUIDE } from '../../../src/contracts/kyb-guide.ts'
import { CLIENT_ROLES } from '../../../src/domain/access/access.ts'
import { OPERATOR_ROLES } from '../../../src/domain/access/grant.ts'
import { ERRORS } from '../../../src/domain/base/errors.ts'
import { emptyContent, SECTIONS } from '../../../src/domain/kyb/fields.ts'
import { DEFAULT_FORM } from '../../../src/domain/kyb/form.ts'
import { requiredFields } from '../../../src/domain/kyb/requirements.ts'
import { EVENTS, type EventName, envelopeKey, TEST_EVENT } from '../../../src/domain/webhook/events.ts'
import { schemaCompiler } from '../../support/contract.ts'
import { sharedInstance } from '../../support/instance.ts'
import { mountedRoutes } from '../../support/routes.ts'

const documents: Record<string, OpenApiDocument> = {}
/** The documents do not describe the routes that serve them. */
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

/** These codes have status 403 for edits and 422 for decisions. */
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

/** Returns every property of a schema, including nested schemas. */
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

/**
 * Returns true if a field has a description and an example, directly or through its schema. Objects need no example.
 */
function isDescribed(field: JsonSchema, schemas: Readonly<Record<string, JsonSchema>>): boolean {
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

describe.each(BASES)('the document of %s', (base) => {
  test('contains every mounted route, and no other', () => {
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

  test('names only existing paths, which return 401 without credentials and 405 for other methods', async () => {
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

  test('contains only examples that match their schemas', () => {
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
        // The example of a PATCH must contain a change to try out.
        if (place[0] === 'requestBody' && method === 'patch') expect([path, example]).not.toEqual([path, {}])
      }
    }
  })

  test('describes every field and parameter with an example', () => {
    const document = documentOf(base)
    const undescribed = fieldsOf(document)
      .filter(({ field }) => !isDescribed(field, document.components.schemas))
      .map(({ path }) => path)
    expect(undescribed).toEqual([])
  })

  test('lists each code under its own status, or a 422 code under 400', () => {
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

  test('states the effects of a 503 for every route that can change data', () => {
    const routes = Object.values(createRoutes({ ENVIRONMENT: 'sandbox', WEBHOOK_ALLOW_PRIVATE: true })).flat()
    expect(
      routes.filter(({ method, retryGuidance }) => (method === 'get') !== (retryGuidance === undefined)),
    ).toEqual([])
    for (const { path, method, operation } of operationsOf(base)) {
      const described = Object.values(RETRY_GUIDANCE).filter((text) =>
        operation.responses[503]?.description.includes(text),
      )
      expect(described, `${method} ${path}`).toHaveLength(1)
      if (method === 'get') expect(described).toEqual([RETRY_GUIDANCE.nothing])
    }
  })

  test('can only be read, and returns 405 for other methods', async () => {
    for (const path of OWN) {
      const answer = await fetch(`${gatehouse.baseUrl}${base}${path}`, { method: 'POST' })
      expect({ status: answer.status, allow: answer.headers.get('Allow') }).toEqual({
        status: 405,
        allow: 'GET, HEAD',
      })
    }
  })
})

test('documents the webhook of every event for clients', () => {
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

test('marks required application fields as needed, and no others', () => {
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
    const described = Object.entries(KYB_GUIDE[section]).filter(([, { description }]) =>
      /Required/.test(description),
    )
    expect(described.map(([name]) => name).sort()).toEqual(
      requiredFields(DEFAULT_FORM, section, content).sort(),
    )
  }
})

test.each([
  ['/v1', CLIENT_ROLES],
  ['/operator/v1', OPERATOR_ROLES],
])('names only roles that someone can have under %s', (base, roles) => {
  const named = operationsOf(base).flatMap(({ operation }) => {
    const required = operation.description.match(/^Requires the roles? (.*)\.$/m)?.[1] ?? ''
    return [...required.matchAll(/`(\w+)`/g)].map(([, role]) => role)
  })
  expect([...new Set(named)].sort()).toEqual([...roles].sort())
})

test('does not mention API keys to operators', () => {
  const { info, components } = documentOf('/operator/v1')
  expect(JSON.stringify([info, components.securitySchemes])).not.toContain('API key')
})

test('client/types.ts matches the output of `npm run documents`', () => {
  const written = readFileSync(new URL('../../../client/types.ts', import.meta.url), 'utf8')
  expect(written).toBe(clientTypes({ Client: documentOf('/v1'), Operator: documentOf('/operator/v1') }))
})
