/** Tests an API that is killed between a request's effect and its response: a retry has no second effect. */
import { once } from 'node:events'
import { and, eq } from 'drizzle-orm'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { freePort } from '../../../dev/launcher/ports.ts'
import {
  accounts,
  commands,
  files,
  holds,
  idempotencyKeys,
  identifications,
  kybApplications,
} from '../../../drizzle/schema.ts'
import { type Api, createApi, PDF } from '../../support/api.ts'
import { expectErrors } from '../../support/checks.ts'
import { createImported, createSoftKyc, statusOf } from '../../support/identification.ts'
import { type Instance, startInstance, unique } from '../../support/instance.ts'

const gatehouse = await startInstance()
await gatehouse.startWorker()
const operator = await gatehouse.operator()
afterAll(() => gatehouse.stop())

type Request = (by: Api, headers: Record<string, string>) => Promise<unknown>

/** Sends the request to an API that exits before it responds. Returns the headers for the retry. */
async function killed(request: Request, audience: 'client' | 'operator' = 'client') {
  const PORT = String(await freePort())
  const server = await gatehouse.spawnWorker('test/support/dying-server.ts', {
    PORT,
    COMPILED: inject('compiled'),
  })
  const headers = { 'Idempotency-Key': unique() }
  const base = `http://127.0.0.1:${PORT}`
  const { operator_email: email, operator_password: password, api_key } = gatehouse.credentials
  const signIn = () => createApi(`${base}/operator/v1`, '').post('/sign_in', { email, password })
  const by =
    audience === 'client'
      ? createApi(`${base}/v1`, api_key)
      : createApi(`${base}/operator/v1`, (await signIn()).body.data.access_token)
  const exited = once(server, 'exit')
  await expect(request(by, headers)).rejects.toThrow('fetch failed')
  await exited
  return headers
}

/** Expires the lease, as if the 30 seconds in which the process could still respond had passed. */
const leaseEnds = () => gatehouse.db.orm.update(idempotencyKeys).set({ leaseExpiresAt: new Date(0) })

function count(...args: Parameters<Instance['db']['orm']['$count']>) {
  return gatehouse.db.orm.$count(...args)
}

describe('a repeated creation', () => {
  test('returns the existing application with its password', async () => {
    const external_id = unique()
    const create: Request = (by, headers) => by.send('POST', '/kyb', { external_id }, headers)
    const headers = await killed(create)
    expect(await count(kybApplications, eq(kybApplications.externalId, external_id))).toBe(1)
    const { status, body } = await gatehouse.api.send('POST', '/kyb', { external_id }, headers)
    expect(status).toBe(201)
    const password = { password: body.generated_password }
    const valid = await gatehouse.api.post(`/kyb/validate_password/${body.data.id}`, password)
    expect(valid.body).toEqual({ authenticate: true })
    expect(await count(kybApplications, eq(kybApplications.externalId, external_id))).toBe(1)
  })
  test('creates no second hosted verification, and returns a valid link', async () => {
    const before = await count(identifications)
    const path = '/identifications/create_identify_process'
    const headers = await killed((by, more) => by.send('POST', path, { type: 'kyc' }, more))
    const { status, body } = await gatehouse.api.send('POST', path, { type: 'kyc' }, headers)
    expect(status).toBe(201)
    const page = await fetch(body.data.url.replace(/^.*(?=\/verify)/, gatehouse.baseUrl))
    expect(page.status).toBe(200)
    expect(await count(identifications)).toBe(before + 1)
  })
})

describe('a repeated command', () => {
  test('blocks an identification only once, and returns the result of the first request', async () => {
    const id = await createImported(gatehouse.api)
    const path = `/identifications/${id}/block`
    const body = { reason: 'client_request' }
    const headers = await killed((by, more) => by.send('POST', path, body, more))
    const early = await gatehouse.api.send('POST', path, body, headers)
    expect(early.status).toBe(409)
    expectErrors(early, 'idempotency_key_in_progress')
    // An unblock in the meantime does not change the response to the first request.
    await gatehouse.api.post(`/identifications/${id}/unblock`)
    await leaseEnds()
    const answer = await gatehouse.api.send('POST', path, body, headers)
    expect({ status: answer.status, became: answer.body.data.status }).toEqual({
      status: 200,
      became: 'blocked',
    })
    expect(await statusOf(gatehouse.api, id)).toBe('approved')
    expect(await count(commands, and(eq(commands.entityId, id), eq(commands.kind, 'block')))).toBe(1)
    expect(await count(holds, eq(holds.identificationId, id))).toBe(1)
  })
  test('applies a sandbox decision or adds an account only once', async () => {
    const id = await createSoftKyc(gatehouse.api)
    const simulate = `/sandbox/identifications/${id}/simulate`
    const rejected = { outcome: 'rejected' }
    const decided = await killed((by, more) => by.send('POST', simulate, rejected, more))
    await leaseEnds()
    const decision = await gatehouse.api.send('POST', simulate, rejected, decided)
    expect(decision.status).toBe(200)
    expect(decision.body.data.status).toBe('rejected')

    const path = `/identifications/${id}/accounts`
    const added = await killed((by, more) => by.send('POST', path, undefined, more), 'operator')
    await leaseEnds()
    const account = await operator.send('POST', path, undefined, added)
    expect(account.status).toBe(201)
    const rows = await gatehouse.db.orm.select().from(accounts).where(eq(accounts.identificationId, id))
    expect(rows).toHaveLength(2)
    expect(rows).toContainEqual(expect.objectContaining(account.body.data))
  })
  test('attaches an uploaded file only once', async () => {
    const id = await gatehouse.api.createKyb()
    const upload = (by: Api, headers: Record<string, string>, file: Blob = PDF) => {
      const form = new FormData()
      form.append('attribute', 'aml_policies')
      form.append('file', file, 'policy.pdf')
      return by.send('POST', `/kyb/upload_file/${id}`, form, headers)
    }
    const headers = await killed(upload)
    await leaseEnds()
    const first = await upload(gatehouse.api, headers)
    expect(first).toMatchObject({ status: 201, body: { name: 'policy.pdf' } })
    const again = await upload(gatehouse.api, headers)
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('Idempotent-Replayed')).toBe('true')
    expectErrors(await upload(gatehouse.api, headers, new Blob(['%PDF-2'])), 'idempotency_key_reused')
    const { usage_of_account } = (await gatehouse.api.get(`/kyb/${id}`)).body.data
    expect(usage_of_account.aml_policies).toEqual([first.body])
    expect(await count(files, eq(files.kybApplicationId, id))).toBe(1)
  })
})
