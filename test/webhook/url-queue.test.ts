/** Tests deliveries to URLs that are paused, resumed or filtered, and the additional headers. */
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually, type OwnInstance, startInstance } from '../support/instance.ts'
import { startReceiver, verifies } from '../support/receiver.ts'
import { attemptsOf, readLogs, reconcile } from '../support/webhook.ts'
import { settledLogs, vaultWith } from '../support/webhook-url.ts'

let gatehouse: OwnInstance
let operator: Awaited<ReturnType<OwnInstance['operator']>>
beforeAll(async () => {
  gatehouse = await startInstance()
  await gatehouse.startWorker()
  operator = await gatehouse.operator()
})
afterAll(() => gatehouse.stop())

const orderOf = (received: readonly { attributes: { event_id: string } }[]) =>
  received.map(({ attributes }) => attributes.event_id)
const pause = () => new Promise((resolve) => setTimeout(resolve, 700))

test.concurrent('sends nothing to a paused URL, and everything in order once it is resumed', async () => {
  const receiver = await startReceiver()
  const vault = await vaultWith(gatehouse, receiver.url)
  expect(await vault.change(receiver.url, { paused: true })).toMatchObject({ paused: true })
  const ids = await vault.publish(45)
  await pause()
  expect(receiver.received).toHaveLength(0)
  const pending = (await vault.api.get('/webhook_logs?type=ticket&status=pending&per_page=100')).body
  expect(pending.pagination.total_count).toBe(45)
  expect(pending.data.every(({ status }: { status: string }) => status === 'pending')).toBe(true)
  expect((await vault.api.post(`/webhook_logs/${ids[0]}/retry`)).body.errors[0].code).toBe(
    'delivery_in_progress',
  )

  await vault.change(receiver.url, { paused: false })
  const logs = await settledLogs(gatehouse, ids)
  expect(logs.every(({ status }) => status === 'completed')).toBe(true)
  expect(orderOf(receiver.received)).toEqual(await vault.eventIds())
  // The queue is no longer used.
  const [later] = await vault.publish(1)
  await settledLogs(gatehouse, [String(later)])
  await eventually(async () => {
    const [row] = await gatehouse.db.orm.execute(
      sql`SELECT queued FROM webhook_urls WHERE vault_id = ${vault.vaultId}`,
    )
    expect(row?.queued).toBe(false)
  })
  await receiver.stop()
})

test.concurrent('delivers to other URLs of the event while one is paused, which later gets the same bodies', async () => {
  const [one, other] = [await startReceiver(), await startReceiver()]
  const vault = await vaultWith(gatehouse, one.url, other.url)
  await vault.change(one.url, { paused: true })
  const ids = await vault.publish(10)
  await settledLogs(gatehouse, ids)
  expect([one.received.length, other.received.length]).toEqual([0, 10])
  expect((await vault.api.get('/events')).body.data).toHaveLength(10)
  await vault.change(one.url, { paused: false })
  await eventually(() => expect(one.received).toHaveLength(10))
  expect(orderOf(one.received)).toEqual(await vault.eventIds())
  expect(one.received.map(({ body }) => body).sort()).toEqual(other.received.map(({ body }) => body).sort())
  await one.stop()
  await other.stop()
})

test.concurrent('stops retries when the URL is paused, and continues the attempts when it is resumed', async () => {
  let status = 500
  const receiver = await startReceiver((res) => res.writeHead(status).end())
  const vault = await vaultWith(gatehouse, receiver.url)
  const [id = ''] = await vault.publish(1)
  await eventually(() => expect(receiver.received).toHaveLength(1))
  await vault.change(receiver.url, { paused: true })
  // When the retry is due, the log moves to the queue instead.
  await eventually(async () => {
    const waiting = sql`SELECT FROM webhook_logs WHERE id = ${id} AND status = 'waiting'`
    expect(await gatehouse.db.orm.execute(waiting)).toHaveLength(1)
  })
  const before = receiver.received.length
  await pause()
  expect(receiver.received).toHaveLength(before)
  status = 200
  await vault.change(receiver.url, { paused: false })
  await settledLogs(gatehouse, [id])
  const statusCodes = (await attemptsOf(gatehouse, id)).map(({ statusCode }) => statusCode)
  expect(statusCodes).toEqual([...Array(before).fill(500), 200])
  await receiver.stop()
})

test.concurrent('retries a log of a drained queue like any other log', async () => {
  const receiver = await startReceiver((res, nth) => res.writeHead(nth === 1 ? 500 : 200).end())
  const vault = await vaultWith(gatehouse, receiver.url)
  await vault.change(receiver.url, { paused: true })
  const ids = await vault.publish(3)
  await pause()
  await vault.change(receiver.url, { paused: false })
  const logs = await settledLogs(gatehouse, ids)
  expect(logs.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed'])
  expect(receiver.received).toHaveLength(4)
  await receiver.stop()
})

test.concurrent('sends the additional headers, which are encrypted and never shown', async () => {
  const receiver = await startReceiver()
  const vault = await vaultWith(gatehouse, receiver.url)
  const headers = { Authorization: 'Bearer top-secret', 'X-Tenant': 'tenant-17' }
  const changed = await vault.change(receiver.url, { headers, name: 'Case updates' })
  expect(changed).toMatchObject({ name: 'Case updates', header_names: ['Authorization', 'X-Tenant'] })
  const [id = ''] = await vault.publish(1)
  await settledLogs(gatehouse, [id])
  const [sent] = receiver.received
  expect(sent?.headers).toMatchObject({ authorization: 'Bearer top-secret', 'x-tenant': 'tenant-17' })
  expect(sent && verifies((await vault.api.get('/users/settings')).body.data.webhook_secret, sent)).toBe(true)
  const dump = JSON.stringify(
    await gatehouse.db.orm.execute(sql`SELECT webhook_urls::text FROM webhook_urls`),
  )
  const audit = JSON.stringify((await operator.get(`/audit?per_page=100`)).body)
  for (const secret of ['top-secret', 'tenant-17']) {
    expect(dump).not.toContain(secret)
    expect(audit).not.toContain(secret)
  }
  const tested = await vault.api.post('/users/test_webhook', { url: receiver.url })
  expect(tested.body.data.accepted).toBe(true)
  expect(receiver.received.at(-1)?.headers).toMatchObject({ authorization: 'Bearer top-secret' })

  await vault.change(receiver.url, { headers: { authorization: null } })
  await settledLogs(gatehouse, await vault.publish(1))
  expect(receiver.received.at(-1)?.headers).not.toHaveProperty('authorization')
  expect(receiver.received.at(-1)?.headers).toMatchObject({ 'x-tenant': 'tenant-17' })
  await receiver.stop()
})

test.concurrent('sends a filtered URL only its events, also if deliveries are sent again', async () => {
  const [one, other] = [await startReceiver(), await startReceiver()]
  const vault = await vaultWith(gatehouse, one.url, other.url)
  await vault.change(one.url, { events: ['payout_settled'] })
  const [id = ''] = await vault.publish(1)
  const [log] = await settledLogs(gatehouse, [id])
  expect([log?.status, log?.urlsDestiny]).toEqual(['completed', [other.url]])
  await vault.change(other.url, { events: ['payout_settled'] })
  await vault.publish(1)
  const unwanted = (await vault.api.get('/webhook_logs?type=ticket&status=all')).body.data[0].id as string
  expect(await readLogs(gatehouse, [unwanted])).toMatchObject([{ status: 'completed', urlsDestiny: [] }])
  const again = await vault.api.post(`/webhook_logs/${unwanted}/retry`)
  expect(again.body.errors[0].code).toBe('no_urls_configured')
  await vault.change(other.url, { events: null })
  expect((await vault.api.post(`/webhook_logs/${unwanted}/retry`)).status).toBe(200)
  await settledLogs(gatehouse, [unwanted])
  expect([one.received.length, other.received.length]).toEqual([0, 2])
  await one.stop()
  await other.stop()
})

test.concurrent('deletes the options and ends the waiting deliveries of a removed URL', async () => {
  const receiver = await startReceiver()
  const vault = await vaultWith(gatehouse, receiver.url)
  const id = vault.idOf(receiver.url)
  await vault.change(receiver.url, { paused: true, headers: { 'X-Tenant': '1' } })
  const ids = await vault.publish(2)
  await pause()
  await vault.api.put('/users/update_webhook', { webhook_url: { ticket: [] } })
  expect((await vault.api.get('/webhook_urls')).body.data).toEqual([])
  expect((await vault.api.patch(`/webhook_urls/${id}`, { paused: false })).status).toBe(404)
  await reconcile(gatehouse)
  expect((await settledLogs(gatehouse, ids)).map(({ failReason }) => failReason)).toEqual(
    Array(2).fill('the URL is no longer registered'),
  )
  await vault.api.put('/users/update_webhook', { webhook_url: { account: [receiver.url] } })
  expect((await vault.api.get('/webhook_urls')).body.data).toEqual([
    {
      ...{ id, url: receiver.url, topics: ['account'], name: null, events: null },
      ...{ header_names: [], paused: false, max_per_second: null },
    },
  ])
  await receiver.stop()
})

test.concurrent('a paused URL that gets thousands of events does not delay other vaults', async () => {
  const [one, other] = [await startReceiver(), await startReceiver()]
  const [paused, vault] = [await vaultWith(gatehouse, one.url), await vaultWith(gatehouse, other.url)]
  await paused.change(one.url, { paused: true })
  for (let n = 0; n < 2; n += 1) await paused.publish(500)
  await eventually(async () => {
    const [row] = await gatehouse.db.orm.execute(
      sql`SELECT count(*)::int AS count FROM webhook_logs WHERE status = 'waiting' AND vault_id = ${paused.vaultId}`,
    )
    expect(row?.count).toBe(1_000)
  })
  await settledLogs(gatehouse, await vault.publish(1))
  await paused.change(one.url, { paused: false })
  await eventually(() => expect(one.received).toHaveLength(1_000))
  expect(orderOf(one.received)).toEqual(await paused.eventIds())
  await one.stop()
  await other.stop()
})
