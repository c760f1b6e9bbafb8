/** Tests the webhook deliveries of an application or identification that operators can read. */
import { sql } from 'drizzle-orm'
import { afterAll, expect, test } from 'vitest'
import { indexWebhookLogs } from '../../../src/db/webhooks/housekeeping.ts'
import { createImported, logEvents } from '../../support/identification.ts'
import { addVault, eventually, sharedInstance, unique } from '../../support/instance.ts'
import { completeApplication } from '../../support/kyb.ts'
import { startReceiver } from '../../support/receiver.ts'

const gatehouse = await sharedInstance({ worker: true })
const { api, db } = gatehouse
const operator = await gatehouse.operator()
const receiver = await startReceiver((res) => res.writeHead(200).end('taken'))
await logEvents(gatehouse, receiver.url)
afterAll(() => receiver.stop())

interface Delivery {
  readonly id: string
  readonly event: string
  readonly status: string
  readonly payload: { readonly data: { readonly event: string } }
  readonly attempts: readonly object[]
}
const deliveriesOf = async (path: string): Promise<Delivery[]> => {
  const { status, body } = await operator.get(`${path}/deliveries`)
  expect(status).toBe(200)
  return body.data
}
const namesOf = (deliveries: readonly Delivery[]) => deliveries.map(({ payload }) => payload.data.event)

test('returns deliveries in any state with their attempts, newest first', async () => {
  const id = await createImported(api)
  await createImported(api)
  const path = `/identifications/${id}`
  await api.post(`${path}/block`, { reason: 'deceased' })
  const expected = ['account_locked', 'identification_blocked', 'account_created', 'identification_created']
  await eventually(async () => {
    const deliveries = await deliveriesOf(path)
    expect(deliveries.map(({ status }) => status)).toEqual(Array(4).fill('completed'))
  })
  const deliveries = await deliveriesOf(path)
  expect(new Set(namesOf(deliveries))).toEqual(new Set(expected))
  const ids = deliveries.map((each) => each.id)
  expect(ids).toEqual([...ids].sort().reverse())
  for (const { attempts } of deliveries)
    expect(attempts).toEqual([
      expect.objectContaining({ round: 1, number: 1, url: receiver.url, status_code: 200, excerpt: 'taken' }),
    ])
  // The result does not depend on the state of the search index.
  await db.orm.execute(sql`UPDATE webhook_logs SET indexed = false`)
  expect((await deliveriesOf(path)).map((each) => each.id)).toEqual(ids)
  await indexWebhookLogs(db)
  expect((await deliveriesOf(path)).map((each) => each.id)).toEqual(ids)
  const { body } = await operator.get(`${path}/deliveries?per_page=3&page=2`)
  expect(body.pagination).toEqual({ current_page: 2, per_page: 3, total_pages: 2, total_count: 4 })
  expect(body.data.map((each: Delivery) => each.id)).toEqual(ids.slice(3))
})

test('returns an application’s own deliveries, and includes them in its identification’s deliveries', async () => {
  const { id } = await completeApplication(api)
  const { identification_id } = (await api.get(`/kyb/${id}`)).body.data
  expect(namesOf(await deliveriesOf(`/kyb/${id}`))).toEqual(['kyb_completed'])
  expect(namesOf(await deliveriesOf(`/identifications/${identification_id}`))).toEqual(
    expect.arrayContaining(['kyb_completed', 'identification_created', 'account_created']),
  )
})

test('omits deliveries of other vaults, and returns 404 for an unknown ID and 400 for a malformed ID or page', async () => {
  const other = await addVault(gatehouse)
  const id = await createImported(other.api)
  const payload = JSON.stringify({ data: { event: 'x', attributes: { identification_uuid: id } } })
  await db.orm.execute(sql`INSERT INTO webhook_logs (id, vault_id, topic, payload, urls_destiny, status)
    VALUES (${unique()}, ${gatehouse.vaultId}, 'account', ${payload}, '{}', 'completed')`)
  expect(namesOf(await deliveriesOf(`/identifications/${id}`))).not.toContain('x')
  for (const path of ['kyb', 'identifications']) {
    expect((await operator.get(`/${path}/${unique()}/deliveries`)).status).toBe(404)
    expect((await operator.get(`/${path}/x/deliveries`)).status).toBe(400)
    expect((await operator.get(`/${path}/${unique()}/deliveries?page=x`)).status).toBe(400)
  }
})

test('sends a delivery again, and records the operator', async () => {
  const id = await createImported(api)
  const path = `/identifications/${id}`
  await eventually(async () =>
    expect((await deliveriesOf(path)).map(({ status }) => status)).toEqual(['completed', 'completed']),
  )
  const [delivery] = await deliveriesOf(path)
  const retry = `${path}/deliveries/${delivery?.id}/retry`
  expect(await operator.post(retry, { only_failed: true })).toMatchObject({
    status: 422,
    body: { errors: [{ code: 'no_failed_urls' }] },
  })
  expect((await operator.post(retry, {})).status).toBe(200)
  await eventually(async () => expect((await deliveriesOf(path))[0]?.attempts).toHaveLength(2))
  const { body } = await operator.get(`${path}/timeline`)
  expect(body.data.map(({ action }: { action: string }) => action)).toContain('delivery_retried')
  const elsewhere = `/identifications/${await createImported(api)}/deliveries/${delivery?.id}/retry`
  expect((await operator.post(elsewhere, {})).status).toBe(404)
})
