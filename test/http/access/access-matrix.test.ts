/** Tests each caller on each route of the APIs and each page of the console. */
import { eq } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { operatorGrants } from '../../../drizzle/schema.ts'
import { readSigningKeys } from '../../../src/db/access/signing-key.ts'
import { createTokens } from '../../../src/use-cases/credentials/tokens.ts'
import {
  isOfDeployment,
  nameOf,
  neededFor,
  OPERATOR_ROLES,
  PERMITTED,
  type Row,
  SEAT_PERMITTED,
  SEAT_ROLES,
} from '../../support/access-rules.ts'
import { PDF } from '../../support/api.ts'
import { openConsole } from '../../support/console.ts'
import { addVault, sharedInstance, unique } from '../../support/instance.ts'
import { baseOf, createKey, PASSWORD, signedIn, signIn } from '../../support/people.ts'
import { consoleRoutes, mountedRoutes } from '../../support/routes.ts'

const gatehouse = await sharedInstance({ worker: true })
const { api, baseUrl, vaultId, credentials } = gatehouse
const other = await addVault(gatehouse)
const admin = await gatehouse.operator()

const ROWS: readonly Row[] = [
  ...mountedRoutes(gatehouse.app).map(({ audience, ...route }) => ({ surface: audience, ...route })),
  ...consoleRoutes(gatehouse.app).map((route) => ({ surface: 'console' as const, ...route })),
]
const GUARDED = ROWS.filter((row) => {
  const needed = neededFor(row)
  return !needed.includes('public') && !(row.surface === 'console' && needed.includes('self'))
})

const SURFACES = [...new Set(GUARDED.map(({ surface }) => surface))]

type Browser = Awaited<ReturnType<typeof openConsole>>

interface Caller {
  readonly name: string
  /** The API that accepts the credentials. Operators can also use the console. */
  readonly audience: 'client' | 'operator' | null
  readonly token: string
  readonly browser: Browser | null
  readonly permissions: readonly string[]
}

/** The resources of the first vault, by the part of a path before their ID. */
const kyb = await api.createKyb()
const identification: string = (await api.get(`/kyb/${kyb}`)).body.data.identification_id
const RESOURCES: Readonly<Record<string, string>> = {
  kyb,
  identifications: identification,
  accounts: (await api.get(`/identifications/${identification}`)).body.data.account_id,
  files: (await api.upload(kyb, { attribute: 'aml_policies' })).body.id,
  cases: (
    await admin.post(`/identifications/${identification}/cases`, {
      owner: 'operator_operations',
      reason: 'suspected_fraud',
    })
  ).body.data.id,
  api_keys: (await createKey(gatehouse, { roles: ['api_read'] })).id,
  vaults: vaultId,
}

const client = async (...roles: string[]) =>
  (await signedIn(gatehouse, 'client', { vaults: [{ id: vaultId, roles }] })).token

const keyWith = async (...roles: string[]) => (await createKey(gatehouse, { roles })).key

/** Returns a token that is valid except for its age of two hours. */
async function expiredToken(audience: 'client' | 'operator'): Promise<string> {
  const keys = await readSigningKeys(gatehouse.db, 30)
  const password = { client: credentials.user_password, operator: credentials.operator_password }[audience]
  const email = { client: credentials.user_email, operator: credentials.operator_email }[audience]
  const { user, vaults = [] } = (await signIn(gatehouse, audience, { email, password })).body.data
  const tokens = createTokens(
    async () => keys,
    'sandbox',
    () => Date.now() - 7_200_000,
  )
  return (await tokens.sign(audience, { userId: user.id, version: 0, vaults })).token
}

const apiCaller = (name: string, token: string, ...permissions: string[]): Caller => ({
  name,
  audience: permissions.length > 0 ? 'client' : null,
  token,
  browser: null,
  permissions,
})

async function operatorCaller(role: keyof typeof PERMITTED, vault: string | null): Promise<Caller> {
  const { email, token } = await signedIn(gatehouse, 'operator', {
    operator_grants: [{ role, vault_id: vault }],
  })
  const browser = await openConsole(baseUrl, { email, password: PASSWORD })
  const permitted = PERMITTED[role].filter((each) => vault === null || !isOfDeployment(each))
  const where = { [vaultId]: ' of the vault', [other.vaultId]: ' of another vault' }[vault ?? ''] ?? ''
  return { name: role + where, audience: 'operator', token, browser, permissions: [...permitted, 'self'] }
}

const operatorsOf = (vault: string | null) =>
  Promise.all(OPERATOR_ROLES.map((role) => operatorCaller(role, vault)))

/** A vault's own user, who uses only the console. */
async function seatCaller(role: keyof typeof SEAT_PERMITTED, vault: string): Promise<Caller> {
  const { email } = await signedIn(gatehouse, 'client', { vaults: [{ id: vault, roles: [role] }] })
  const browser = await openConsole(baseUrl, { email, password: PASSWORD })
  const where = vault === vaultId ? '' : ' of another vault'
  return {
    name: role + where,
    audience: null,
    token: '',
    browser,
    permissions: [...SEAT_PERMITTED[role], 'self'],
  }
}

const seatsOf = (vault: string) => Promise.all(SEAT_ROLES.map((role) => seatCaller(role, vault)))

async function formerOperator(): Promise<Caller> {
  const { id, email, token } = await signedIn(gatehouse, 'operator', { operator_roles: ['operator_review'] })
  const browser = await openConsole(baseUrl, { email, password: PASSWORD })
  await gatehouse.db.orm.delete(operatorGrants).where(eq(operatorGrants.userId, id))
  return { name: 'operator without roles', audience: 'operator', token, browser, permissions: ['self'] }
}

interface Sent {
  readonly id: (name: string) => string
  readonly body?: string | FormData | undefined
  /** Whether a form of the console has the token of the session. Without it, the form has no effect. */
  readonly hasToken?: boolean
}

/** Returns the status and the JSON body. */
async function send({ surface, method, path }: Row, caller: Caller, { id, body, hasToken }: Sent) {
  const address = path.replaceAll(/:(\w+)/g, (_, name) => id(name))
  if (surface === 'console') {
    const token = hasToken ? [] : ([['_csrf', 'of another session']] as const)
    const { browser } = caller
    const init = { method, redirect: 'manual', headers: { Origin: baseUrl } } as const
    const answer = await (browser
      ? method === 'GET'
        ? browser.get(address)
        : browser.post(address, token)
      : fetch(baseUrl + address, init))
    return { status: answer.status, body: null }
  }
  const response = await fetch(baseOf(gatehouse, surface) + address, {
    method,
    headers: {
      ...(caller.token && { Authorization: caller.token }),
      ...(typeof body === 'string' && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  })
  const text = await response.text()
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json')
  return { status: response.status, body: isJson ? JSON.parse(text) : null }
}

/** The statuses that the APIs and the console return to a caller without credentials, or without permission. */
function refusalOf({ surface, method, path }: Row, caller: Caller): number {
  const isKnown = surface === 'console' ? caller.browser !== null : caller.audience === surface
  if (surface !== 'console') return isKnown ? 403 : 401
  // Leads to the settings.
  if (
    path === '/console/' &&
    isKnown &&
    ['read_settings', 'read_own'].some((each) => caller.permissions.includes(each))
  )
    return 303
  const hasSession = isKnown && caller.permissions.length > 1
  return hasSession ? 404 : method === 'GET' ? 303 : 401
}

const may = (row: Row, caller: Caller): boolean =>
  (row.surface === 'console' ? caller.browser !== null : caller.audience === row.surface) &&
  neededFor(row).every((permission) => caller.permissions.includes(permission))

const kindIn = ({ path }: Row): string | undefined =>
  Object.keys(RESOURCES).findLast((kind) => path.includes(`/${kind}/:`))

/** Returns the ID of a resource of the first vault for a parameter of the path, or else an unknown one. */
const resourceIn =
  (row: Row) =>
  (name: string): string =>
    name.startsWith('vault') ? vaultId : (name === 'id' && RESOURCES[kindIn(row) ?? '']) || unique()

const isRefusal = (status: number): boolean => status === 401 || status === 403

const callers: Caller[] = []
beforeAll(async () => {
  callers.push(
    apiCaller('no credentials', ''),
    apiCaller('malformed credentials', 'Bearer abc'),
    apiCaller('unknown key', `gk_test_${'x'.repeat(40)}`),
    apiCaller('expired client', await expiredToken('client')),
    apiCaller('expired operator', await expiredToken('operator')),
    apiCaller('key', credentials.api_key, 'api_read', 'api_write'),
    apiCaller('reading key', await keyWith('api_read'), 'api_read'),
    apiCaller('writing key', await keyWith('api_write'), 'api_write'),
    apiCaller('user', await client('api_read', 'api_write'), 'api_read', 'api_write', 'self'),
    apiCaller('reading user', await client('api_read'), 'api_read', 'self'),
    apiCaller('writing user', await client('api_write'), 'api_write', 'self'),
    await formerOperator(),
    ...(await operatorsOf(null)),
    ...(await operatorsOf(vaultId)),
    ...(await seatsOf(vaultId)),
  )
})

test('finds the routes', () => {
  const names = ROWS.map(nameOf)
  expect(new Set(names).size).toBe(names.length)
  expect(GUARDED.length).toBeGreaterThan(150)
  expect(names).toEqual(
    expect.arrayContaining([
      'client: PATCH /kyb/:id',
      'operator: DELETE /api_keys/:id',
      'console: GET /console/',
      'console: POST /console/kyb/:id/decision',
      'console: POST /console/settings/groups/group',
    ]),
  )
})

test.each(SURFACES)(
  'each caller can use the %s routes of its permissions, and no others',
  async (surface) => {
    // The console ignores tokens, and the APIs ignore sessions of browsers.
    const keyOf = ({ browser, token }: Caller) => (surface === 'console' ? browser : token)
    for (const caller of new Map(callers.toReversed().map((each) => [keyOf(each), each])).values()) {
      for (const row of GUARDED.filter((each) => each.surface === surface)) {
        const { status, body } = await send(row, caller, { id: unique })
        const seen = { route: nameOf(row), caller: caller.name }
        const refusal = refusalOf(row, caller)
        expect(status, JSON.stringify(seen)).toBeLessThan(500)
        if (!may(row, caller)) expect({ ...seen, status }).toEqual({ ...seen, status: refusal })
        else if (row.surface !== 'console')
          expect({ ...seen, status, isRefused: isRefusal(status) }).toEqual({
            ...seen,
            status,
            isRefused: false,
          })
        // A page about a resource that does not exist also returns 404.
        else if (!row.path.includes(':'))
          expect({
            ...seen,
            isOpen: status !== 404 && isRefusal(status) === (row.method === 'POST'),
          }).toEqual({
            ...seen,
            isOpen: true,
          })
        if (may(row, caller) || row.surface === 'console') continue
        const expected =
          refusal === 401
            ? { error: expect.any(String) }
            : { errors: [{ code: 'insufficient_role', message: expect.any(String) }] }
        expect({ ...seen, body }).toEqual({ ...seen, body: expected })
      }
    }
  },
)

const DECISION = { outcome: 'approved', reason_code: 'complete' }
const TEMPLATE = { language: 'en', title: 'x', text: 'x' }
const PAYMENT = { amount: '10.00', currency: 'EUR' }
const BLOCK = { reason: 'suspected_fraud', notes: 'x' }
/** Valid bodies. Without one, a request is refused before its resource is looked up. */
const BODIES: Readonly<Record<string, object>> = {
  'client: POST /sandbox/accounts/:id/simulate_incoming_fiat': PAYMENT,
  'client: POST /sandbox/accounts/:id/simulate_incoming_crypto': { amount: '1', currency: 'BTC' },
  'client: POST /sandbox/accounts/:id/simulate_card_payment': PAYMENT,
  'client: PUT /kyb/delete_file/:id': { blob_key: unique(), attribute_key: 'aml_policies' },
  'client: POST /kyb/validate_password/:id': { password: 'x' },
  'client: POST /webhook_urls/:id/resend': { since: 0 },
  'client: POST /kyb/:id/replies': { path: 'application', reply: 'x' },
  'client: POST /identifications/:id/block': BLOCK,
  'client: POST /vaults/:vault_id/identifications/:id/block': BLOCK,
  'client: POST /sandbox/kyb/:id/simulate_review': { outcome: 'approved' },
  'client: POST /sandbox/identifications/:id/simulate': { outcome: 'approved' },
  'operator: POST /kyb/:id/decision': DECISION,
  'operator: POST /identifications/:id/decision': DECISION,
  'operator: POST /kyb/:id/profile': {},
  'operator: POST /identifications/:id/profile': {},
  'operator: POST /kyb/:id/decision/confirm': { reason_code: 'complete' },
  'operator: POST /identifications/:id/decision/confirm': { reason_code: 'complete' },
  'operator: POST /kyb/:id/notes': { text: 'x' },
  'operator: POST /identifications/:id/notes': { text: 'x' },
  'operator: POST /identifications/:id/cases': { owner: 'operator_operations', reason: 'suspected_fraud' },
  'operator: POST /vaults/:id/api_keys': { roles: ['api_read'] },
  'operator: POST /vaults/:id/comment_templates': TEMPLATE,
  'operator: PUT /vaults/:id/comment_templates/:template_id': TEMPLATE,
  'operator: PATCH /vaults/:id': { name: 'x' },
  'operator: PUT /vaults/:id/profile/draft': {
    document: { company: { rows: [] }, beneficiary: { rows: [] }, person: { rows: [] } },
  },
}

const UPLOADS = ['client: POST /kyb/upload_file/:id', 'client: POST /identifications/:id/files']

function upload(): FormData {
  const form = new FormData()
  form.append('attribute', 'aml_policies')
  form.append('file', PDF, 'file.pdf')
  return form
}

const bodyOf = (row: Row): string | FormData | undefined => {
  if (UPLOADS.includes(nameOf(row))) return upload()
  const body = BODIES[nameOf(row)]
  return body && JSON.stringify(body)
}

/** Routes that report a missing resource without 404. */
const REPORTED: Readonly<Record<string, object>> = {
  'client: GET /kyb/validate/:id': { exists: false },
  'client: POST /kyb/validate_password/:id': { authenticate: false },
}

describe('resources of another vault', () => {
  test('are not found, with any permission in the caller’s own vault', async () => {
    const strangers = [
      apiCaller('stranger', other.credentials.api_key, 'api_read', 'api_write'),
      ...(await operatorsOf(other.vaultId)),
      ...(await seatsOf(other.vaultId)),
    ]
    for (const caller of strangers) {
      const rows = GUARDED.filter((row) => may(row, caller) && row.path.includes(':'))
      expect(rows.length).toBeGreaterThan(2)
      for (const row of rows) {
        const kind = kindIn(row)
        // Redirects to a page that returns 404.
        const isRedirect = row.surface === 'console' && row.method === 'GET' && row.path.endsWith('/preview')
        const isNamed = row.surface === 'client' || row.path.includes('/:vault')
        if ((!isNamed && kind === undefined) || isRedirect) continue
        const id = resourceIn(row)
        const { status, body } = await send(row, caller, { id, body: bodyOf(row), hasToken: true })
        const seen = { route: nameOf(row), caller: caller.name }
        const reported = REPORTED[nameOf(row)]
        const expected = reported ? 200 : 404
        expect({ ...seen, status }).toEqual({ ...seen, status: expected })
        if (reported) expect(body).toEqual(reported)
        else if (body) expect(body.errors).toMatchObject([{ code: 'not_found' }])
      }
    }
  })
})

test('malformed IDs are refused with 400 on each route', async () => {
  const senders = [
    apiCaller('key', credentials.api_key, 'api_read', 'api_write'),
    ...(await operatorsOf(null)),
  ]
  for (const row of GUARDED.filter(({ surface, path }) => surface !== 'console' && path.includes('/:id'))) {
    const caller = senders.find((each) => may(row, each))
    if (!caller) continue
    const { status, body } = await send(row, caller, { id: () => 'abc', body: bodyOf(row) })
    const code = body?.errors.find(({ field }: { field: string }) => field === 'id')?.code
    expect([nameOf(row), status, code]).toEqual([nameOf(row), 400, 'malformed_request'])
  }
})

test('IDs in upper case lead to the same resource on each route and page', async () => {
  const found = new Set<string>()
  const readers = [
    apiCaller('key', credentials.api_key, 'api_read', 'api_write'),
    ...(await operatorsOf(null)),
    ...(await seatsOf(vaultId)),
  ]
  for (const row of GUARDED.filter(({ method, path }) => method === 'GET' && path.includes(':'))) {
    const caller = readers.find((each) => may(row, each))
    if (!caller) continue
    const inLower = resourceIn(row)
    const { status } = await send(row, caller, { id: inLower })
    const upper = await send(row, caller, { id: (name) => inLower(name).toUpperCase() })
    expect([nameOf(row), upper.status]).toEqual([nameOf(row), status])
    if (status < 400) found.add(nameOf(row))
  }
  expect(found.size).toBeGreaterThan(30)
})
