/** Tests a user of several vaults: access by ID, lists, and the vault whose role applies. */
import { describe, expect, test } from 'vitest'
import type { Api, ApiResponse } from '../../support/api.ts'
import { expectErrors } from '../../support/checks.ts'
import { createImported } from '../../support/identification.ts'
import { addVault, sharedInstance, unique } from '../../support/instance.ts'
import { signedIn } from '../../support/people.ts'
import { documentOf, profilesOf, row } from '../../support/profile.ts'
import { mountedRoutes } from '../../support/routes.ts'

/** The user can read the first vault, read and write the second, and not access the third. */
const kyb: string[] = []
const identification: string[] = []
const account: string[] = []
const vaults: string[] = []
const gatehouse = await sharedInstance({ worker: true })
const apis = [gatehouse.api]
const asked: Parameters<typeof profilesOf>[0][] = [gatehouse]
vaults.push(gatehouse.vaultId)
for (let n = 0; n < 2; n++) {
  const vault = await addVault(gatehouse)
  asked.push(vault)
  apis.push(vault.api)
  vaults.push(vault.vaultId)
}
for (const api of apis) {
  const id = await api.createKyb()
  kyb.push(id)
  const { identification_id } = (await api.get(`/kyb/${id}`)).body.data
  identification.push(identification_id)
  account.push((await api.get(`/identifications/${identification_id}`)).body.data.account_id)
}
const PROOF = row('proof_of_address', { section: 'document', type: 'files' })
const people: string[] = []
for (const [n, vault] of asked.entries()) {
  await (await profilesOf(vault)).publish(documentOf([], [], [PROOF]))
  people.push(await createImported(apis[n] as Api))
}
const [first = '', second = ''] = vaults
const roles = [
  { id: first, roles: ['api_read'] },
  { id: second, roles: ['api_read', 'api_write'] },
]
const user = (await signedIn(gatehouse, 'client', { vaults: roles })).api

test('finds an ID in each vault of the user, and in no other', async () => {
  for (const path of [kyb.map((id) => `/kyb/${id}`), identification.map((id) => `/identifications/${id}`)]) {
    const answers = await Promise.all(path.map((each) => user.get(each)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404])
  }
  const exist = await Promise.all(kyb.map((id) => user.get(`/kyb/validate/${id}`)))
  expect(exist.map(({ body }) => body.exists)).toEqual([true, true, false])
})

test('shows the first vault in lists and settings if no vault is named', async () => {
  const { body } = await user.get('/kyb')
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([kyb[0]])
  expect((await user.get('/users/settings')).body.data.id).toBe(vaults[0])
})

describe('vault_id', () => {
  /** Routes without an ID in the path. The user must not be able to write to the first vault with them. */
  const ASKED: [string, (query: string) => ReturnType<Api['get']>, number][] = [
    ['GET /kyb', (query) => user.get(`/kyb${query}`), 200],
    ['GET /identifications', (query) => user.get(`/identifications${query}`), 200],
    ['GET /users/settings', (query) => user.get(`/users/settings${query}`), 200],
    ['GET /webhook_logs', (query) => user.get(`/webhook_logs${query}`), 200],
    ['POST /kyb', (query) => user.post(`/kyb${query}`, { external_id: unique() }), 201],
    [
      'POST /identifications/soft_kyc',
      (query) => user.post(`/identifications/soft_kyc${query}`, person()),
      201,
    ],
    [
      'POST /identifications/import_identity',
      (query) => user.post(`/identifications/import_identity${query}`, { external_uuid: unique() }),
      201,
    ],
    [
      'POST /identifications/create_identify_process',
      (query) => user.post(`/identifications/create_identify_process${query}`, { type: 'kyb' }),
      201,
    ],
    [
      'PUT /users/update_webhook',
      (query) => user.put(`/users/update_webhook${query}`, { webhook_url: { ticket: [] } }),
      200,
    ],
    ['GET /webhook_urls', (query) => user.get(`/webhook_urls${query}`), 200],
    ['GET /events', (query) => user.get(`/events${query}`), 200],
    ['GET /profile', (query) => user.get(`/profile${query}`), 200],
    ['POST /users/rotate_webhook_secret', (query) => user.post(`/users/rotate_webhook_secret${query}`), 200],
    [
      'POST /users/test_webhook',
      (query) => user.post(`/users/test_webhook${query}`, { url: 'http://127.0.0.1:9/' }),
      200,
    ],
    [
      'POST /webhook_logs/retry',
      (query) =>
        user.post(`/webhook_logs/retry${query}`, { type: 'ticket', status: 'failed', from: 1, to: 2 }),
      // The second vault is selected, but it has no URLs.
      422,
    ],
  ]
  const person = () => ({
    kind: 'person',
    name: 'Ada',
    surname: 'Lovelace',
    address: 'St James’s Square 12',
    city: 'London',
    country: 'GB',
    birthdate: '1985-12-10',
    email: 'ada@example.com',
    document_type: 'PASSPORT',
    document_number: '123456789',
  })

  test.each(ASKED)('selects the vault for %s', async (name, ask, status) => {
    const answer = await ask(`?vault_id=${second}`)
    expect(answer.status).toBe(status)
    expect((await ask(`?vault_id=${vaults[2]}`)).status).toBe(404)
    expect((await ask('?vault_id=abc')).status).toBe(400)
    // Without vault_id, the first vault applies, where the user can only read.
    if (!name.startsWith('GET')) expectErrors(await ask(''), 'insufficient_role')
  })

  test('is accepted by every route without an ID in the path', () => {
    const named = mountedRoutes(gatehouse.app)
      .filter(({ audience, path }) => audience === 'client' && !path.includes(':'))
      .map(({ method, path }) => `${method} ${path}`)
    const own = [
      'POST /sign_in',
      'POST /users/change_password',
      'POST /users/otp',
      'POST /users/otp/confirm',
      'GET /openapi.json',
      'GET /docs',
    ]
    expect(named.filter((route) => !own.includes(route)).sort()).toEqual(ASKED.map(([name]) => name).sort())
  })

  test('limits reads and writes to that vault', async () => {
    const external_id = unique()
    const { body } = await user.post(`/kyb?vault_id=${second}`, { external_id })
    expect((await user.get(`/kyb/${body.data.id}`)).status).toBe(200)
    expect((await apis[1]?.get(`/kyb?external_id=${external_id}`))?.body.data).toHaveLength(1)
    expect((await user.get(`/kyb?external_id=${external_id}`)).body.data).toEqual([])
    expect((await user.get(`/kyb?external_id=${external_id}&vault_id=${second}`)).body.data).toHaveLength(1)
    const url = 'https://receiver.example/second'
    await user.put(`/users/update_webhook?vault_id=${second}`, { webhook_url: { ticket: [url] } })
    const settings = async (query: string) => (await user.get(`/users/settings${query}`)).body.data
    expect(await settings(`?vault_id=${second}`)).toMatchObject({
      id: second,
      webhook_url_list: { ticket: [url] },
    })
    expect(await settings('')).toMatchObject({ id: first, webhook_url_list: {} })
  })

  test('is part of the request that an Idempotency-Key identifies', async () => {
    const headers = { 'Idempotency-Key': unique() }
    const body = { external_id: unique() }
    const twice = [...new Array(2)].map(() => `/kyb?vault_id=${second}`)
    const answers = []
    for (const path of [...twice, '/kyb']) answers.push(await user.send('POST', path, body, headers))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 422])
    expect(answers[1]?.body).toEqual(answers[0]?.body)
    expectErrors(answers[2] as ApiResponse, 'idempotency_key_reused')
  })
})

test('supports a user with 20 vaults with the longest names', async () => {
  const operator = await gatehouse.operator()
  const many = []
  for (let n = 0; n < 20; n += 1) {
    const { data } = (await operator.post('/vaults', { name: '櫛'.repeat(200) })).body
    many.push({ id: data.id, roles: ['api_read', 'api_write'] })
  }
  const { api } = await signedIn(gatehouse, 'client', { vaults: many })
  for (const { id } of many) expect((await api.get(`/users/settings?vault_id=${id}`)).body.data.id).toBe(id)
})

describe('a change', () => {
  const PAYMENT = { amount: '10.00', currency: 'EUR' }
  const CHANGES: [string, (n: number) => ReturnType<Api['get']>][] = [
    ['PATCH /kyb/{id}', (n) => user.patch(`/kyb/${kyb[n]}`, { usage_of_account: { usage: 'Trade' } })],
    ['POST /kyb/upload_file/{id}', (n) => user.upload(kyb[n] ?? '', { attribute: 'aml_policies' })],
    [
      'POST /identifications/{id}/files',
      (n) => user.uploadOfPerson(people[n] ?? '', 'additional.proof_of_address'),
    ],
    [
      'POST /sandbox/accounts/{id}/simulate_incoming_fiat',
      (n) => user.post(`/sandbox/accounts/${account[n]}/simulate_incoming_fiat`, PAYMENT),
    ],
    ['PUT /identifications/{id}', (n) => user.put(`/identifications/${identification[n]}`, { city: 'Bern' })],
    ['PUT /identifications/{id}/close', (n) => user.put(`/identifications/${identification[n]}/close`)],
  ]
  test.each(CHANGES)('requires api_write in the vault of the resource: %s', async (name, change) => {
    const refused = await change(0)
    expect(refused.status).toBe(403)
    expectErrors(refused, 'insufficient_role')
    expect((await change(1)).status).toBe(name.startsWith('POST') ? 201 : 200)
    // A 403 would reveal that the resource exists.
    expect((await change(2)).status).toBe(404)
  })
  test('that creates a resource requires api_write in the first vault', async () => {
    const answer = await user.post('/kyb', { external_id: unique() })
    expect(answer.status).toBe(403)
    expectErrors(answer, 'insufficient_role')
  })
  test('with a vault in its path finds only identifications of that vault', async () => {
    const body = { reason: 'other', notes: 'x' }
    const block = (vault: number, id: number) =>
      user.post(`/vaults/${vaults[vault]}/identifications/${identification[id]}/block`, body)
    expect((await block(0, 0)).status).toBe(403)
    expect((await block(1, 0)).status).toBe(404)
    expect((await block(2, 2)).status).toBe(404)
  })
})
