/** Tests the API without a worker: reads and creations succeed, and commands return 503 and are never applied later. */

import { eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { commands, files, kybApplications } from '../../../drizzle/schema.ts'
import { DEADLINE_MS } from '../../../src/temporal/gateway.ts'
import type { ApiResponse } from '../../support/api.ts'
import { blobFolderOf, blobsIn, expectErrors } from '../../support/checks.ts'
import { isChange } from '../../support/identification.ts'
import { eventually, startInstance, unique } from '../../support/instance.ts'
import { completeSections } from '../../support/kyb.ts'

const gatehouse = await startInstance({ deadlineMs: DEADLINE_MS })
const { api } = gatehouse
const operator = await gatehouse.operator()
afterAll(() => gatehouse.stop())

const commandsOf = (id: string) => gatehouse.db.orm.$count(commands, eq(commands.entityId, id))
const read = async (id: string) => (await api.get(`/kyb/${id}`)).body.data

async function expectUnavailable(request: () => Promise<ApiResponse>): Promise<void> {
  // Without a deadline, the request would never be answered.
  expectRefusal(await request())
}

function expectRefusal(answer: ApiResponse): void {
  expect(answer.status).toBe(503)
  expectErrors(answer, 'service_unavailable')
  expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0)
}

test('creates, reads and lists entities, and changes settings without a worker', async () => {
  const { status, body } = await api.post('/kyb', { external_id: unique(), ...completeSections() })
  expect(status).toBe(201)
  const { id, identification_id } = body.data
  const password = body.generated_password
  expect((await api.get(`/kyb/${id}`)).status).toBe(200)
  expect((await api.get('/kyb')).body.pagination.total_count).toBe(1)
  expect((await api.get(`/kyb/validate/${id}`)).body).toEqual({ exists: true })
  expect((await api.post(`/kyb/validate_password/${id}`, { password })).body).toEqual({ authenticate: true })
  expect((await api.get(`/identifications/${identification_id}`)).body.data.status).toBe('initiated')
  expect((await api.put('/users/update_webhook', { webhook_url: { ticket: [] } })).status).toBe(200)
  expect((await api.get('/users/settings')).status).toBe(200)
  expect((await operator.get(`/kyb/${id}/timeline`)).status).toBe(200)
})

test('refuses commands that the state forbids without a worker', async () => {
  const id = await api.createKyb()
  expect(
    (await operator.post(`/kyb/${id}/decision`, { outcome: 'approved', reason_code: 'complete' })).status,
  ).toBe(422)
  expect((await api.patch(`/kyb/${id}`, { more: 1 })).status).toBe(422)
  expect(
    (await api.put(`/kyb/delete_file/${id}`, { blob_key: unique(), attribute_key: 'aml_policies' })).status,
  ).toBe(404)
  expect((await api.patch(`/kyb/${unique()}`, {})).status).toBe(404)
})

describe('the API without a worker', () => {
  let stopWorker: () => Promise<unknown>
  beforeEach(() => {
    stopWorker = async () => undefined
  })
  afterEach(() => stopWorker())
  const startWorker = async () => {
    const worker = await gatehouse.startWorker()
    stopWorker = worker.stop
  }

  test('returns 503 for a PATCH, never applies it, and accepts it when it is sent again', async () => {
    const id = await api.createKyb()
    const patch = (usage: string) => api.patch(`/kyb/${id}`, { usage_of_account: { usage } })
    await expectUnavailable(() => patch('lost'))
    expect(await commandsOf(id)).toBe(0)
    expect((await read(id)).usage_of_account.usage).toBeNull()

    await startWorker()
    // The worker has processed the first request before it responds to the next. While it starts, it can refuse the
    // next request too.
    await eventually(async () =>
      expect((await api.patch(`/kyb/${id}`, { nature_of_business: { city_address: 'Bonn' } })).status).toBe(
        200,
      ),
    )
    expect(await read(id)).toMatchObject({
      usage_of_account: { usage: null },
      nature_of_business: { city_address: 'Bonn' },
    })
    expect(await commandsOf(id)).toBe(1)
    expect((await patch('sent again')).status).toBe(200)
    expect((await read(id)).usage_of_account.usage).toBe('sent again')
    const { body } = await operator.get(`/kyb/${id}/timeline`)
    expect(body.data.filter(isChange).map(({ action }: { action: string }) => action)).toEqual([
      'created',
      'patch',
      'patch',
    ])
  })

  test('returns 503 for a PATCH that no worker accepted, also if the application is closed in the meantime', async () => {
    const id = await api.createKyb()
    const asked = api.patch(`/kyb/${id}`, {})
    await eventually(async () => expect(await commandsOf(id)).toBe(1))
    await gatehouse.db.orm
      .update(kybApplications)
      .set({ status: 'processed' })
      .where(eq(kybApplications.id, id))
    expectRefusal(await asked)
    expectErrors(await api.patch(`/kyb/${id}`, { more: 1 }), 'kyb_processed')
  })

  test('returns 503 for an upload, leaves no row or blob, and accepts it when it is sent again', async () => {
    const id = await api.createKyb()
    const upload = () => api.upload(id, { attribute: 'aml_policies' })
    const before = blobsIn(blobFolderOf(gatehouse.config))
    await expectUnavailable(upload)
    expect(await commandsOf(id)).toBe(0)
    expect(await gatehouse.db.orm.$count(files, eq(files.kybApplicationId, id))).toBe(0)
    expect(blobsIn(blobFolderOf(gatehouse.config))).toEqual(before)

    await startWorker()
    const { status, body } = await upload()
    expect(status).toBe(201)
    expect((await read(id)).usage_of_account.aml_policies).toEqual([body])
  })

  test('returns 503 for a decision, never applies it, and accepts a different one', async () => {
    const id = await api.createKyb()
    const decide = (outcome: string) =>
      operator.post(`/kyb/${id}/decision`, { outcome, reason_code: 'other', client_comment: 'Once more.' })
    await expectUnavailable(() => decide('rejected'))
    await startWorker()
    expect((await decide('revision_requested')).status).toBe(200)
    expect(await read(id)).toMatchObject({
      status: { processed: false },
      review: { outcome: 'revision_requested' },
    })
    expect(await commandsOf(id)).toBe(1)
  })

  test('returns 503 for 20 concurrent commands, and applies none of them later', async () => {
    const id = await api.createKyb()
    const people = Array.from({ length: 20 }, (_, n) => ({ email: `p${n}@example.com` }))
    const add = (person: object) =>
      api.patch(`/kyb/${id}`, { beneficiaries: { beneficiaries_list: [person] } })
    for (const answer of await Promise.all(people.map(add))) expectRefusal(answer)
    await startWorker()
    expect((await add({ email: 'ada@example.com' })).status).toBe(200)
    expect((await read(id)).beneficiaries.beneficiaries_list).toMatchObject([{ email: 'ada@example.com' }])
    expect(await commandsOf(id)).toBe(1)
  })
})
