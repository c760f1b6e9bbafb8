/** A route that does not say which role it needs does not compile (`npm run check` looks at this). */
import { expect, test } from 'vitest'
import { type Route, route } from '../../src/http/route.ts'

const handler = async () => ({ body: {} })

test('the role cannot be forgotten, nor made up', () => {
  // @ts-expect-error: no role
  const forgotten = route({ method: 'get', path: '/', handler })
  // @ts-expect-error: no such role
  const unknown = route({ method: 'get', path: '/', role: 'admin', handler })
  // @ts-expect-error: no role
  const written: Route = { method: 'get', path: '/', handle: handler }
  const right = route({ method: 'get', path: '/', role: 'api_read', handler })
  expect([forgotten, unknown, written, right]).toHaveLength(4)
})
