/** Tests that only one of three workers makes each attempt, even if the clock of one is wrong. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LogStatus } from '../../src/domain/webhook/events.ts'
import type { Api } from '../support/api.ts'
import { eventually, type OwnInstance, startInstance } from '../support/instance.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { publish, readLogs } from '../support/webhook.ts'

const A_MINUTE_AHEAD = { NODE_OPTIONS: '--import ./test/support/shifted-clock.mjs', CLOCK_SHIFT_MS: '60000' }

describe('three workers', () => {
  let gatehouse: OwnInstance
  let operator: Api
  beforeAll(async () => {
    gatehouse = await startInstance()
    operator = await gatehouse.operator()
    await Promise.all([{}, {}, A_MINUTE_AHEAD].map((more) => gatehouse.spawnWorker('src/worker.ts', more)))
  })
  afterAll(() => gatehouse.stop())

  test('send one request if the response takes 0.1 or 2 seconds, and four at ten-second intervals if it takes 12', async () => {
    const answering = (ms: number) => startReceiver((res) => setTimeout(() => res.writeHead(200).end(), ms))
    const [quick, slow, late] = await Promise.all([answering(100), answering(2_000), answering(12_000)])
    const receivers = { ticket: quick, account: slow, daily_settlement: late } as const
    const webhook_url = Object.fromEntries(
      Object.entries(receivers).map(([topic, { url }]) => [topic, [url]]),
    )
    await gatehouse.api.put('/users/update_webhook', { webhook_url })
    const ids: string[] = []
    const begunAt = Date.now()
    for (let n = 0; n < 10; n += 1) {
      const of = (topic: string) => publish(operator, gatehouse.vaultId, topic, topic === 'account' ? 10 : 3)
      ids.push(...(await Promise.all(Object.keys(receivers).map(of))).flat())
      await sleep(100)
    }
    await eventually(async () => {
      const unfinished: LogStatus[] = ['pending', 'processing']
      const logs = await readLogs(gatehouse, ids)
      expect(logs.filter(({ status }) => unfinished.includes(status))).toHaveLength(0)
    })
    const times = (receiver: Receiver) => {
      const at = new Map<string, number[]>()
      for (const { attributes, at: when } of receiver.received)
        at.set(attributes.event_id, [...(at.get(attributes.event_id) ?? []), when])
      return [...at.values()]
    }
    const counts = (receiver: Receiver) => times(receiver).map(({ length }) => length)
    expect(counts(quick)).toEqual(Array(30).fill(1))
    expect(counts(slow)).toEqual(Array(100).fill(1))
    expect(counts(late)).toEqual(Array(30).fill(4))
    // A busy machine can delay each request, but none can arrive too early.
    for (const each of times(late))
      for (const [n, at] of each.entries()) expect(at - begunAt).toBeGreaterThanOrEqual(n * 9_900)
    await Promise.all([quick, slow, late].map((receiver) => receiver.stop()))
  })
})
