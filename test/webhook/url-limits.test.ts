/** Tests maximum rates, which all workers observe together, and `Retry-After`. */
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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

/** Returns the maximum number of requests in any second, of which some may arrive late. */
function maxPerSecond(received: readonly { at: number }[]): number {
  const times = received.map(({ at }) => at)
  return Math.max(...times.map((start) => times.filter((at) => at >= start && at < start + 1_000).length))
}

describe('a maximum rate', () => {
  test.concurrent('holds for three workers together, and delays events', async () => {
    const receiver = await startReceiver()
    const vault = await vaultWith(gatehouse, receiver.url)
    await vault.change(receiver.url, { max_per_second: 10 })
    const begunAt = Date.now()
    const ids = await vault.publish(40)
    await settledLogs(gatehouse, ids)
    // A busy machine can delay the first request, but none can arrive too early.
    expect(Math.max(...receiver.received.map(({ at }) => at)) - begunAt).toBeGreaterThan(2_800)
    expect(maxPerSecond(receiver.received)).toBeLessThanOrEqual(15)
    expect(receiver.received).toHaveLength(40)
    await receiver.stop()
  })

  test.concurrent('holds for retries', async () => {
    const receiver = await startReceiver((res) => res.writeHead(500).end())
    const vault = await vaultWith(gatehouse, receiver.url)
    await vault.change(receiver.url, { max_per_second: 4 })
    const ids = await vault.publish(8)
    await settledLogs(gatehouse, ids)
    expect(receiver.received).toHaveLength(32)
    expect(maxPerSecond(receiver.received)).toBeLessThanOrEqual(6)
    await receiver.stop()
  })

  test.concurrent('holds while a resumed URL is drained in order', async () => {
    const receiver = await startReceiver()
    const vault = await vaultWith(gatehouse, receiver.url)
    await vault.change(receiver.url, { paused: true, max_per_second: 15 })
    const ids = await vault.publish(45)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    await vault.change(receiver.url, { paused: false })
    await settledLogs(gatehouse, ids)
    expect(receiver.received.map(({ attributes }) => attributes.event_id)).toEqual(await vault.eventIds())
    expect(maxPerSecond(receiver.received)).toBeLessThanOrEqual(22)
    await receiver.stop()
  })

  test.concurrent('does not delay other URLs of the same event', async () => {
    const [slow, other] = [await startReceiver(), await startReceiver()]
    const vault = await vaultWith(gatehouse, slow.url, other.url)
    await vault.change(slow.url, { max_per_second: 1 })
    await vault.publish(6)
    await eventually(() => expect([other, slow].map(({ received }) => received.length)).toEqual([6, 6]))
    expect(other.received.at(-1)?.at).toBeLessThan(slow.received.at(-1)?.at ?? 0)
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
})

describe('Retry-After', () => {
  /** Refuses the first request with this header, and returns the time between the first two requests. */
  async function gapAfter(status: number, retryAfter: () => string): Promise<number> {
    const receiver = await startReceiver((res, nth) =>
      nth === 0 ? res.writeHead(status, { 'Retry-After': retryAfter() }).end() : res.writeHead(200).end(),
    )
    const vault = await vaultWith(gatehouse, receiver.url)
    const [id = ''] = await vault.publish(1)
    const [log] = await settledLogs(gatehouse, [id])
    expect([log?.status, log?.retries]).toEqual(['completed', 1])
    expect(await attemptsOf(gatehouse, id)).toHaveLength(2)
    await receiver.stop()
    const [first, second] = receiver.received
    return (second?.at ?? 0) - (first?.at ?? 0)
  }
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toUTCString()

  test.concurrent.each([
    ['seconds with 429', 429, () => '16', 15_400],
    ['seconds with 503', 503, () => '16', 15_400],
    ['a date', 429, () => inSeconds(17), 15_900],
    ['a huge number, which ends with the schedule', 429, () => '1000000000', 28_400],
  ])('moves the next attempt: %s', async (_name, status, header, minimum) => {
    expect(await gapAfter(status, header)).toBeGreaterThan(minimum)
  })
  test.concurrent.each([
    ['1e9', 429],
    ['-30', 429],
    ['garbage', 503],
    ['2', 429],
    ['60', 500],
  ])('does not move it: %s with %d', async (header, status) => {
    const gap = await gapAfter(status, () => header)
    expect(gap).toBeGreaterThan(9_400)
    // The schedule, to which a later time is limited, ends after 30 s.
    expect(gap).toBeLessThan(28_000)
  })
})
