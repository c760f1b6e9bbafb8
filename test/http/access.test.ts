/** Tests the role that each endpoint requires and the isolation of vaults. */
import { describe, expect, test } from 'vitest'
import { type Api, createApi } from '../support/api.ts'
import { expectErrors, settled, tracesOf } from '../support/checks.ts'
import { addVault, sharedInstance } from '../support/instance.ts'
import { completeApplication } from '../support/kyb.ts'

const gatehouse = await sharedInstance({ worker: true })
const other = await addVault(gatehouse)
const stranger = other.api
const strangersVault = other.vaultId
const application = await completeApplication(gatehouse.api)
const kyb = application.id
const file = application.files.evidence_of_ubos ?? ''
const identification = (await gatehouse.api.get(`/kyb/${kyb}`)).body.data.identification_id
await settled(gatehouse, kyb)
const before = await tracesOf(gatehouse, kyb)

const deletion = () => ({ blob_key: file, attribute_key: 'evidence_of_ubos' })
const READS: [string, (api: Api) => ReturnType<Api['get']>][] = [
  ['GET /kyb', (api) => api.get('/kyb')],
  ['GET /kyb/{id}', (api) => api.get(`/kyb/${kyb}`)],
  ['GET /kyb/validate/{id}', (api) => api.get(`/kyb/validate/${kyb}`)],
  ['POST /kyb/validate_password/{id}', (api) => api.post(`/kyb/validate_password/${kyb}`, { password: 'x' })],
  ['GET /identifications', (api) => api.get('/identifications')],
  ['GET /identifications/{id}', (api) => api.get(`/identifications/${identification}`)],
  ['GET /users/settings', (api) => api.get('/users/settings')],
  ['GET /webhook_logs', (api) => api.get(`/webhook_logs?vault_id=${gatehouse.vaultId}`)],
]
const CHANGES: [string, (api: Api) => ReturnType<Api['get']>][] = [
  ['POST /kyb', (api) => api.post('/kyb', { external_id: crypto.randomUUID() })],
  ['PATCH /kyb/{id}', (api) => api.patch(`/kyb/${kyb}`, { usage_of_account: { usage: 'Theft' } })],
  ['POST /kyb/upload_file/{id}', (api) => api.upload(kyb, { attribute: 'aml_policies' })],
  ['PUT /kyb/delete_file/{id}', (api) => api.put(`/kyb/delete_file/${kyb}`, deletion())],
  [
    'POST /sandbox/kyb/{id}/simulate_review',
    (api) => api.post(`/sandbox/kyb/${kyb}/simulate_review`, { outcome: 'rejected' }),
  ],
  ['PUT /users/update_webhook', (api) => api.put('/users/update_webhook', { webhook_url: {} })],
]
const unchanged = async () => expect(await tracesOf(gatehouse, kyb)).toEqual(before)

describe('a caller', () => {
  test.each(READS)('can send %s with only api_read', async (_, call) => {
    expect((await call(gatehouse.reader)).status).toBe(200)
    await unchanged()
  })
  test.each(CHANGES)('gets 403 insufficient_role for %s without api_write', async (_, call) => {
    const answer = await call(gatehouse.reader)
    expect(answer.status).toBe(403)
    expectErrors(answer, 'insufficient_role')
    await unchanged()
  })
  test.each([...READS, ...CHANGES])('gets 401 for %s without a token', async (_, call) => {
    const { status, body } = await call(createApi(`${gatehouse.baseUrl}/v1`, ''))
    expect({ status, body }).toEqual({ status: 401, body: { error: expect.any(String) } })
    await unchanged()
  })
  test('gets 403 before the body is parsed', async () => {
    const answer = await gatehouse.reader.send('PATCH', `/kyb/${kyb}`, '{')
    expect(answer.status).toBe(403)
  })
})

describe('a caller of another vault', () => {
  const hidden = new Set(['GET /kyb/{id}', 'GET /identifications/{id}', 'GET /webhook_logs'])
  const notFound = [
    ...READS.filter(([name]) => hidden.has(name)),
    ...CHANGES.filter(([name]) => name.includes('{id}')),
  ]
  test.each(notFound)('gets 404 for %s', async (_, call) => {
    const answer = await call(stranger)
    expect(answer.status).toBe(404)
    expect(answer.body).toEqual({
      errors: [{ code: 'not_found', message: expect.stringContaining('Record not found') }],
    })
    await unchanged()
  })
  test('does not see the resources of the vault in lists', async () => {
    for (const path of ['/kyb', '/identifications']) {
      expect((await stranger.get(path)).body).toMatchObject({ data: [], pagination: { total_count: 0 } })
    }
    expect((await stranger.get('/users/settings')).body.data.id).toBe(strangersVault)
  })
  test('cannot find an application of the vault or validate its password', async () => {
    expect((await stranger.get(`/kyb/validate/${kyb}`)).body).toEqual({ exists: false })
    const { body } = await stranger.post(`/kyb/validate_password/${kyb}`, { password: 'x' })
    expect(body).toEqual({ authenticate: false })
  })
  test('cannot use the ID of a file of the vault', async () => {
    const own = await stranger.createKyb()
    const answer = await stranger.patch(`/kyb/${own}`, {
      business_files: { legal_structures: [{ id: file }] },
    })
    expect(answer.status).toBe(422)
    expectErrors(answer, 'unknown_file')
    expect((await stranger.put(`/kyb/delete_file/${own}`, deletion())).status).toBe(404)
  })
  test('sees the data of the vault as an operator, except on paths that only clients use', async () => {
    const operator = await gatehouse.operator()
    expect((await operator.get(`/kyb/${kyb}/timeline`)).status).toBe(200)
    expect((await operator.get(`/identifications/${identification}/timeline`)).status).toBe(200)
    expect((await operator.get(`/kyb/${identification}/timeline`)).status).toBe(404)
    expect((await operator.get(`/kyb/${kyb}`)).body.data.id).toBe(kyb)
    expect((await operator.get(`/kyb/validate/${kyb}`)).status).toBe(404)
  })
})
