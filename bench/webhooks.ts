/**
 * Command: `npm run bench:webhooks`. Compares the throughput of deliveries with a floor in the same run. Only the
 * ratios are comparable between machines.
 */
import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { startTemporaryInstance } from '../dev/temporary-instance.ts'
import { deliverTo, send, urlOf, waitForEvents } from './deliveries.ts'
import { signInToApi } from './instance.ts'
import { middle } from './middle.ts'
import { ask, cpuSeconds, recipeOf, startScript, startService } from './process.ts'
import type { Published, PublisherOptions } from './publisher.ts'
import { repeat } from './repeat.ts'
import { printSizes } from './sizes.ts'
import { startTable } from './table.ts'

const { values } = parseArgs({
  options: { events: { type: 'string', default: '4000' }, only: { type: 'string', default: '' } },
})
const EVENTS = Number(values.events)
/** Exceeds the time for which a worker gathers deliveries, so that the result includes the deliveries' workflows. */
const SETTLE_MS = 7_000
const PATIENCE_MS = 60_000

const { instance, stop } = await startTemporaryInstance()
const database = postgres(instance.database_url, { max: 1 })
const [publisher] = await startScript('publisher.ts')
const [floor] = await startScript('floor.ts')

const token = await signInToApi(instance)
const vaultIds = [instance.vault_id]
while (vaultIds.length < 10) {
  const path = `${instance.operator_base_url}/vaults`
  const { data } = await send<{ data: { id: string } }>('POST', path, token, { name: 'Bench' })
  vaultIds.push(data.id)
}

/** Sets the receivers for each vault's ticket topic, identified by their ports. */
async function deliverToAll(portsOfVaults: readonly (readonly number[])[]): Promise<void> {
  for (const [i, ports] of portsOfVaults.entries()) await deliverTo(database, vaultIds[i] ?? '', ports)
}

interface Scenario {
  readonly name: string
  readonly publishers: number
  readonly pace?: number
  /** The number of receivers for each vault's topic. */
  readonly fanOut?: number
  /** The behaviour of each receiver. Each receiver has its own vault. */
  readonly receivers?: readonly string[]
  readonly events?: number
  readonly workers?: number
  /** The number of deliveries in progress to a host that hangs. */
  readonly hanging?: number
}

/** Includes the workflows that start after the events are gathered. */
const WARM_UP: Scenario = { name: 'warm-up', publishers: 20, events: 2_000 }
const TEN = Array.from({ length: 10 }, () => 'accepts')
const SCENARIOS: Scenario[] = [
  { name: '5 events per second', publishers: 5, pace: 5, events: 100 },
  { name: '50 events per second', publishers: 50, pace: 50, events: 500 },
  { name: '1 publisher', publishers: 1, events: EVENTS / 2 },
  { name: '20 publishers', publishers: 20 },
  { name: '100 publishers', publishers: 100 },
  { name: 'five URLs, 100 publishers', publishers: 100, fanOut: 5, events: EVENTS / 2 },
  { name: '100 publishers, two workers', publishers: 100, workers: 2 },
  { name: 'five URLs, two workers', publishers: 100, fanOut: 5, events: EVENTS / 2, workers: 2 },
  { name: 'five URLs, three workers', publishers: 100, fanOut: 5, events: EVENTS / 2, workers: 3 },
  { name: 'ten receivers', publishers: 20, receivers: TEN },
  { name: 'one of ten fails', publishers: 20, receivers: [...TEN.slice(1), 'fails'] },
  { name: '50 per second while 100 hang', publishers: 50, pace: 50, events: 400, hanging: 100 },
  { name: 'one of ten hangs', publishers: 20, receivers: [...TEN.slice(1), 'hangs'] },
]

/** Starts hanging deliveries in a vault that is not measured. Returns the process of their receiver. */
async function hang(events: number): Promise<ChildProcess> {
  const [receiver, { ports }] = await startScript<{ ports: number[] }>('receiver.ts', 'hangs')
  await deliverToAll([[], ports])
  const url = `${instance.operator_base_url}/events`
  await ask<Published>(publisher, {
    url,
    token,
    vaultIds: vaultIds.slice(1, 2),
    events,
    publishers: 20,
    pace: null,
  })
  return receiver
}

/** Returns how long edits of one application take, in milliseconds. */
async function commands(count: number): Promise<number[]> {
  const { base_url: base, api_key: key } = instance
  const { data } = await send<{ data: { id: string } }>('POST', `${base}/kyb`, key, {
    external_id: crypto.randomUUID(),
  })
  const latencies: number[] = []
  for (let n = 0; n < count; n += 1) {
    const started = performance.now()
    const patch = { nature_of_business: { legal_company_name: `Company ${n}` } }
    await send('PATCH', `${base}/kyb/${data.id}`, key, patch)
    latencies.push(performance.now() - started)
  }
  return latencies
}

async function run(scenario: Scenario) {
  const { name, publishers, pace, fanOut = 1, receivers, events = EVENTS, workers = 1, hanging } = scenario
  const others: Awaited<ReturnType<typeof startService>>[] = []
  while (others.length + 1 < workers) others.push(await startService(recipeOf(instance.pids.worker ?? 0)))
  const manners = receivers ?? Array.from({ length: fanOut }, () => 'accepts')
  const hung = hanging === undefined ? undefined : await hang(hanging)
  const [receiver, { ports }] = await startScript<{ ports: number[] }>('receiver.ts', manners.join(','))
  await deliverToAll(receivers ? ports.map((port) => [port]) : [ports])
  const vaults = receivers ? vaultIds : vaultIds.slice(0, 1)
  const healthy = manners.flatMap((manner, i) => (manner === 'accepts' ? [i] : []))
  const wanted = receivers ? (events / receivers.length) * healthy.length : events * fanOut

  const services = Object.entries(instance.pids).map(([process, pid]) => {
    const own = process === 'worker' ? others.map((other) => other.pid) : []
    return { process, seconds: () => [pid ?? 0, ...own].reduce((sum, each) => sum + cpuSeconds(each), 0) }
  })
  const before = services.map(({ seconds }) => seconds())
  const options: PublisherOptions = {
    url: `${instance.operator_base_url}/events`,
    token,
    vaultIds: vaults,
    events,
    publishers,
    pace: pace ?? null,
  }
  const published = await ask<Published>(publisher, options)
  const { got, ...received } = await waitForEvents(receiver, wanted, healthy, PATIENCE_MS)
  const perSecond = (got / (received.last - published.first)) * 1000
  await sleep(SETTLE_MS)
  const cpu = services.map(({ process, seconds }, i) => {
    const used = ((seconds() - (before[i] ?? 0)) / got) * 1000
    return [process, used] as const
  })
  // Ends the hanging deliveries.
  receiver.kill()
  hung?.kill()
  for (const other of others) await other.stop()
  return { name, perSecond, got, wanted, latencies: received.latencies, accepts: published.latencies, cpu }
}

async function floorPerSecond(concurrency: number): Promise<number> {
  const [receiver, { ports }] = await startScript<{ ports: number[] }>('receiver.ts', 'accepts')
  const { perSecond } = await ask<{ perSecond: number }>(floor, {
    databaseUrl: instance.database_url,
    urls: ports.map(urlOf),
    deliveries: EVENTS,
    concurrency,
  })
  receiver.kill()
  return perSecond
}

const table = startTable(
  'Deliveries',
  'Load',
  'Per second',
  'Spread',
  'Floor per second',
  'Ratio',
  'Lost',
  'Median ms',
  'p95 ms',
  'Accepted ms',
  'api',
  'worker',
  'temporal',
  'postgres',
  'CPU ms',
)

/** Measures the floor and then the deliveries. At a fixed pace, only the CPU time can vary. */
async function measure(scenario: Scenario) {
  const floorRate = scenario.pace === undefined ? await floorPerSecond(scenario.publishers) : null
  const measured = await run(scenario)
  const totalCpu = measured.cpu.reduce((sum, [, used]) => sum + used, 0)
  return { ...measured, floorRate, ratio: floorRate && measured.perSecond / floorRate, totalCpu }
}
type Measured = Awaited<ReturnType<typeof measure>>

function print(name: string, runs: readonly Measured[], spread: string): void {
  const median = (of: (run: Measured) => number) => middle(runs.map(of), 0.5)
  const [first] = runs
  table.row(
    name,
    median(({ perSecond }) => perSecond).toFixed(0),
    spread,
    first?.floorRate ? median(({ floorRate }) => floorRate ?? 0).toFixed(0) : '',
    first?.ratio ? median(({ ratio }) => ratio ?? 0).toFixed(2) : '',
    String(runs.reduce((sum, { wanted, got }) => sum + wanted - got, 0)),
    median(({ latencies }) => middle(latencies, 0.5)).toFixed(1),
    median(({ latencies }) => middle(latencies, 0.95)).toFixed(1),
    median(({ accepts }) => middle(accepts, 0.5)).toFixed(1),
    ...(first?.cpu ?? []).map((_, i) => median(({ cpu }) => cpu[i]?.[1] ?? 0).toFixed(2)),
    median(({ totalCpu }) => totalCpu).toFixed(2),
  )
}

const only = new RegExp(values.only)
const chosen = SCENARIOS.filter(({ name }) => only.test(name))
// Code that has just started is slower, because it is compiled while it runs.
if (chosen[0]) print(`${chosen[0].name}, cold`, [await measure(chosen[0])], '')
await floorPerSecond(WARM_UP.publishers)
await run(WARM_UP)
for (const scenario of chosen) {
  const { runs, spread } = await repeat(
    () => measure(scenario),
    ({ ratio, totalCpu }) => ratio ?? totalCpu,
  )
  print(scenario.name, runs, spread)
}
table.end()

if (values.only === '') {
  const alone = await commands(60)
  const hung = await hang(100)
  const duringHang = await commands(60)
  hung.kill()
  const edits = startTable('Edits of one application', 'Load', 'Median ms')
  edits.row('no deliveries', middle(alone, 0.5).toFixed(1))
  edits.row('100 deliveries that hang', middle(duringHang, 0.5).toFixed(1))
  edits.end()
  await printSizes(database, 'Row sizes of deliveries', ['webhook_logs', 'webhook_attempts'])
}

publisher.kill()
floor.kill()
await database.end()
await stop()
