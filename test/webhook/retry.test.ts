/** Tests retries of deliveries and changes to the secret, up to the receiver. */
import { setTimeout as sleep } from 'node:timers/promises'
import { eq, sql } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { webhookAttempts, webhookFailingUrls, webhookLogs, webhookSettings } from '../../drizzle/schema.ts'
import { countFailingUrls, countFailingUrlsByVault } from '../../src/db/webhooks/failing-url.ts'
import { retryWebhookLogs } from '../../src/db/webhooks/retry.ts'
import { verifyWebhook } from '../../src/webhooks/verify-webhook.ts'
import { expectErrors } from '../support/checks.ts'
import { eventually, startInstance } from '../support/instance.ts'
import { type Received, startReceiver, verifies } from '../support/receiver.ts'
import {
  attemptsOf,
  causeEvent,
  deliverTo,
  insertLogs,
  oldBatchId,
  publish,
  readLog,
  reconcile,
  secretOf,
  settledLog,
  startBatch,
} from '../support/webhook.ts'

/** The status that the shared receiver returns. Other receivers always accept. */
let answer = 200
const gatehouse = await startInstance()
await gatehouse.startWorker()
const receiver = await startReceiver((res) => res.writeHead(answer).end())
afterAll(async () => {
  await gatehouse.stop()
  await receiver.stop()
})

describe('retries', () => {
  test('send a partial delivery to the current URLs, and list the attempts of both rounds', async () => {
    const accepting = await startReceiver()
    await deliverTo(gatehouse, receiver.url, accepting.url)
    answer = 500
    const { id, payload } = await causeEvent(gatehouse)
    expect((await settledLog(gatehouse, id)).status).toBe('partial')
    answer = 200
    const other = await startReceiver()
    await deliverTo(gatehouse, receiver.url, other.url)
    expect((await gatehouse.api.post(`/webhook_logs/${id}/retry`)).body.data.status).toBe('pending')
    const log = await settledLog(gatehouse, id)
    expect([log.status, log.retries, log.failReason]).toEqual(['completed', 0, null])
    expect(other.received.map(({ body }) => body)).toEqual([payload])
    expect(accepting.received).toHaveLength(1)
    const { body } = await gatehouse.api.get(`/webhook_logs/${id}/attempts`)
    const attempts = body.data.map((each: Record<string, unknown>) => [
      each.round,
      each.number,
      each.status_code,
    ])
    expect(attempts).toEqual([
      [1, 1, expect.any(Number)],
      [1, 1, expect.any(Number)],
      [2, 1, 200],
      [2, 1, 200],
    ])
    await accepting.stop()
    await other.stop()
  })

  test('start only one round if they are concurrent', async () => {
    // The receiver responds to the second round only after the last request. Until then, no other round can start.
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const slow = await startReceiver(
      (res, nth) => void (nth === 0 ? Promise.resolve() : released).then(() => res.writeHead(200).end()),
    )
    await deliverTo(gatehouse, slow.url)
    const { id } = await causeEvent(gatehouse)
    await settledLog(gatehouse, id)
    await Promise.all(Array.from({ length: 8 }, () => gatehouse.api.post(`/webhook_logs/${id}/retry`)))
    release()
    expect((await settledLog(gatehouse, id)).round).toBe(2)
    // A busy machine may exceed the time limit of the first attempt.
    const first = (await attemptsOf(gatehouse, id)).filter(({ number }) => number === 1)
    expect(first.map(({ round }) => round).sort()).toEqual([1, 2])
    await slow.stop()
  })

  test('are completed by housekeeping if the process stopped after setting them pending', async () => {
    await gatehouse.api.put('/users/update_webhook', { webhook_url: { ticket: [receiver.url] } })
    const log = { topic: 'ticket', name: 'ticket_created', status: 'failed' } as const
    const ids = await insertLogs(gatehouse, gatehouse.vaultId, ...Array.from({ length: 20 }, () => log))
    const now = Math.floor(Date.now() / 1000)
    const range = { topic: 'ticket', status: 'failed', from: now - 60, to: now + 60 } as const
    await retryWebhookLogs(gatehouse.db, gatehouse.vaultId, range, () => {})
    await reconcile(gatehouse)
    const delivered = { status: 'completed', round: 2, failReason: null }
    for (const id of ids) expect(await settledLog(gatehouse, id)).toMatchObject(delivered)
  })
})

describe('a URL that accepts nothing', () => {
  const readFailing = async () => (await gatehouse.api.get('/users/settings')).body.data.failing_webhook_urls
  const fails = async (other: string) => {
    answer = 500
    await deliverTo(gatehouse, receiver.url, other)
    const { id } = await causeEvent(gatehouse)
    expect((await settledLog(gatehouse, id)).status).toBe('partial')
    return id
  }
  const anHourLater = () =>
    gatehouse.db.orm.update(webhookFailingUrls).set({ failingSince: sql`failing_since - interval '1 hour'` })

  test('is listed in the settings after one hour, until it accepts a delivery or is removed', async () => {
    const accepting = await startReceiver()
    const id = await fails(accepting.url)
    const [row] = await gatehouse.db.orm.select().from(webhookFailingUrls)
    expect(await readFailing()).toEqual([])
    await fails(accepting.url)
    expect(await gatehouse.db.orm.select().from(webhookFailingUrls)).toEqual([row])
    await anHourLater()
    const since = Math.floor((row?.failingSince.getTime() ?? 0) / 1000) - 3_600
    expect(await readFailing()).toEqual([
      { topic: 'identification', url: receiver.url, failing_since: since },
    ])

    answer = 200
    await gatehouse.api.post(`/webhook_logs/${id}/retry`, { only_failed: true })
    expect((await settledLog(gatehouse, id)).status).toBe('completed')
    expect(await readFailing()).toEqual([])

    await fails(accepting.url)
    await anHourLater()
    expect(await readFailing()).toHaveLength(1)
    await deliverTo(gatehouse, accepting.url)
    await deliverTo(gatehouse, receiver.url, accepting.url)
    expect(await readFailing()).toEqual([])
    answer = 200
    await accepting.stop()
  })

  test('is not listed if it was removed during the recording, even if it is added again', async () => {
    const { db, vaultId } = gatehouse
    await deliverTo(gatehouse, receiver.url)
    const failingSince = new Date(Date.now() - 7_200_000)
    const gone = { vaultId, topic: 'identification' as const, url: `${receiver.url}/gone`, failingSince }
    await db.orm.insert(webhookFailingUrls).values(gone)
    const nowhere = async () => {
      expect(await readFailing()).toEqual([])
      expect(await countFailingUrls(db)).toBe(0)
      expect(await countFailingUrlsByVault(db, [vaultId])).toEqual(new Map())
    }
    await nowhere()
    await deliverTo(gatehouse, receiver.url, gone.url)
    await nowhere()
    // A registered URL is listed everywhere.
    await db.orm.insert(webhookFailingUrls).values(gone)
    expect(await readFailing()).toMatchObject([{ url: gone.url }])
    expect(await countFailingUrls(db)).toBe(1)
    expect(await countFailingUrlsByVault(db, [vaultId])).toEqual(new Map([[vaultId, 1]]))
    await deliverTo(gatehouse, receiver.url)
  })
})

const testAt = (url: unknown, by = gatehouse.api) => by.post('/users/test_webhook', { url })

describe('a test event', () => {
  const countLogs = async () => (await gatehouse.db.orm.select().from(webhookLogs)).length

  test('is signed and marked, reaches any URL, returns the result, and creates no log', async () => {
    const before = await countLogs()
    const own = await startReceiver((res, nth) => res.writeHead(nth === 0 ? 201 : 500).end('hello'))
    const { status, body } = await testAt(own.url)
    expect([status, body.data]).toEqual([
      200,
      {
        url: own.url,
        accepted: true,
        status_code: 201,
        error: null,
        duration_ms: expect.any(Number),
        excerpt: 'hello',
        payload: JSON.parse(own.received[0]?.body ?? ''),
      },
    ])
    expect(own.received).toMatchObject([
      { event: 'webhook_test', attributes: { event_id: expect.any(String), status: 'test', version: 1 } },
    ])
    expect(verifies(await secretOf(gatehouse), own.received[0] as Received)).toBe(true)
    expect((await testAt(own.url)).body.data).toMatchObject({
      accepted: false,
      status_code: 500,
      error: 'HTTP status 500',
    })
    await own.stop()
    expect((await testAt(own.url)).body.data).toMatchObject({
      accepted: false,
      status_code: null,
      error: 'connection refused',
      excerpt: null,
    })
    expect(await countLogs()).toBe(before)
  })

  test('requires api_write and a URL that can be registered', async () => {
    expect((await testAt(receiver.url, gatehouse.reader)).status).toBe(403)
    expectErrors(await testAt('http://u:p@127.0.0.1'), { code: 'invalid', field: 'url' })
    expectErrors(await testAt(undefined), { code: 'required', field: 'url' })
  })
})

describe('the long retry schedule', () => {
  const HOUR = 3_600_000
  /**
   * Creates a delivery with this number of refused attempts, of which the latest was `agoMs` ago, and
   * continues it.
   */
  async function continueDelivery(attempts: number, agoMs: number, urls = [receiver.url]) {
    const [id = ''] = await insertLogs(gatehouse, gatehouse.vaultId, {
      topic: 'ticket',
      status: 'processing',
    })
    const batchId = oldBatchId()
    await gatehouse.db.orm
      .update(webhookLogs)
      .set({ batchId, urlsDestiny: urls })
      .where(eq(webhookLogs.id, id))
    await gatehouse.db.orm.insert(webhookAttempts).values(
      Array.from({ length: attempts }, (_, n) => ({
        ...{ webhookLogId: id, round: 1, number: n + 1, url: receiver.url, durationMs: 1 },
        ...{ error: 'HTTP status 500', createdAt: new Date(Date.now() - agoMs) },
      })),
    )
    await startBatch(gatehouse, batchId, [id])
    return id
  }
  /** Waits until this number of attempts is recorded. */
  const attempted = (id: string, attempts: number) =>
    eventually(async () => {
      expect(await attemptsOf(gatehouse, id)).toHaveLength(attempts)
      return readLog(gatehouse, id)
    })
  const ask = (long_retries: boolean) =>
    gatehouse.api.put('/users/update_webhook', { webhook_url: { ticket: [receiver.url] }, long_retries })

  test('ends after the fourth attempt if it is not enabled', async () => {
    answer = 500
    await ask(false)
    const log = await attempted(await continueDelivery(3, 60_000), 4)
    expect(log).toMatchObject({ status: 'failed', retries: 3, dueAt: null })
  })

  test('sends attempts at growing intervals of hours with jitter if it is enabled', async () => {
    await ask(true)
    for (const [attempts, hours] of [
      [3, 1],
      [4, 2],
      [7, 16],
    ] as const) {
      const log = await attempted(await continueDelivery(attempts, 20 * HOUR), attempts + 1)
      expect(log).toMatchObject({ status: 'processing', retries: attempts })
      const dueIn = (log.dueAt?.getTime() ?? 0) - Date.now()
      expect(dueIn).toBeGreaterThan(hours * HOUR - 60_000)
      expect(dueIn).toBeLessThan(1.2 * hours * HOUR)
      expect(log.leaseId).toBeNull()
    }
    expect(await attempted(await continueDelivery(8, 20 * HOUR), 9)).toMatchObject({
      status: 'failed',
      dueAt: null,
    })
  })

  test('keeps its next attempt during housekeeping, but not after a manual retry', async () => {
    const id = await continueDelivery(3, 60_000)
    const { batchId } = await attempted(id, 4)
    await reconcile(gatehouse)
    expect(await readLog(gatehouse, id)).toMatchObject({ status: 'processing', batchId })
    answer = 200
    expect((await gatehouse.api.post(`/webhook_logs/${id}/retry`)).status).toBe(200)
    expect(await settledLog(gatehouse, id)).toMatchObject({ status: 'completed', round: 2, dueAt: null })
  })

  test('ends if an attempt is accepted or the setting is disabled', async () => {
    expect(await settledLog(gatehouse, await continueDelivery(6, 20 * HOUR))).toMatchObject({
      status: 'completed',
      retries: 6,
    })
    await ask(false)
    const id = await continueDelivery(6, 1_000)
    expect(await settledLog(gatehouse, id)).toMatchObject({ status: 'failed' })
    expect(await attemptsOf(gatehouse, id)).toHaveLength(6)
  })

  test('sends nothing to a URL that was removed, and ends if no other URL is left', async () => {
    answer = 500
    const other = await startReceiver()
    const change = (urls: readonly string[]) =>
      gatehouse.api.put('/users/update_webhook', {
        webhook_url: { ticket: urls, identification: [] },
        long_retries: true,
      })
    for (const [urls, expected] of [
      [
        [],
        {
          status: 'failed',
          failReason: 'the URL is no longer registered',
          urlsDestiny: [receiver.url],
          dueAt: null,
        },
      ],
      [[other.url], { status: 'failed', urlsDestiny: [receiver.url] }],
      [[receiver.url], { status: 'processing', urlsDestiny: [receiver.url] }],
    ] as const) {
      await change(urls)
      const isKept = expected.status === 'processing'
      const id = await continueDelivery(4, 20 * HOUR)
      const log = isKept ? await attempted(id, 5) : await settledLog(gatehouse, id)
      expect(log).toMatchObject(expected)
      expect(await attemptsOf(gatehouse, id)).toHaveLength(isKept ? 5 : 4)
    }
    const two = await continueDelivery(4, 20 * HOUR, [other.url, receiver.url])
    expect(await attempted(two, 5)).toMatchObject({ status: 'processing', urlsDestiny: [receiver.url] })
    expect(other.received).toEqual([])
    await other.stop()
    await deliverTo(gatehouse, receiver.url)
    answer = 200
  })
})

describe('rotation of the secret', () => {
  const rotate = async (body?: object) =>
    (await gatehouse.api.post('/users/rotate_webhook_secret', body)).body.data
  /** Returns the secrets that the receiver accepts for the next delivery. */
  async function signers(...secrets: string[]): Promise<{ signers: string[]; digests: number }> {
    const { id, payload } = await causeEvent(gatehouse)
    await settledLog(gatehouse, id)
    const { body, signature } = await eventually(() => {
      const found = receiver.received.find((each) => each.body === payload)
      if (!found) throw new Error('the delivery has not come')
      return found
    })
    return {
      signers: secrets.filter((secret) => verifyWebhook(body, signature, secret).ok),
      digests: signature.split('v1=').length - 1,
    }
  }

  test('signs with both secrets during the overlap, newest first, and then only with the new one', async () => {
    await deliverTo(gatehouse, receiver.url)
    const old = await secretOf(gatehouse)
    const before = Date.now() / 1000
    const rotated = await rotate({ overlap_hours: 2 })
    expect(rotated.webhook_secret).toMatch(/^whsec_\w{48}$/)
    expect(rotated.webhook_secret).not.toBe(old)
    expect(rotated.previous_secret_expires_at - before).toBeGreaterThan(2 * 3600 - 5)
    expect(rotated.previous_secret_expires_at - before).toBeLessThan(2 * 3600 + 60)
    expect(await secretOf(gatehouse)).toBe(rotated.webhook_secret)
    const both = [rotated.webhook_secret, old]
    expect(await signers(...both)).toEqual({ signers: both, digests: 2 })

    await gatehouse.db.orm
      .update(webhookSettings)
      .set({ previousSecretExpiresAt: sql`clock_timestamp() - interval '1 second'` })
    expect(await signers(...both)).toEqual({ signers: [rotated.webhook_secret], digests: 1 })
    await reconcile(gatehouse)
    const [row] = await gatehouse.db.orm.select().from(webhookSettings)
    expect([row?.previousSecret, row?.previousSecretExpiresAt]).toEqual([null, null])
  })

  test('drops the oldest secret if the secret is rotated again during an overlap', async () => {
    await deliverTo(gatehouse, receiver.url)
    const oldest = await secretOf(gatehouse)
    const { webhook_secret: middle } = await rotate({ overlap_hours: 24 })
    const { webhook_secret: newest } = await rotate({ overlap_hours: 24 })
    expect(await signers(newest, middle, oldest)).toEqual({ signers: [newest, middle], digests: 2 })
  })

  test('signs waiting deliveries with the secrets that are active when they are sent', async () => {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const holding = await startReceiver((res) => void released.then(() => res.writeHead(200).end()))
    const urls = { webhook_url: { account: [holding.url] } }
    expect((await gatehouse.api.put('/users/update_webhook', urls)).status).toBe(200)
    // This is twice the number of concurrent deliveries to a host.
    await publish(await gatehouse.operator(), gatehouse.vaultId, 'account', 100)
    await eventually(() => expect(holding.received.length).toBeGreaterThanOrEqual(50))
    const { webhook_secret } = await rotate()
    // Secrets are cached for 0.1 seconds.
    await sleep(200)
    const sentBefore = holding.received.length
    release()
    const later = await eventually(() => {
      expect(new Set(holding.received.map(({ attributes }) => attributes.event_id)).size).toBe(100)
      expect(holding.received.length).toBeGreaterThan(sentBefore)
      return holding.received.slice(sentBefore)
    })
    expect(later.every(({ body, signature }) => verifyWebhook(body, signature, webhook_secret).ok)).toBe(true)
    await holding.stop()
  })

  test('stops signing with the old secret immediately if there is no overlap', async () => {
    await deliverTo(gatehouse, receiver.url)
    const old = await secretOf(gatehouse)
    const { webhook_secret, previous_secret_expires_at } = await rotate()
    expect(previous_secret_expires_at).toBeNull()
    expect(await signers(webhook_secret, old)).toEqual({ signers: [webhook_secret], digests: 1 })
  })

  test('signs a test event with both secrets during the overlap, and then with the new one only', async () => {
    const old = await secretOf(gatehouse)
    const { webhook_secret } = await rotate({ overlap_hours: 1 })
    await testAt(receiver.url)
    const sent = receiver.received.at(-1)
    for (const secret of [webhook_secret, old])
      expect(verifyWebhook(sent?.body ?? '', sent?.signature ?? '', secret).ok).toBe(true)
    await rotate({ overlap_hours: 0 })
    await testAt(receiver.url)
    expect(receiver.received.at(-1)?.signature.split('v1=')).toHaveLength(2)
  })

  test.each([-1, 169, 1.5, '24'])(
    'returns 422 for an overlap of %j hours and changes nothing',
    async (overlap_hours) => {
      const before = await secretOf(gatehouse)
      const { status } = await gatehouse.api.post('/users/rotate_webhook_secret', { overlap_hours })
      expect(status).toBe(422)
      expect(await secretOf(gatehouse)).toBe(before)
    },
  )
  test('requires api_write', async () => {
    expect((await gatehouse.reader.post('/users/rotate_webhook_secret', {})).status).toBe(403)
  })
})
