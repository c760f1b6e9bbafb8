/** The documents say what the routes are, with examples. */
import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { clientTypes } from '../../dev/documents/client-types.ts'
import { BASES as PATHS } from '../../src/http/app.ts'
import { type OpenApiDocument, templateOf } from '../../src/http/openapi.ts'
import { schemaCompiler } from '../support/contract.ts'
import { startInstance } from '../support/instance.ts'
import { mountedRoutes } from '../support/routes.ts'

const documents: Record<string, OpenApiDocument> = {}
/** What describes the routes is no route of its own. */
const OWN = ['/openapi.json', '/docs']
const BASES = ['/v1', '/operator/v1']
const gatehouse = await startInstance()
for (const base of BASES) {
  const answer = await fetch(`${gatehouse.baseUrl}${base}/openapi.json`)
  documents[base] = (await answer.json()) as OpenApiDocument
}
afterAll(() => gatehouse.stop())

const documentOf = (base: string): OpenApiDocument => {
  const document = documents[base]
  if (!document) throw new Error('there is no such document')
  return document
}

const operationsOf = (base: string) =>
  Object.entries(documentOf(base).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )

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
      }
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

test('client/types.ts is what `npm run documents` writes', () => {
  const written = readFileSync(new URL('../../client/types.ts', import.meta.url), 'utf8')
  expect(written).toBe(clientTypes({ Client: documentOf('/v1'), Operator: documentOf('/operator/v1') }))
})
