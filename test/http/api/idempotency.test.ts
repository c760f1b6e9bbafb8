/** Tests `Idempotency-Key`: a repeated request has one effect and one response. */
import { describe, expect, test } from 'vitest'
import { idempotencyKeys, identifications, kybApplications } from '../../../drizzle/schema.ts'
import { deleteOldIdempotencyKeys } from '../../../src/db/access/idempotency-key.ts'
import { state as stateOf } from '../../../workflows/messages.ts'
import { type Api, type ApiResponse, createApi } from '../../support/api.ts'
import { expectErrors } from '../../support/checks.ts'
import { addVault, eventually, sharedInstance, startInstance, unique } from '../../support/instance.ts'
import { PASSWORD, signedIn, signIn } from '../../support/people.ts'

const gatehouse = await sharedInstance({ worker: true })
const { api } = gatehouse

const post = (path: string, body: unknown, key: string, by: Api = api): Promise<ApiResponse> =>
  by.send('POST', path, body, { 'Idempotency-Key': key })
const isReplay = ({ headers }: ApiResponse) => headers.get('Idempotent-Replayed') === 'true'
const keys = () => gatehouse.db.orm.$count(idempotencyKeys)
const applications = () => gatehouse.db.orm.$count(kybApplications)

const importOne = async () => {
  const { body } = await api.post('/identifications/import_identity', { external_uuid: unique() })
  return body.data.id as string
}

describe('repeated requests', () => {
  test('create once, and return the same response with the generated password', async () => {
    const before = await applications()
    const key = unique()
    const body = { external_id: unique() }
    const first = await post('/kyb', body, key)
    const second = await post('/kyb', body, key)
    expect(first.status).toBe(201)
    expect(isReplay(first)).toBe(false)
    expect({ status: second.status, body: second.body }).toEqual({ status: 201, body: first.body })
    expect(isReplay(second)).toBe(true)
    expect(second.body.generated_password).toMatch(/^\w{20}$/)
    expect(await applications()).toBe(before + 1)
  })
  test('may have their fields in a different order', async () => {
    const key = unique()
    const external_id = unique()
    const first = await post('/kyb', { external_id, internal: true }, key)
    expect((await post('/kyb', { internal: true, external_id }, key)).body).toEqual(first.body)
  })
  test('are refused if the body differs, even after a refusal', async () => {
    const key = unique()
    const external_id = unique()
    expect((await post('/kyb', { external_id }, key)).status).toBe(201)
    const other = await post('/kyb', { external_id: unique() }, key)
    expect(other.status).toBe(422)
    expectErrors(other, 'idempotency_key_reused')
    const taken = unique()
    expect((await post('/kyb', { external_id }, taken)).status).toBe(422)
    expectErrors(await post('/kyb', { external_id: unique() }, taken), 'idempotency_key_reused')
  })
  test('return a stored refusal, but leave the key unused if the request was invalid', async () => {
    const [key, external_id] = [unique(), unique()]
    await api.post('/kyb', { external_id })
    expectErrors(await post('/kyb', { external_id }, key), 'external_id_taken')
    const again = await post('/kyb', { external_id }, key)
    expectErrors(again, 'external_id_taken')
    expect(isReplay(again)).toBe(true)
    const other = unique()
    expect((await post('/kyb', { external_id: 7 }, other)).status).toBe(422)
    expect((await post('/kyb', { external_id: unique() }, other)).status).toBe(201)
  })
  test('leave the key unused for any body if the refusal is not stored', async () => {
    const own = await addVault(gatehouse)
    const operator = await gatehouse.operator()
    const enable = (value: boolean) => operator.patch(`/vaults/${own.vaultId}`, { import_enabled: value })
    const path = '/identifications/import_identity'
    const [key, external_uuid] = [unique(), unique()]
    await enable(false)
    expectErrors(await post(path, { external_uuid: unique() }, key, own.api), 'import_not_enabled')
    expectErrors(await post(path, { external_uuid }, key, own.api), 'import_not_enabled')
    await enable(true)
    const { status, body } = await post(path, { external_uuid }, key, own.api)
    expect([status, body.data.external_uuid]).toEqual([201, external_uuid])
    expectErrors(await post(path, { external_uuid: unique() }, key, own.api), 'idempotency_key_reused')
  })
  test('return the same link and password for a hosted verification', async () => {
    const key = unique()
    const body = { type: 'kyb', external_uuid: unique() }
    const first = await post('/identifications/create_identify_process', body, key)
    const again = await post('/identifications/create_identify_process', body, key)
    expect(again.body).toEqual(first.body)
    expect((await fetch(first.body.data.url.replace(/^.*(?=\/verify)/, gatehouse.baseUrl))).status).toBe(200)
  })
  test('create an operator’s resource or event once, and show its secrets again', async () => {
    const operator = await gatehouse.operator()
    const requests: [string, object][] = [
      ['/vaults', { name: 'Another' }],
      [`/vaults/${gatehouse.vaultId}/api_keys`, { roles: ['api_read'] }],
      ['/users', { email: `${unique()}@example.com`, operator_roles: ['operator_review'] }],
      ['/events', { vault_id: gatehouse.vaultId, topic: 'ticket', event: 'ticket_created', attributes: {} }],
    ]
    for (const [path, body] of requests) {
      const key = unique()
      const first = await post(path, body, key, operator)
      expect({ path, status: first.status }).toEqual({ path, status: path === '/events' ? 202 : 201 })
      const again = await post(path, body, key, operator)
      expect(again.body).toEqual(first.body)
      expect(isReplay(again)).toBe(true)
    }
  })
  test('return nothing to a user without access to the vault', async () => {
    const { vaultId } = gatehouse
    const other = await addVault(gatehouse)
    const roles = ['api_read', 'api_write']
    const vaults = [
      { id: other.vaultId, roles },
      { id: vaultId, roles },
    ]
    const person = await signedIn(gatehouse, 'client', { vaults })
    const again = async () => {
      const { body } = await signIn(gatehouse, 'client', { email: person.email, password: PASSWORD })
      return createApi(`${gatehouse.baseUrl}/v1`, body.data.access_token)
    }
    const key = unique()
    const body = { external_id: unique() }
    const create = (by: Api) => post(`/kyb?vault_id=${other.vaultId}`, body, key, by)
    const first = await create(person.api)
    expect(first.body.generated_password).toEqual(expect.any(String))
    // Another token with the same rights counts as the same caller.
    expect((await create(await again())).body).toEqual(first.body)
    const operator = await gatehouse.operator()
    await operator.patch(`/users/${person.id}`, { vaults: vaults.slice(1) })
    const refused = await create(await again())
    expectErrors(refused, 'idempotency_key_reused')
    expect(isReplay(refused)).toBe(false)
  })
  test('use a separate key per caller and path', async () => {
    const key = unique()
    const stranger = await addVault(gatehouse)
    const body = { external_id: unique() }
    const mine = await post('/kyb', body, key)
    const theirs = await post('/kyb', body, key, stranger.api)
    expect(theirs.status).toBe(201)
    expect(theirs.body.data.id).not.toBe(mine.body.data.id)
    const import_ = await post('/identifications/import_identity', { external_uuid: unique() }, key)
    expect(import_.status).toBe(201)
  })
})

describe('concurrent requests', () => {
  test('create one application with ten identical responses', async () => {
    const before = await applications()
    const key = unique()
    const body = { external_id: unique() }
    const answers = await Promise.all(Array.from({ length: 10 }, () => post('/kyb', body, key)))
    for (const answer of answers) expect(answer.body).toEqual(answers[0]?.body)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    expect(answers.filter(isReplay)).toHaveLength(9)
    expect(await applications()).toBe(before + 1)
  })
  test('create one identification if the client provides no ID', async () => {
    const before = await gatehouse.db.orm.$count(identifications)
    const key = unique()
    const send = () => post('/identifications/create_identify_process', { type: 'kyc' }, key)
    const answers = await Promise.all(Array.from({ length: 5 }, send))
    expect(new Set(answers.map(({ body }) => body.data.url)).size).toBe(1)
    expect(await gatehouse.db.orm.$count(identifications)).toBe(before + 1)
  })
  test('return 409 with Retry-After while the first request is in progress', async () => {
    const key = unique()
    const id = await importOne()
    await post(`/identifications/${id}/block`, { reason: 'client_request' }, key)
    await gatehouse.db.orm
      .update(idempotencyKeys)
      .set({ response: null, leaseExpiresAt: new Date(Date.now() + 55_000) })
    const answer = await post(`/identifications/${id}/block`, { reason: 'client_request' }, key)
    expect(answer.status).toBe(409)
    expectErrors(answer, 'idempotency_key_in_progress')
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0)
    await gatehouse.db.orm.delete(idempotencyKeys)
  })
})

describe('keys', () => {
  test.each(['', 'a b', 'é', 'x'.repeat(256), 'a,b c'])('return 400 for %j', async (key) => {
    const answer = await post('/kyb', { external_id: unique() }, key)
    expect(answer.status).toBe(400)
    expectErrors(answer, { code: 'malformed_request', field: 'Idempotency-Key' })
  })
  test('can have 255 characters', async () => {
    expect((await post('/kyb', { external_id: unique() }, '!'.repeat(255))).status).toBe(201)
  })
  test('are stored only if the request has one', async () => {
    const before = await keys()
    await api.post('/kyb', { external_id: unique() })
    await importOne()
    expect(await keys()).toBe(before)
  })
  test('are ignored for sign-in and password validation', async () => {
    const before = await keys()
    const { user_email: email, user_password: password } = gatehouse.credentials
    const nobody = createApi(`${gatehouse.baseUrl}/v1`, '')
    expect((await post('/sign_in', { email, password }, unique(), nobody)).status).toBe(200)
    const kyb = await api.createKyb()
    const key = unique()
    for (const word of ['a', 'b']) {
      const { body } = await post(`/kyb/validate_password/${kyb}`, { password: word }, key)
      expect(body).toEqual({ authenticate: false })
    }
    expect(await keys()).toBe(before)
  })
  test('are encrypted in storage, and deleted after one day', async () => {
    const key = unique()
    const body = { external_id: unique() }
    const { generated_password } = (await post('/kyb', body, key)).body
    const rows = await gatehouse.db.orm.select().from(idempotencyKeys)
    const kept = rows.map((row) => `${row.scope} ${row.response}`).join()
    for (const secret of [generated_password, body.external_id, key]) expect(kept).not.toContain(secret)
    await gatehouse.db.orm.update(idempotencyKeys).set({ createdAt: new Date(Date.now() - 86_400_001) })
    expectErrors(await post('/kyb', body, key), 'external_id_taken')
    // The instance's own housekeeping may already have deleted them.
    await deleteOldIdempotencyKeys(gatehouse.db)
    expect(await keys()).toBe(1)
  })
})

test('frees the key after a 503, so that a retry takes effect', async () => {
  const idle = await startInstance({ deadlineMs: 2_000 })
  try {
    const { body } = await idle.api.post('/identifications/import_identity', { external_uuid: unique() })
    const key = unique()
    const block = () =>
      post(`/identifications/${body.data.id}/block`, { reason: 'client_request' }, key, idle.api)
    expect((await block()).status).toBe(503)
    await idle.startWorker()
    // The test concerns the key, not the start of the worker, so it waits for the workflow.
    const handle = idle.temporal.workflow.getHandle(`identification-${body.data.id}`)
    await eventually(() => handle.query(stateOf))
    // On a busy machine, a retry may also exceed the deadline.
    const answer = await eventually(async () => {
      const retried = await block()
      expect(retried.status).toBe(200)
      return retried
    })
    expect(isReplay(answer)).toBe(false)
    expect(isReplay(await block())).toBe(true)
  } finally {
    await idle.stop()
  }
})
