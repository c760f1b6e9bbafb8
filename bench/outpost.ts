/**
 * Command: `npm run bench:outpost -- --binaries <folder>`. Compares the deliveries of Gatehouse and Outpost, which run
 * in turn after a warm-up. The folder contains `outpost` and `outpost-server`. Requires `redis-server` and
 * `rabbitmq-server` at their default ports. Both systems use the same PostgreSQL server.
 */
import { execFileSync, spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { freePort } from '../dev/launcher/ports.ts'
import { startTemporaryInstance } from '../dev/temporary-instance.ts'
import { deliverTo, send, urlOf, waitForEvents } from './deliveries.ts'
import { signInToApi } from './instance.ts'
import { middle } from './middle.ts'
import { ask, cpuSeconds, pidOf, startScript } from './process.ts'
import type { Published, PublisherOptions } from './publisher.ts'
import { repeat } from './repeat.ts'
import { startTable } from './table.ts'

const { values } = parseArgs({
  options: { binaries: { type: 'string' }, only: { type: 'string', default: '' } },
})
const { binaries } = values
if (binaries === undefined) throw new Error('The folder of Outpost is missing. Add `-- --binaries <folder>`.')

/** Longer than the time for which either system gathers log rows or deliveries. */
const SETTLE_MS = 11_000
const PATIENCE_MS = 120_000
const KEY = 'bench'

const SCENARIOS = [
  { name: '5 events per second', publishers: 5, pace: 5, events: 100, urls: 1 },
  { name: '50 events per second', publishers: 50, pace: 50, events: 500, urls: 1 },
  { name: '1 publisher', publishers: 1, pace: null, events: 2_000, urls: 1 },
  { name: '20 publishers', publishers: 20, pace: null, events: 4_000, urls: 1 },
  { name: '100 publishers', publishers: 100, pace: null, events: 4_000, urls: 1 },
  { name: 'five URLs, 100 publishers', publishers: 100, pace: null, events: 2_000, urls: 5 },
] as const
type Scenario = (typeof SCENARIOS)[number]
const WARM_UP: Scenario = SCENARIOS[3]

interface System {
  /** The URL and token with which events are published. */
  readonly publish: Pick<PublisherOptions, 'url' | 'token' | 'system'>
  readonly tenant: string
  readonly pids: readonly number[]
  deliverTo(ports: readonly number[]): Promise<void>
}

const { instance, stop } = await startTemporaryInstance()
const database = postgres(instance.database_url, { max: 1 })
const [publisher] = await startScript('publisher.ts')

async function useGatehouse(): Promise<System> {
  return {
    publish: {
      url: `${instance.operator_base_url}/events`,
      token: await signInToApi(instance),
      system: 'gatehouse',
    },
    tenant: instance.vault_id,
    pids: Object.values(instance.pids).map((pid) => pid ?? 0),
    deliverTo: (ports) => deliverTo(database, instance.vault_id, ports),
  }
}

async function startOutpost(folder: string): Promise<System & { stop(): void }> {
  await database`CREATE DATABASE outpost`
  const databaseUrl = new URL(instance.database_url)
  databaseUrl.pathname = '/outpost'
  databaseUrl.searchParams.set('sslmode', 'disable')
  const port = await freePort()
  const env = {
    ...process.env,
    API_PORT: String(port),
    API_KEY: KEY,
    API_JWT_SECRET: KEY,
    AES_ENCRYPTION_SECRET: KEY.padEnd(32),
    TOPICS: 'ticket',
    POSTGRES_URL: databaseUrl.href,
    RABBITMQ_SERVER_URL: 'amqp://guest:guest@127.0.0.1:5672',
    // The default of each is 1.
    PUBLISH_MAX_CONCURRENCY: '100',
    DELIVERY_MAX_CONCURRENCY: '100',
    LOG_MAX_CONCURRENCY: '100',
    LOG_LEVEL: 'error',
    DISABLE_TELEMETRY: 'true',
  }
  execFileSync(join(folder, 'outpost'), ['migrate', 'apply', '--yes'], { env, stdio: 'ignore' })
  const server = spawn(join(folder, 'outpost-server'), { env, stdio: ['ignore', 'ignore', 'inherit'] })
  process.once('exit', () => server.kill())
  const base = `http://127.0.0.1:${port}/api/v1`
  const token = `Bearer ${KEY}`
  const tenant = crypto.randomUUID()
  while (!(await fetch(`${base}/healthz`).catch(() => null))?.ok) await sleep(100)
  await send('PUT', `${base}/tenants/${tenant}`, token, {})
  const destinations: string[] = []
  return {
    publish: { url: `${base}/publish`, token, system: 'outpost' },
    tenant,
    pids: [server.pid ?? 0, pidOf('redis-server'), pidOf('beam.smp'), instance.pids.postgres ?? 0],
    async deliverTo(ports) {
      for (const id of destinations.splice(0))
        await send('DELETE', `${base}/tenants/${tenant}/destinations/${id}`, token, {})
      for (const port of ports) {
        const body = { type: 'webhook', topics: ['ticket'], config: { url: urlOf(port) } }
        const { id } = await send<{ id: string }>(
          'POST',
          `${base}/tenants/${tenant}/destinations`,
          token,
          body,
        )
        destinations.push(id)
      }
    },
    stop: () => server.kill(),
  }
}

async function run(system: System, { publishers, pace, events, urls }: Scenario) {
  const manners = Array.from({ length: urls }, () => 'accepts').join()
  const [receiver, { ports }] = await startScript<{ ports: number[] }>('receiver.ts', manners)
  await system.deliverTo(ports)
  const cpuOfAll = () => system.pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0)
  const before = cpuOfAll()
  const options: PublisherOptions = { ...system.publish, vaultIds: [system.tenant], events, publishers, pace }
  const published = await ask<Published>(publisher, options)
  const { got, ...received } = await waitForEvents(receiver, events * urls, [...ports.keys()], PATIENCE_MS)
  await sleep(SETTLE_MS)
  receiver.kill()
  return {
    perSecond: (got / (received.last - published.first)) * 1_000,
    lost: events * urls - got,
    p95: middle(received.latencies, 0.95),
    cpuMs: ((cpuOfAll() - before) / got) * 1_000,
  }
}

const gatehouse = await useGatehouse()
const outpost = await startOutpost(binaries)
for (const system of [gatehouse, outpost]) await run(system, WARM_UP)

const table = startTable(
  'Gatehouse and Outpost',
  'Load',
  'Gatehouse per second',
  'Outpost per second',
  'Ratio',
  'Spread',
  'Gatehouse p95 ms',
  'Outpost p95 ms',
  'Gatehouse CPU ms',
  'Outpost CPU ms',
  'Lost',
)
for (const scenario of SCENARIOS.filter(({ name }) => name.includes(values.only))) {
  const { runs, spread, median } = await repeat(
    async () => ({ ours: await run(gatehouse, scenario), theirs: await run(outpost, scenario) }),
    ({ ours, theirs }) =>
      scenario.pace === null ? ours.perSecond / theirs.perSecond : ours.cpuMs / theirs.cpuMs,
  )
  table.row(
    scenario.name,
    median(({ ours }) => ours.perSecond).toFixed(0),
    median(({ theirs }) => theirs.perSecond).toFixed(0),
    median(({ ours, theirs }) => ours.perSecond / theirs.perSecond).toFixed(2),
    spread,
    median(({ ours }) => ours.p95).toFixed(1),
    median(({ theirs }) => theirs.p95).toFixed(1),
    median(({ ours }) => ours.cpuMs).toFixed(2),
    median(({ theirs }) => theirs.cpuMs).toFixed(2),
    String(runs.reduce((sum, { ours, theirs }) => sum + ours.lost + theirs.lost, 0)),
  )
}
table.end()

outpost.stop()
publisher.kill()
await database.end()
await stop()
