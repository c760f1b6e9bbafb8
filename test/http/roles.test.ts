/** Tests 401, 403 and 404 responses for each credential on every mounted route. */
import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { operatorGrants } from '../../drizzle/schema.ts'
import { readSigningKeys } from '../../src/db/access/signing-key.ts'
import { createTokens } from '../../src/use-cases/credentials/tokens.ts'
import { PDF } from '../support/api.ts'
import { addVault, sharedInstance, unique } from '../support/instance.ts'
import { baseOf, createKey, signedIn, signIn } from '../support/people.ts'
import { type MountedRoute, mountedRoutes } from '../support/routes.ts'

const tokens: Record<string, string> = {}
/** Maps the resource types in paths to IDs in a vault that the stranger cannot access. */
const ids: Record<string, string> = {}

const gatehouse = await sharedInstance()
const { vaultId, credentials } = gatehouse
const vault = (...roles: string[]) => ({ vaults: [{ id: vaultId, roles }] })
const operator = (...operator_roles: string[]) => ({ operator_roles })

tokens.key = credentials.api_key
tokens['reading key'] = (await createKey(gatehouse, { roles: ['api_read'] })).key
tokens['writing key'] = (await createKey(gatehouse, { roles: ['api_write'] })).key
tokens.user = (await signedIn(gatehouse, 'client', vault('api_read', 'api_write'))).token
tokens['reading user'] = (await signedIn(gatehouse, 'client', vault('api_read'))).token
tokens['writing user'] = (await signedIn(gatehouse, 'client', vault('api_write'))).token
tokens.reviewer = (await signedIn(gatehouse, 'operator', operator('operator_review'))).token
tokens.admin = (await signedIn(gatehouse, 'operator', operator('operator_admin'))).token
const former = await signedIn(gatehouse, 'operator', operator('operator_review'))
tokens['operator without roles'] = former.token
await gatehouse.db.orm.delete(operatorGrants).where(eq(operatorGrants.userId, former.id))

const stranger = await addVault(gatehouse)
tokens.stranger = stranger.credentials.api_key
tokens['expired client'] = await expiredToken('client')
tokens['expired operator'] = await expiredToken('operator')
ids.kyb = await gatehouse.api.createKyb()
ids.identifications = (await gatehouse.api.get(`/kyb/${ids.kyb}`)).body.data.identification_id
ids.accounts = (await gatehouse.api.get(`/identifications/${ids.identifications}`)).body.data.account_id
ids.vaults = vaultId

/** Returns a token that is valid except for its age of two hours. */
async function expiredToken(audience: 'client' | 'operator'): Promise<string> {
  const keys = await readSigningKeys(gatehouse.db, 30)
  const credentials = gatehouse.credentials
  const password = { client: credentials.user_password, operator: credentials.operator_password }[audience]
  const email = { client: credentials.user_email, operator: credentials.operator_email }[audience]
  const { data } = (await signIn(gatehouse, audience, { email, password })).body
  const { token } = await createTokens(
    async () => keys,
    'sandbox',
    () => Date.now() - 7_200_000,
  ).sign(audience, {
    userId: data.user.id,
    version: 0,
    vaults: data.vaults ?? [],
  })
  return token
}

const nameOf = ({ method, path }: MountedRoute) => `${method} ${path}`

/** The roles of routes that do not follow the rule in `roleOf`. */
const EXCEPTIONS: Record<string, string> = {
  'POST /sign_in': 'public',
  'GET /openapi.json': 'public',
  'GET /docs': 'public',
  'POST /users/change_password': 'signed_in',
  'POST /users/otp': 'signed_in',
  'POST /users/otp/confirm': 'signed_in',
  // This route only reports whether the password matches.
  'POST /kyb/validate_password/:id': 'api_read',
}

/** These routes require both roles, because a link allows its holder to read and change stored data. */
const BOTH = new Set(['POST /kyb/:id/form_link', 'POST /kyb/:id/beneficiaries/:external_id/link'])

/** Returns the role that a route requires by the specification, "Authentication" 3. */
function roleOf(route: MountedRoute): string {
  const exception = EXCEPTIONS[nameOf(route)]
  if (exception) return exception
  if (route.audience === 'client') return route.method === 'GET' ? 'api_read' : 'api_write'
  return /^\/(vaults|api_keys|users|operator_groups|events|audit|admin_actions)\b/.test(route.path)
    ? 'operator_admin'
    : 'operator_review'
}

const rolesOf = (route: MountedRoute): readonly string[] =>
  route.audience === 'client' && BOTH.has(nameOf(route)) ? ['api_read', 'api_write'] : [roleOf(route)]

/** The roles of each credential on the routes of its audience. */
const ROLES: Record<string, readonly string[]> = {
  key: ['api_read', 'api_write'],
  'reading key': ['api_read'],
  'writing key': ['api_write'],
  user: ['api_read', 'api_write', 'signed_in'],
  'reading user': ['api_read', 'signed_in'],
  'writing user': ['api_write', 'signed_in'],
  reviewer: ['operator_review', 'signed_in'],
  admin: ['operator_admin', 'signed_in'],
  'operator without roles': ['signed_in'],
}
const OPERATORS = new Set(['reviewer', 'admin', 'operator without roles'])
const audienceOf = (name: string) => (OPERATORS.has(name) ? 'operator' : 'client')

async function call(
  route: MountedRoute,
  token: string,
  id: (name: string) => string,
  body?: string | FormData,
) {
  const path = route.path.replaceAll(/:(\w+)/g, (_, name) => id(name))
  const response = await fetch(baseOf(gatehouse, route.audience) + path, {
    method: route.method,
    headers: {
      ...(token && { Authorization: token }),
      ...(typeof body === 'string' && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

const guarded = () => mountedRoutes(gatehouse.app).filter((route) => roleOf(route) !== 'public')

test('finds the mounted routes', () => {
  const names = mountedRoutes(gatehouse.app).map((route) => `${route.audience}: ${nameOf(route)}`)
  expect(names).toContain('client: PATCH /kyb/:id')
  expect(names).toContain('operator: DELETE /api_keys/:id')
  expect(new Set(names).size).toBe(names.length)
  expect(names.length).toBeGreaterThan(45)
})

test('returns 401 on every route without a valid credential', async () => {
  const worthless = {
    none: '',
    malformed: 'Bearer abc',
    'unknown key': `gk_test_${'x'.repeat(40)}`,
    'expired client': tokens['expired client'],
    'expired operator': tokens['expired operator'],
  }
  for (const route of guarded()) {
    const others = Object.keys(ROLES).filter((name) => audienceOf(name) !== route.audience)
    const foreign = Object.fromEntries(others.map((name) => [name, tokens[name]]))
    for (const [name, token = ''] of Object.entries({ ...worthless, ...foreign })) {
      const { status, body } = await call(route, token, unique)
      expect({ route: nameOf(route), name, status, body }).toEqual({
        route: nameOf(route),
        name,
        status: 401,
        body: { error: expect.any(String) },
      })
    }
  }
})

test('returns 403 without the required role, and neither 401 nor 403 with it', async () => {
  for (const route of guarded()) {
    for (const [name, roles] of Object.entries(ROLES)) {
      if (audienceOf(name) !== route.audience) continue
      const { status, body } = await call(route, tokens[name] ?? '', unique)
      const seen = { route: nameOf(route), name, refused: status === 401 || status === 403 }
      expect(seen).toEqual({ ...seen, refused: !rolesOf(route).every((role) => roles.includes(role)) })
      if (!seen.refused) continue
      expect({ ...seen, status, codes: body.errors }).toEqual({
        ...seen,
        status: 403,
        codes: [{ code: 'insufficient_role', message: expect.any(String) }],
      })
    }
  }
})

describe('resources of another vault', () => {
  const payment = () => JSON.stringify({ amount: '10.00', currency: 'EUR' })
  const BODIES: Record<string, () => string | FormData> = {
    'POST /sandbox/accounts/:id/simulate_incoming_fiat': payment,
    'POST /sandbox/accounts/:id/simulate_incoming_crypto': () =>
      JSON.stringify({ amount: '1', currency: 'BTC' }),
    'POST /sandbox/accounts/:id/simulate_card_payment': payment,
    'POST /kyb/upload_file/:id': () => {
      const form = new FormData()
      form.append('attribute', 'aml_policies')
      form.append('file', PDF, 'file.pdf')
      return form
    },
    'PUT /kyb/delete_file/:id': () => JSON.stringify({ blob_key: unique(), attribute_key: 'aml_policies' }),
    'POST /kyb/validate_password/:id': () => JSON.stringify({ password: 'x' }),
    'POST /kyb/:id/replies': () => JSON.stringify({ path: 'application', reply: 'x' }),
    'POST /identifications/:id/block': () => JSON.stringify({ reason: 'suspected_fraud', notes: 'x' }),
    'POST /vaults/:vault_id/identifications/:id/block': () =>
      JSON.stringify({ reason: 'suspected_fraud', notes: 'x' }),
    'POST /sandbox/kyb/:id/simulate_review': () => JSON.stringify({ outcome: 'approved' }),
    'POST /sandbox/identifications/:id/simulate': () => JSON.stringify({ outcome: 'approved' }),
  }
  /** Routes that report a missing resource without 404. */
  const NOT_FOUND: Record<string, object> = {
    'GET /kyb/validate/:id': { exists: false },
    'POST /kyb/validate_password/:id': { authenticate: false },
  }

  test('return 404 on every route with an ID, never 403', async () => {
    const routes = guarded().filter(({ audience, path }) => audience === 'client' && path.includes(':'))
    expect(routes.length).toBeGreaterThan(10)
    for (const route of routes) {
      const kind = Object.keys(ids).findLast((name) => route.path.includes(`/${name}/`)) ?? ''
      const id = (name: string) => (name === 'vault_id' ? gatehouse.vaultId : (ids[kind] ?? unique()))
      const answer = await call(route, tokens.stranger ?? '', id, BODIES[nameOf(route)]?.() ?? undefined)
      const notFound = NOT_FOUND[nameOf(route)]
      const expected = notFound
        ? { status: 200, body: notFound }
        : {
            status: 404,
            body: { errors: [{ code: 'not_found', message: expect.stringContaining('Record not found') }] },
          }
      expect({ route: nameOf(route), ...answer }).toEqual({ route: nameOf(route), ...expected })
    }
  })
})
