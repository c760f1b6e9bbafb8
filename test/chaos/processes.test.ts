/**
 * Tests that a worker and PostgreSQL continue after hanging for longer than a lease. `npm run chaos` extends
 * the pause to one minute.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isUnfinished } from '../../src/domain/webhook/events.ts'
import { DEADLINE_MS } from '../../src/temporal/gateway.ts'
import type { Api } from '../support/api.ts'
import { eventually, type OwnInstance, startInstance } from '../support/instance.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { type StoppablePostgres, startStoppablePostgres } from '../support/stopped-postgres.ts'
import { attemptsOf, publish, readLogs } from '../support/webhook.ts'

const IS_FULL = process.env.CHAOS === 'full'
const STOPPED_MS = IS_FULL ? 60_000 : 20_000
const EVENTS = 30

describe('two workers', () => {
  let postgres: StoppablePostgres
  let gatehouse: OwnInstance
  let operator: Api
  let pids: number[]
  beforeAll(async () => {
    postgres = await startStoppablePostgres()
    gatehouse = await startInstance({ databaseUrl: postgres.url, deadlineMs: DEADLINE_MS })
    operator = await gatehouse.operator()
    const workers = await Promise.all([1, 2].map(() => gatehouse.spawnWorker()))
    pids = workers.map(({ pid }) => pid ?? 0)
    // A new worker does not take over existing work.
    await sleep(12_000)
  })
  afterAll(async () => {
    await gatehouse.stop()
    await postgres.stop()
  })

  /** Publishes events in small batches, so that both workers get some. Returns when the receiver has them all. */
  async function begin(receiver: Receiver): Promise<string[]> {
    await gatehouse.api.put('/users/update_webhook', { webhook_url: { ticket: [receiver.url] } })
    const batches = Array.from({ length: EVENTS / 3 }, () =>
      publish(operator, gatehouse.vaultId, 'ticket', 3),
    )
    const ids = (await Promise.all(batches)).flat()
    await eventually(() => expect(receiver.received.length).toBeGreaterThanOrEqual(EVENTS))
    return ids
  }
  const ended = (ids: readonly string[]) =>
    eventually(async () => {
      const logs = await readLogs(gatehouse, ids)
      expect(logs.filter(({ status }) => isUnfinished(status))).toEqual([])
      return logs
    })
  const timesOf = (receiver: Receiver) => {
    const times = new Map<string, number>()
    for (const { attributes } of receiver.received)
      times.set(attributes.event_id, (times.get(attributes.event_id) ?? 0) + 1)
    return [...times.values()]
  }

  test('record the responses that arrived while PostgreSQL hung, and send nothing again', async () => {
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const receiver = await startReceiver((res) => void released.then(() => res.writeHead(200).end()))
    const ids = await begin(receiver)
    postgres.pause()
    release()
    await sleep(STOPPED_MS)
    postgres.continue()
    const logs = await ended(ids)
    expect(logs.map(({ status }) => status)).toEqual(Array(EVENTS).fill('completed'))
    // On a busy machine, the time limit of a first attempt may have passed before the pause.
    const attempts = receiver.received.map(
      ({ headers, attributes }) => `${attributes.event_id} ${headers['gatehouse-attempt']}`,
    )
    expect(attempts).toEqual([...new Set(attempts)])
    await receiver.stop()
  })

  test('leave the remaining attempts of a hanging worker to the other one, even after it resumes', async () => {
    // One minute is enough for all four attempts.
    const [answer, status, numbers] = IS_FULL ? [503, 'failed', [1, 2, 3, 4]] : [200, 'completed', [1]]
    const receiver = await startReceiver((res) => setTimeout(() => res.writeHead(answer).end(), 2_000))
    const ids = await begin(receiver)
    const [stopped = 0] = pids
    process.kill(stopped, 'SIGSTOP')
    await sleep(STOPPED_MS)
    process.kill(stopped, 'SIGCONT')
    const logs = await ended(ids)
    expect(logs.map((log) => log.status)).toEqual(Array(EVENTS).fill(status))
    const posts = receiver.received.length
    for (const id of ids)
      expect((await attemptsOf(gatehouse, id)).map(({ number }) => number)).toEqual(numbers)
    // The attempt in progress at the pause is repeated, because its outcome is unknown.
    expect(Math.max(...timesOf(receiver))).toBeLessThanOrEqual(numbers.length + 1)
    await sleep(IS_FULL ? 11_000 : 3_000)
    expect(receiver.received).toHaveLength(posts)
    await receiver.stop()
  })
})
