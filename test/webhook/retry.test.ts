/** Deliveries that are sent once more, and secrets that change, up to the receiver. */
import { sql } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { webhookSettings } from '../../drizzle/schema.ts'
import { retryWebhookLogs } from '../../src/db/webhook-retry.ts'
import { verifyWebhook } from '../../src/verify-webhook.ts'
import { eventually, startInstance } from '../support/instance.ts'
import { startReceiver } from '../support/receiver.ts'
import {
  attemptsOf,
  causeEvent,
  deliverTo,
  insertLogs,
  reconcile,
  secretOf,
  settledLog,
} from '../support/webhook.ts'

/** Both URLs of a topic answer this; the second URL always accepts. */
let answer = 200
const gatehouse = await startInstance()
await gatehouse.startWorker()
const receiver = await startReceiver((res) => res.writeHead(answer).end())
afterAll(async () => {
  await gatehouse.stop()
  await receiver.stop()
})

describe('retries', () => {
  test('a partial delivery is sent again to the URLs of now; its attempts tell both rounds', async () => {
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
    const told = body.data.map((each: Record<string, unknown>) => [each.round, each.number, each.status_code])
    expect(told).toEqual([
      [1, 1, expect.any(Number)],
      [1, 1, expect.any(Number)],
      [2, 1, 200],
      [2, 1, 200],
    ])
    await accepting.stop()
    await other.stop()
  })

  test('retries that race send one round', async () => {
    // One that answers at once could have the log delivered before the last of them asks.
    const slow = await startReceiver((res) => setTimeout(() => res.writeHead(200).end(), 2_000))
    await deliverTo(gatehouse, slow.url)
    const { id } = await causeEvent(gatehouse)
    await settledLog(gatehouse, id)
    await Promise.all(Array.from({ length: 8 }, () => gatehouse.api.post(`/webhook_logs/${id}/retry`)))
    expect((await settledLog(gatehouse, id)).round).toBe(2)
    expect(await attemptsOf(gatehouse, id)).toHaveLength(2)
    await slow.stop()
  })

  test('what a process set pending before it died is delivered by housekeeping', async () => {
    await gatehouse.api.put('/users/update_webhook', { webhook_url: { ticket: [receiver.url] } })
    const log = { topic: 'ticket', name: 'ticket_created', status: 'failed' } as const
    const ids = await insertLogs(gatehouse, gatehouse.vaultId, ...Array.from({ length: 20 }, () => log))
    const now = Math.floor(Date.now() / 1000)
    const range = { topic: 'ticket', status: 'failed', from: now - 60, to: now + 60 } as const
    await retryWebhookLogs(gatehouse.db, gatehouse.vaultId, range, () => {})
    await reconcile(gatehouse)
    for (const id of ids) expect((await settledLog(gatehouse, id)).status).toBe('completed')
  })
})

describe('rotation of the secret', () => {
  const rotate = async (body?: object) =>
    (await gatehouse.api.post('/users/rotate_webhook_secret', body)).body.data
  /** Which of the secrets the next delivery is signed with, by the receiver's own check. */
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

  test('during the overlap both secrets sign, the newest first; after it the new one alone', async () => {
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

  test('rotating again during an overlap drops the oldest', async () => {
    await deliverTo(gatehouse, receiver.url)
    const oldest = await secretOf(gatehouse)
    const { webhook_secret: middle } = await rotate()
    const { webhook_secret: newest } = await rotate()
    expect(await signers(newest, middle, oldest)).toEqual({ signers: [newest, middle], digests: 2 })
  })

  test('without an overlap the old secret stops at once', async () => {
    await deliverTo(gatehouse, receiver.url)
    const old = await secretOf(gatehouse)
    const { webhook_secret, previous_secret_expires_at } = await rotate({ overlap_hours: 0 })
    expect(previous_secret_expires_at).toBeNull()
    expect(await signers(webhook_secret, old)).toEqual({ signers: [webhook_secret], digests: 1 })
  })

  test.each([-1, 169, 1.5, '24'])(
    'an overlap of %j hours is 422 and changes nothing',
    async (overlap_hours) => {
      const before = await secretOf(gatehouse)
      const { status } = await gatehouse.api.post('/users/rotate_webhook_secret', { overlap_hours })
      expect(status).toBe(422)
      expect(await secretOf(gatehouse)).toBe(before)
    },
  )
  test('needs api_write', async () => {
    expect((await gatehouse.reader.post('/users/rotate_webhook_secret', {})).status).toBe(403)
  })
})
