/**
 * Tests which routes take a slot for reads, and that a route without a role or response does not compile. `npm run check`
 * verifies the directives.
 */
import { expect, test } from 'vitest'
import { z } from 'zod'
import { type Route, route, takesReadingSlot } from '../../../src/api/routing/route.ts'

const response = { 200: z.strictObject({ data: z.string() }) }
const about = { name: 'getAll', at: 'GET /', summary: 'A route', response } as const
const handler = async () => ({ body: { data: 'text' } })

test('requires an existing role', () => {
  // @ts-expect-error: no role
  const forgotten = route({ ...about, handler })
  // @ts-expect-error: no such role
  const unknown = route({ ...about, role: 'admin', handler })
  // @ts-expect-error: no role
  const written: Route = { ...about, isForm: false, schemas: { response }, handle: handler }
  const right = route({ ...about, role: 'api_read', handler })
  expect([forgotten, unknown, written, right]).toHaveLength(4)
})

test('requires a response that matches the route', () => {
  const role = 'api_read'
  // @ts-expect-error: no responses
  const silent = route({ name: 'getAll', at: 'GET /', role, summary: 'A route', handler })
  // @ts-expect-error: another body
  const other = route({ ...about, role, handler: async () => ({ body: { data: 1 } }) })
  const elsewhere = async () => ({ status: 201 as const, body: { data: 'text' } })
  // @ts-expect-error: an undeclared status
  const status = route({ ...about, role, handler: elsewhere })
  expect([silent, other, status]).toHaveLength(3)
})

test.each([
  ['a read', { method: 'get', role: 'api_read' }, true],
  ['a read that waits for data', { method: 'get', role: 'api_read', waits: true }, false],
  ['a calculation over many cases', { method: 'post', role: 'read_settings', repeatable: true }, true],
  ['a change', { method: 'put', role: 'read_cases' }, false],
  ['a repeatable change', { method: 'post', role: 'administer', repeatable: true }, false],
] as const)('takes a slot for reads: %s', (_name, own, expected) => {
  expect(takesReadingSlot(own)).toBe(expected)
})
