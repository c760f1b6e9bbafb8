/** Tests each role on every client route against the table in docs/access.md. */
import { readFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { type Api, type ApiResponse, createApi, PDF } from '../../support/api.ts'
import { createImported, createSoftKyc } from '../../support/identification.ts'
import { addVault, eventually, sharedInstance, unique } from '../../support/instance.ts'
import { createKey, signedIn } from '../../support/people.ts'
import { beginPerson, fillInPerson, openPerson, submitPerson } from '../../support/person-page.ts'
import { documentOf, profilesOf, row } from '../../support/profile.ts'
import { startReceiver } from '../../support/receiver.ts'
import { mountedRoutes } from '../../support/routes.ts'

const gatehouse = await sharedInstance({ worker: true })
const { api, vaultId } = gatehouse

/** Part of every stored text. A write-only response must not contain it. */
const STORED = 'Stored before'

const CALLERS: readonly Api[] = [
  (await createKey(gatehouse, { roles: ['api_read'] })).api,
  (await createKey(gatehouse, { roles: ['api_write'] })).api,
  api,
]
const [reader, writer] = CALLERS as [Api, Api]

const sections = () => ({
  nature_of_business: { legal_company_name: STORED },
  beneficiaries: { beneficiaries_list: [{ email: 'ada@example.com', full_name: STORED }] },
})
const kyb = () => api.createKyb(unique(), sections())
const kybWithFile = async () => {
  const id = await kyb()
  const { body } = await api.upload(id, { attribute: 'aml_policies' }, PDF, `${STORED}.pdf`)
  return { id, fileId: body.id as string }
}
const identification = () => createImported(api, { name: STORED, surname: STORED })
/** Creates an identification whose profile adds a document. */
const personWithProfile = async () => {
  const proof = row('proof_of_address', { section: 'document', type: 'files' })
  await (await profilesOf(gatehouse)).publish(documentOf([], [], [proof]))
  return identification()
}
/** An approved identification, and the ID of one of its photos. */
const verified = (async () => {
  const person = await openPerson(gatehouse.baseUrl, await beginPerson(gatehouse))
  await fillInPerson(person)
  await submitPerson(person)
  await api.post(`/sandbox/identifications/${person.id}/simulate`, { outcome: 'approved' })
  const { body } = await api.get(`/identifications/${person.id}`)
  return { id: person.id, photo: body.data.verified.document.photos[0].id as string }
})()
const account = async () =>
  (await api.get(`/identifications/${await identification()}`)).body.data.account_id as string
const blocked = async () => {
  const id = await identification()
  await api.post(`/identifications/${id}/block`, BLOCK)
  return id
}
const BLOCK = { reason: 'suspected_fraud', notes: STORED }
const payment = (currency: string) => ({ amount: '10', currency })

const receiver = await startReceiver()
afterAll(() => receiver.stop())
await api.put('/users/update_webhook', { webhook_url: { account: [receiver.url] } })
const hook = async () => (await api.get('/webhook_urls')).body.data[0].id as string
/** Creates a completed delivery, and returns its ID. */
const delivery = async () => {
  const id = await identification()
  return eventually(async () => {
    const found = await api.get(`/webhook_logs?type=account&status=completed&search=${id}`)
    expect(found.body.data).toHaveLength(1)
    return found.body.data[0].id as string
  })
}

const person = () => ({
  kind: 'person',
  name: STORED,
  surname: STORED,
  address: STORED,
  city: STORED,
  country: 'GB',
  birthdate: '1985-12-10',
  email: 'ada@example.com',
  document_type: 'PASSPORT',
  document_number: 'X1234567',
})

type Call = (caller: Api) => Promise<ApiResponse>
const on =
  (make: () => Promise<string>, send: (caller: Api, id: string) => Promise<ApiResponse>): Call =>
  async (caller) =>
    send(caller, await make())

const CALLS: Record<string, Call> = {
  'GET /kyb': (caller) => caller.get('/kyb?per_page=3'),
  'POST /kyb': (caller) => caller.post('/kyb', { external_id: unique(), ...sections() }),
  'GET /kyb/{id}': on(kyb, (caller, id) => caller.get(`/kyb/${id}`)),
  'PATCH /kyb/{id}': on(kyb, (caller, id) => caller.patch(`/kyb/${id}`, sections())),
  'POST /kyb/{id}/replies': on(kyb, async (caller, id) => {
    const path = 'nature_of_business.legal_company_name'
    const revision = { outcome: 'revision_requested', fields: [path] }
    await api.post(`/sandbox/kyb/${id}/simulate_review`, revision)
    return caller.post(`/kyb/${id}/replies`, { path, reply: STORED })
  }),
  'POST /kyb/{id}/form_link': on(kyb, (caller, id) =>
    caller.post(`/kyb/${id}/form_link`, { new_password: true }),
  ),
  'GET /kyb/validate/{id}': on(kyb, (caller, id) => caller.get(`/kyb/validate/${id}`)),
  'POST /kyb/validate_password/{id}': on(kyb, (caller, id) =>
    caller.post(`/kyb/validate_password/${id}`, { password: 'x' }),
  ),
  'GET /kyb/{id}/files/{file_id}': async (caller) => {
    const { id, fileId } = await kybWithFile()
    return caller.get(`/kyb/${id}/files/${fileId}`)
  },
  'POST /kyb/upload_file/{id}': on(kyb, (caller, id) => caller.upload(id, { attribute: 'aml_policies' })),
  'POST /identifications/{id}/files': on(personWithProfile, (caller, id) =>
    caller.uploadOfPerson(id, 'additional.proof_of_address'),
  ),
  'PUT /kyb/delete_file/{id}': async (caller) => {
    const { id, fileId } = await kybWithFile()
    return caller.put(`/kyb/delete_file/${id}`, { blob_key: fileId, attribute_key: 'aml_policies' })
  },
  'POST /kyb/{id}/beneficiaries/{external_id}/link': on(kyb, async (caller, id) => {
    const [ada] = (await api.get(`/kyb/${id}`)).body.data.beneficiaries.beneficiaries_list
    return caller.post(`/kyb/${id}/beneficiaries/${ada.external_id}/link`)
  }),
  'POST /identifications/soft_kyc': (caller) => caller.post('/identifications/soft_kyc', person()),
  'POST /identifications/import_identity': (caller) =>
    caller.post('/identifications/import_identity', { ...person(), external_uuid: unique() }),
  'POST /identifications/create_identify_process': (caller) =>
    caller.post('/identifications/create_identify_process', { type: 'kyb', external_uuid: unique() }),
  'GET /identifications': (caller) => caller.get('/identifications?per_page=3'),
  'GET /identifications/{id}': on(identification, (caller, id) => caller.get(`/identifications/${id}`)),
  'GET /identifications/{id}/files/{file_id}': async (caller) => {
    const { id, photo } = await verified
    return caller.get(`/identifications/${id}/files/${photo}`)
  },
  'GET /identifications/{id}/accounts': on(identification, (caller, id) =>
    caller.get(`/identifications/${id}/accounts`),
  ),
  'PUT /identifications/{id}': on(identification, (caller, id) =>
    caller.put(`/identifications/${id}`, { city: STORED }),
  ),
  'PUT /identifications/{id}/close': on(identification, (caller, id) =>
    caller.put(`/identifications/${id}/close`),
  ),
  'POST /identifications/{id}/block': on(identification, (caller, id) =>
    caller.post(`/identifications/${id}/block`, BLOCK),
  ),
  'POST /identifications/{id}/unblock': on(blocked, (caller, id) =>
    caller.post(`/identifications/${id}/unblock`),
  ),
  'POST /vaults/{vault_id}/identifications/{id}/block': on(identification, (caller, id) =>
    caller.post(`/vaults/${vaultId}/identifications/${id}/block`, BLOCK),
  ),
  'POST /vaults/{vault_id}/identifications/{id}/unblock': on(blocked, (caller, id) =>
    caller.post(`/vaults/${vaultId}/identifications/${id}/unblock`),
  ),
  'GET /users/settings': (caller) => caller.get('/users/settings'),
  'PUT /users/update_webhook': (caller) => caller.put('/users/update_webhook', { webhook_url: {} }),
  'POST /users/test_webhook': (caller) => caller.post('/users/test_webhook', { url: receiver.url }),
  'POST /users/rotate_webhook_secret': (caller) =>
    caller.post('/users/rotate_webhook_secret', { overlap_hours: 1 }),
  'GET /profile': (caller) => caller.get('/profile'),
  'GET /events': (caller) => caller.get('/events?limit=3'),
  'GET /webhook_urls': (caller) => caller.get('/webhook_urls'),
  'PATCH /webhook_urls/{id}': on(hook, (caller, id) => caller.patch(`/webhook_urls/${id}`, { name: STORED })),
  'GET /webhook_urls/{id}/resend': on(hook, (caller, id) => caller.get(`/webhook_urls/${id}/resend`)),
  'POST /webhook_urls/{id}/resend': on(hook, (caller, id) =>
    caller.post(`/webhook_urls/${id}/resend`, { since: Math.floor(Date.now() / 1000) }),
  ),
  'POST /webhook_urls/{id}/resend/stop': on(hook, (caller, id) =>
    caller.post(`/webhook_urls/${id}/resend/stop`),
  ),
  'GET /webhook_logs': (caller) => caller.get('/webhook_logs?type=all&status=all&per_page=3'),
  'GET /webhook_logs/{id}/attempts': on(delivery, (caller, id) => caller.get(`/webhook_logs/${id}/attempts`)),
  'POST /webhook_logs/{id}/retry': on(delivery, (caller, id) => caller.post(`/webhook_logs/${id}/retry`)),
  'POST /webhook_logs/retry': (caller) =>
    caller.post('/webhook_logs/retry', { type: 'account', status: 'failed', from: 0, to: 1 }),
  'POST /sandbox/kyb/{id}/simulate_review': on(kyb, (caller, id) =>
    caller.post(`/sandbox/kyb/${id}/simulate_review`, { outcome: 'approved' }),
  ),
  'POST /sandbox/identifications/{id}/simulate': on(
    () => createSoftKyc(api, { name: `manual ${STORED}` }),
    (caller, id) => caller.post(`/sandbox/identifications/${id}/simulate`, { outcome: 'rejected' }),
  ),
  'POST /sandbox/accounts/{id}/simulate_incoming_fiat': on(account, (caller, id) =>
    caller.post(`/sandbox/accounts/${id}/simulate_incoming_fiat`, payment('EUR')),
  ),
  'POST /sandbox/accounts/{id}/simulate_incoming_crypto': on(account, (caller, id) =>
    caller.post(`/sandbox/accounts/${id}/simulate_incoming_crypto`, payment('BTC')),
  ),
  'POST /sandbox/accounts/{id}/simulate_card_payment': on(account, (caller, id) =>
    caller.post(`/sandbox/accounts/${id}/simulate_card_payment`, payment('EUR')),
  ),
}

const document = readFileSync(new URL('../../../docs/access.md', import.meta.url), 'utf8')
/** Maps each route to the cells of its roles. A caller with both roles sees everything. */
const TABLE = new Map(
  [...document.matchAll(/^\| (`(?:GET|POST|PUT|PATCH|DELETE) \/.+) \| (.+) \| (.+) \|$/gm)].flatMap(
    ([, routes = '', ...cells]) =>
      [...routes.matchAll(/`([^`]+)`/g)].map(([, route = '']) => [route, [...cells, 'everything']] as const),
  ),
)

test('has a table row for every route that requires a role in a vault, and no others', () => {
  const routes = mountedRoutes(gatehouse.app)
    .filter(({ audience }) => audience === 'client')
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
    .filter((route) => !/sign_in|change_password|openapi|\/docs|\/users\/otp/.test(route))
  expect([...TABLE.keys()].sort()).toEqual(routes.sort())
  expect(Object.keys(CALLS).sort()).toEqual(routes.sort())
})

test.each(Object.keys(CALLS))('%s responds to each role as documented', async (route) => {
  const cells = TABLE.get(route) ?? []
  for (const [n, cell] of cells.entries()) {
    const answer = await (CALLS[route] as Call)(CALLERS[n] as Api)
    const text = JSON.stringify(answer.body)
    const { data, ...beside } = answer.body
    if (cell === '403') {
      expect(answer).toMatchObject({ status: 403, body: { errors: [{ code: 'insufficient_role' }] } })
      continue
    }
    expect(answer.status, text).toBeLessThan(300)
    if (cell.includes('but `link`')) expect(text).not.toMatch(/\/verify\/|"link"/)
    if (!cell.startsWith('`')) continue
    expect(text).not.toContain(STORED)
    expect(Object.keys({ ...data, ...beside }).sort()).toEqual(
      [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name).sort(),
    )
  }
})

test('renews the link to an existing form only if the caller can also read', async () => {
  for (const type of ['kyb', 'kyc']) {
    const asked = { type, external_uuid: unique() }
    const path = '/identifications/create_identify_process'
    expect((await writer.post(path, asked)).status).toBe(201)
    expect(await writer.post(path, asked)).toMatchObject({
      status: 403,
      body: { errors: [{ code: 'insufficient_role' }] },
    })
    expect((await api.post(path, asked)).status).toBe(201)
  }
})

test('shows each person’s progress to a reader without links', async () => {
  const { body } = await reader.get(`/kyb/${await kyb()}`)
  const [ada] = body.data.beneficiaries.beneficiaries_list
  expect(ada).toMatchObject({ full_name: STORED, verification: 'initiated' })
})

test('applies the role in the vault of the resource, not the role in another vault', async () => {
  const other = await addVault(gatehouse)
  const vaults = [
    { id: vaultId, roles: ['api_read'] },
    { id: other.vaultId, roles: ['api_write'] },
  ]
  const { token } = await signedIn(gatehouse, 'client', { vaults })
  const user = createApi(`${gatehouse.baseUrl}/v1`, token)
  const id = await kyb()
  expect(JSON.stringify((await user.get(`/kyb/${id}`)).body)).not.toContain('/verify/')
  expect((await user.post(`/kyb/${id}/form_link`)).status).toBe(403)
  const closed = await user.put(`/identifications/${await createImported(other.api, { name: STORED })}/close`)
  expect(closed.status).toBe(200)
  expect(closed.body.data).not.toHaveProperty('name')
})
