/** Tests that retries are on time although a worker gathers deliveries before it starts their workflow. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { SPACING_MS } from '../../src/domain/webhook/delivery-schedule.ts'
import { startInstance } from '../support/instance.ts'
import { startReceiver } from '../support/receiver.ts'
import { publish, readLogs, settledLog } from '../support/webhook.ts'

const IS_FULL = process.env.CHAOS === 'full'
const EVENTS = IS_FULL ? 150 : 40
const PAUSE_MS = 200
/** An attempt may wait one second for others of its group, and two more seconds on a busy machine. */
const MAX_LATE_MS = 3_000

const gatehouse = await startInstance()
const arrivals = new Map<string, number[]>()
/** Refuses the first two attempts of each event. */
const receiver = await startReceiver((res) => {
  const { attributes, at } = receiver.received.at(-1) ?? { attributes: {}, at: 0 }
  const times = arrivals.get(attributes.event_id) ?? []
  arrivals.set(attributes.event_id, [...times, at])
  res.writeHead(times.length < 2 ? 500 : 200).end()
})
afterAll(async () => {
  await gatehouse.stop()
  await receiver.stop()
})

test('starts only a few workflows, each before the first retry is due, and retries each delivery after ten seconds', async () => {
  const { api, temporal, vaultId } = gatehouse
  await api.put('/users/update_webhook', { webhook_url: { ticket: [receiver.url] } })
  await gatehouse.spawnWorker()
  const operator = await gatehouse.operator()
  const ids: string[] = []
  const publishedAt = new Map<string, number>()
  const began = performance.now()
  while (ids.length < EVENTS) {
    const at = Date.now()
    const [id = ''] = await publish(operator, vaultId, 'ticket', 1)
    ids.push(id)
    publishedAt.set(id, at)
    await sleep(PAUSE_MS)
  }
  const publishedMs = performance.now() - began
  for (const id of ids)
    expect(await settledLog(gatehouse, id)).toMatchObject({ status: 'completed', retries: 2 })

  const gaps = [...arrivals.values()].flatMap((times) => times.slice(1).map((at, n) => at - (times[n] ?? 0)))
  expect(gaps).toHaveLength(2 * EVENTS)
  const batches = new Map<string, number>()
  for (const { id, batchId, payload } of await readLogs(gatehouse, ids)) {
    const times = arrivals.get(JSON.parse(payload).data.attributes.event_id) ?? []
    const [first = 0] = times
    // A busy machine can delay each request, but none can arrive too early.
    for (const [n, at] of times.entries())
      expect(at - (publishedAt.get(id) ?? 0)).toBeGreaterThanOrEqual(n * (SPACING_MS - 100))
    batches.set(batchId ?? '', Math.min(first, batches.get(batchId ?? '') ?? first))
  }
  const margins = await Promise.all(
    [...batches].map(async ([batchId, first]) => {
      const { startTime } = await temporal.workflow.getHandle(`webhook-deliveries-${batchId}`).describe()
      return first + SPACING_MS - startTime.getTime()
    }),
  )
  console.log(
    `${batches.size} workflows in ${Math.round(publishedMs)} ms; the least margin was ${Math.round(Math.min(...margins))} ms, the longest pause ${Math.max(...gaps)} ms`,
  )
  expect(batches.size).toBeLessThanOrEqual(Math.ceil(publishedMs / 5_000) + 1)
  if (!IS_FULL) return
  expect(Math.min(...margins)).toBeGreaterThan(0)
  expect(Math.max(...gaps)).toBeLessThan(SPACING_MS + MAX_LATE_MS)
})
