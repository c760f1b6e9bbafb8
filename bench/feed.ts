/**
 * Command: `npm run bench:feed`. Measures the event feed: how fast a reader catches up, how soon a waiting reader gets a
 * new event, and the processor time of a hundred waiting readers.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { callApi } from '../dev/demo/filled-application.ts'
import { startTemporaryInstance } from '../dev/temporary-instance.ts'
import { send } from './deliveries.ts'
import { liftRateLimits, signInToApi } from './instance.ts'
import { middle } from './middle.ts'
import { cpuSeconds } from './process.ts'
import { startTable } from './table.ts'

const EVENTS = 20_000
const AT_ONCE = 500
const SAMPLES = 50
const READERS = 100
const WAIT_SECONDS = 20

liftRateLimits()
const { instance, stop } = await startTemporaryInstance()
const token = await signInToApi(instance)
const event = {
  vault_id: instance.vault_id,
  topic: 'ticket',
  event: 'ticket_made',
  attributes: { status: 'open' },
}
const publish = (count: number) =>
  send('POST', `${instance.operator_base_url}/events`, token, Array(count).fill(event))

interface Page {
  readonly data: readonly unknown[]
  readonly cursor: string
  readonly has_more: boolean
}
const read = (query: Record<string, string>) =>
  callApi<Page>(instance, 'GET', `/events?${new URLSearchParams(query)}`)

/** Reads to the end, and returns the events per second. */
async function catchUp(): Promise<{ cursor: string; perSecond: number }> {
  const began = performance.now()
  let count = 0
  for (let after = ''; ; ) {
    const page = await read({ limit: '500', ...(after && { after }) })
    count += page.data.length
    after = page.cursor
    if (!page.has_more) return { cursor: after, perSecond: (count * 1_000) / (performance.now() - began) }
  }
}

for (let n = 0; n < EVENTS; n += AT_ONCE) await publish(AT_ONCE)
const first = await catchUp()
const again = await catchUp()

const delays: number[] = []
let after = again.cursor
while (delays.length < SAMPLES) {
  const waiting = read({ after, wait: '30' }).then((page) => ({ page, at: performance.now() }))
  await sleep(50 + Math.random() * 200)
  await publish(1)
  const published = performance.now()
  const { page, at } = await waiting
  delays.push(Math.max(0, at - published))
  after = page.cursor
}

const api = instance.pids.api ?? 0
async function cpuWhile(work: () => Promise<unknown>): Promise<number> {
  const before = cpuSeconds(api)
  await work()
  return ((cpuSeconds(api) - before) / WAIT_SECONDS) * 1_000
}
const idle = await cpuWhile(() => sleep(WAIT_SECONDS * 1_000))
const waiting = await cpuWhile(() =>
  Promise.all(Array.from({ length: READERS }, () => read({ after, wait: String(WAIT_SECONDS) }))),
)

const table = startTable('Event feed', 'Measurement', 'Value')
table.row('first reading, events per second', first.perSecond.toFixed(0))
table.row('reading again, events per second', again.perSecond.toFixed(0))
table.row('delay of a new event, median ms', middle(delays, 0.5).toFixed(0))
table.row('delay of a new event, p95 ms', middle(delays, 0.95).toFixed(0))
table.row('CPU ms per second, no reader', idle.toFixed(1))
table.row('CPU ms per second, 100 waiting', waiting.toFixed(1))
table.end()
await stop()
process.exit()
