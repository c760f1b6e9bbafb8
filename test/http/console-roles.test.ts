/** Tests the permission of each page and form of the console. */
import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { operatorGrants } from '../../drizzle/schema.ts'
import { type Grant, hasPermission, OPERATOR_ROLES, type Permission } from '../../src/domain/access/grant.ts'
import { CONFIRMATION_PERMISSIONS } from '../../src/domain/decision/confirmation.ts'
import { openConsole } from '../support/console.ts'
import { sendForm } from '../support/hosted-page.ts'
import { addVault, sharedInstance, unique } from '../support/instance.ts'
import { createKey, PASSWORD, signedIn } from '../support/people.ts'
import { type AnyRoute, consoleRoutes } from '../support/routes.ts'

const gatehouse = await sharedInstance()
const { api, baseUrl, vaultId } = gatehouse
const other = await addVault(gatehouse)

const kyb = await api.createKyb()
const identification: string = (await api.get(`/kyb/${kyb}`)).body.data.identification_id
const file: string = (await api.upload(kyb, { attribute: 'aml_policies' })).body.id
const key = (await createKey(gatehouse, { roles: ['api_read'] })).id
const user = await signedIn(gatehouse, 'operator', { operator_roles: ['operator_review'] })

/** The object of each path with an ID. All belong to the first vault. */
const IDS: readonly [start: string, id: string][] = [
  ['/console/kyb/', kyb],
  ['/console/identifications/', identification],
  ['/console/files/', file],
  ['/console/settings/vaults/', vaultId],
  ['/console/settings/api_keys/', key],
  ['/console/settings/users/', user.id],
]

/** Returns the address of a page, and whether its object exists. */
function addressOf({ path }: AnyRoute): { address: string; exists: boolean } {
  const [, id] = IDS.find(([start]) => path.startsWith(`${start}:id`)) ?? []
  const first = path.replace(':id', id ?? unique()).replace(':name', 'applications')
  const address = first.replaceAll(/:(\w+)/g, unique)
  return { address, exists: first === address && (id !== undefined || !path.includes(':id')) }
}

const STEPS: Readonly<Record<string, Permission>> = CONFIRMATION_PERMISSIONS

/** Returns the permission that a page requires, or null for pages about the operator's own account. */
function permissionOf({ method, path }: AnyRoute): Permission | null {
  const page = path.replace('/console', '')
  const isRead = method === 'GET'
  if (/^\/(sign_in|sign_out|password|codes|sso|single_sign_on)\b/.test(page)) return null
  if (/^\/settings\/(users|groups|single_sign_on)\b/.test(page))
    return isRead && !/\/(new|revoke_tokens|reset_password|remove_codes)$/.test(page)
      ? 'read_deployment'
      : 'administer_deployment'
  if (page === '/settings/vaults/new') return 'administer_deployment'
  if (page.startsWith('/settings'))
    return isRead && !/\/(new|remove|revoke)$/.test(page) ? 'read_settings' : 'administer'
  if (isRead || /^\/(search|filters)\b/.test(page)) return 'read_cases'
  if (page.endsWith('/close')) return 'confirm'
  return STEPS[/\/decision\/(\w+)$/.exec(page)?.[1] ?? ''] ?? 'decide'
}

const ROUTES = consoleRoutes(gatehouse.app)
const GUARDED = ROUTES.flatMap((route) => {
  const permission = permissionOf(route)
  return permission === null ? [] : [{ route, permission }]
})

async function browserWith(grant: { role: string; vault_id: string | null }) {
  const { email } = await signedIn(gatehouse, 'operator', { operator_grants: [grant] })
  return openConsole(baseUrl, { email, password: PASSWORD })
}

test('finds the pages of the console', () => {
  const names = ROUTES.map(({ method, path }) => `${method} ${path}`)
  expect(names).toEqual(
    expect.arrayContaining([
      'GET /console/',
      'POST /console/kyb/:id/decision',
      'GET /console/settings/users/:id',
      'POST /console/settings/groups/group',
    ]),
  )
  expect(new Set(names).size).toBe(names.length)
  expect(names.length).toBeGreaterThan(70)
})

describe.each(OPERATOR_ROLES)('an operator with the role %s', (role) => {
  test.each([
    ['one vault', vaultId],
    ['all vaults', null],
  ])('sees the pages of the role in %s, and no others', async (_, vault) => {
    const browser = await browserWith({ role, vault_id: vault })
    const grants: Grant[] = [{ role, vaultId: vault }]
    for (const { route, permission } of GUARDED) {
      const { address, exists } = addressOf(route)
      const isPermitted = hasPermission({ grants }, permission)
      // The CSRF token is invalid, so the form has no effect.
      const { status } =
        route.method === 'GET'
          ? await browser.get(address)
          : await browser.post(address, [['_csrf', 'of another session']])
      const seen = { page: `${route.method} ${route.path}`, status }
      expect(status, seen.page).toBeLessThan(500)
      if (route.path === '/console/')
        expect({ ...seen, status }).toEqual({ ...seen, status: isPermitted ? 200 : 303 })
      else if (!isPermitted) expect(seen).toEqual({ ...seen, status: 404 })
      else if (exists && route.method === 'GET') expect(status, seen.page).not.toBe(404)
    }
  })

  test('gets 404 for the objects of a vault without a grant', async () => {
    const browser = await browserWith({ role, vault_id: other.vaultId })
    for (const { route } of GUARDED.filter(({ route }) =>
      IDS.some(([start]) => route.path.startsWith(`${start}:`)),
    )) {
      // Redirects to a page that returns 404.
      if (route.path.endsWith('/preview') && route.method === 'GET') continue
      const { address } = addressOf(route)
      const { status } = await (route.method === 'GET' ? browser.get(address) : browser.post(address))
      expect({ page: `${route.method} ${route.path}`, status }).toEqual({
        page: `${route.method} ${route.path}`,
        status: 404,
      })
    }
  })
})

test('an operator without any role has no session', async () => {
  const { id, email } = await signedIn(gatehouse, 'operator', { operator_roles: ['operator_review'] })
  const browser = await openConsole(baseUrl, { email, password: PASSWORD })
  expect((await browser.get('/console')).status).toBe(200)
  await gatehouse.db.orm.delete(operatorGrants).where(eq(operatorGrants.userId, id))
  for (const { route } of GUARDED) {
    const { address } = addressOf(route)
    const { status } = await (route.method === 'GET' ? browser.get(address) : browser.post(address))
    expect({ page: address, status }).toEqual({ page: address, status: route.method === 'GET' ? 303 : 401 })
  }
})

test('no page or form opens without a session', async () => {
  for (const { route } of GUARDED) {
    const { address } = addressOf(route)
    const { status } = await sendForm(baseUrl + address, route.method === 'GET' ? undefined : {})
    // A form from elsewhere is refused before the session is looked up.
    expect({ page: address, status }).toEqual({ page: address, status: route.method === 'GET' ? 303 : 401 })
  }
})
