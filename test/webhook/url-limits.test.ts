/** Tests maximum rates, which all workers observe together, and `Retry-After`. */
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pauseUntilNext, SPACING_MS } from '../../src/domain/webhook/delivery-schedule.ts'
import { eventually, type OwnInstance, startInstance } from '../support/instance.ts'
import { startReceiver } from '../support/receiver.ts'
import { attemptsOf } from '../support/webhook.ts'
import { settledLogs, vaultWith } from '../support/webhook-url.ts'

let gatehouse: OwnInstance
beforeAll(async () => {
  gatehouse = await startInstance()
  await Promise.all([gatehouse.startWorker(), gatehouse.startWorker(), gatehouse.startWorker()])
})
afterAll(() => gatehouse.stop())

/**
 * Expects that at each arrival, the rate since the beginning allows this number of requests. A busy machine can deliver
 * delayed requests together, but none can arrive too early.
 */
function expectNoneTooEarly(received: readonly { at: number }[], begunAt: number, perSecond: number): void {
  const times = received.map(({ at }) => at).sort((a, b) => a - b)
  for (const [n, at] of times.entries())
    expect(at - begunAt).toBeGreaterThanOrEqual(((n - 1) * 1_000) / perSecond - 100)
}

test('a maximum rate does not delay other URLs of the same event', async () => {
  const [slow, other] = [await startReceiver(), await startReceiver()]
  const vault = await vaultWith(gatehouse, slow.url, other.url)
  await vault.change(slow.url, { max_per_second: 1 })
  await vault.publish(100)
  await eventually(() => expect(other.received).toHaveLength(100))
  expect(slow.received.length).toBeLessThan(100)
  await vault.change(slow.url, { max_per_second: null })
  await eventually(async () => {
    const [row] = await gatehouse.db.orm.execute(
      sql`SELECT queued FROM webhook_urls WHERE id = ${vault.idOf(slow.url)}`,
    )
    expect(row?.queued).toBe(false)
  })
  await slow.stop()
  await other.stop()
})

describe.concurrent('a maximum rate', () => {
  test('holds for three workers together, and delays events', async () => {
    const receiver = await startReceiver()
    const vault = await vaultWith(gatehouse, receiver.url)
    await vault.change(receiver.url, { max_per_second: 10 })
    const begunAt = Date.now()
    const ids = await vault.publish(40)
    await settledLogs(gatehouse, ids)
    expect(receiver.received).toHaveLength(40)
    expectNoneTooEarly(receiver.received, begunAt, 10)
    await receiver.stop()
  })

  test('holds for retries', async () => {
    const receiver = await startReceiver((res) => res.writeHead(500).end())
    const vault = await vaultWith(gatehouse, receiver.url)
    await vault.change(receiver.url, { max_per_second: 4 })
    const begunAt = Date.now()
    const ids = await vault.publish(8)
    await settledLogs(gatehouse, ids)
    expect(receiver.received).toHaveLength(32)
    for (const [n, attempt] of ['1', '2', '3', '4'].entries()) {
      const received = receiver.received.filter(({ headers }) => headers['gatehouse-attempt'] === attempt)
      expectNoneTooEarly(received, begunAt + n * 9_900, 4)
    }
    await receiver.stop()
  })

  test('holds while a resumed URL is drained in order', async () => {
    const receiver = await startReceiver()
    const vault = await vaultWith(gatehouse, receiver.url)
    await vault.change(receiver.url, { paused: true, max_per_second: 15 })
    const ids = await vault.publish(45)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const begunAt = Date.now()
    await vault.change(receiver.url, { paused: false })
    await settledLogs(gatehouse, ids)
    expect(receiver.received.map(({ attributes }) => attributes.event_id)).toEqual(await vault.eventIds())
    expectNoneTooEarly(receiver.received, begunAt, 15)
    await receiver.stop()
  })
})

describe.concurrent('Retry-After', () => {
  /** Refuses the first request with this header. Returns its recorded result, and when the second one arrived. */
  async function retryAfterRefusal(status: number, retryAfter: () => string) {
    const receiver = await startReceiver((res, nth) =>
      nth === 0 ? res.writeHead(status, { 'Retry-After': retryAfter() }).end() : res.writeHead(200).end(),
    )
    const vault = await vaultWith(gatehouse, receiver.url)
    const begunAt = Date.now()
    const [id = ''] = await vault.publish(1)
    const [log] = await settledLogs(gatehouse, [id])
    expect([log?.status, log?.retries]).toEqual(['completed', 1])
    const attempts = await attemptsOf(gatehouse, id)
    expect(attempts).toHaveLength(2)
    await receiver.stop()
    // A busy machine can delay each request, but none can arrive too early.
    return { refused: attempts.slice(0, 1), afterMs: (receiver.received[1]?.at ?? 0) - begunAt }
  }
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toUTCString()

  test.each([
    ['seconds with 429', 429, () => '16', 15_400],
    ['seconds with 503', 503, () => '16', 15_400],
    ['a date', 429, () => inSeconds(17), 15_900],
    ['a huge number, which ends with the schedule', 429, () => '1000000000', 28_400],
  ])('moves the next attempt: %s', async (_name, status, header, minimum) => {
    expect((await retryAfterRefusal(status, header)).afterMs).toBeGreaterThan(minimum)
  })
  test.each([
    ['1e9', 429],
    ['-30', 429],
    ['garbage', 503],
    ['2', 429],
    ['60', 500],
  ])('does not move it: %s with %d', async (header, status) => {
    const { refused, afterMs } = await retryAfterRefusal(status, () => header)
    expect(afterMs).toBeGreaterThan(9_900)
    expect(pauseUntilNext(1, SPACING_MS, refused)).toBe(SPACING_MS)
  })
})
