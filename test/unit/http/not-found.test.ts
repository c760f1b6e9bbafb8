/** Tests that a 404 names the resource, and the part of it, that the IDs in the path belong to. */
import { expect, test } from 'vitest'
import { createRoutes } from '../../../src/api/routes/index.ts'
import { resourceOf } from '../../../src/api/routing/not-found.ts'

const ROUTES = Object.values(createRoutes({ ENVIRONMENT: 'sandbox', WEBHOOK_ALLOW_PRIVATE: true }))
  .flat()
  .map(({ path }) => path)

test.each([...new Set(ROUTES)].filter((path) => /:\w*id\b/.test(path)))(
  'names the resource of %s',
  (path) => {
    const { noun, part } = resourceOf(path)
    expect(noun).toBeTypeOf('string')
    // A block names the vault of its identification first.
    const ids = path.match(/:\w*id\b/g)?.filter((each) => each !== ':vault_id') ?? []
    expect([noun, part].filter(Boolean)).toHaveLength(ids.length)
  },
)

test.each([
  ['/kyb/:id', 'application', undefined],
  ['/kyb/:id/files/:file_id', 'application', 'file'],
  ['/identifications/:id/files/:file_id', 'identification', 'file'],
  ['/kyb/:id/beneficiaries/:external_id/link', 'application', 'beneficiary'],
  ['/kyb/:id/deliveries/:delivery_id/retry', 'application', 'delivery'],
  ['/identifications/:id/deliveries/:delivery_id/retry', 'identification', 'delivery'],
  ['/vaults/:id/comment_templates/:template_id', 'vault', 'comment template'],
  ['/vaults/:vault_id/identifications/:id/block', 'identification', undefined],
  ['/admin_actions/:id/confirm', 'action', undefined],
])('%s has the resource %s and the part %s', (path, noun, part) => {
  expect(resourceOf(path)).toEqual({ ...(noun && { noun }), ...(part && { part }) })
})
