/** Collects the Prometheus metrics of a process. Labels are names from the code and contain no IDs or user input. */
import { createServer, type Server } from 'node:http'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Activities } from '../../workflows/activities.ts'
import { type BacklogAges, readBacklogAges } from '../db/commands/backlog-age.ts'
import type { Database, DatabasePool } from '../db/connection/database.ts'
import { readLargestStorage, type StorageUsed } from '../db/files/stored-file.ts'
import { countFailingUrls } from '../db/webhooks/failing-url.ts'
import { RequestRefused } from '../domain/base/errors.ts'
import { ENTITY_KINDS } from '../domain/entity/entity.ts'
import type { LogStatus } from '../domain/webhook/events.ts'
import { listen } from '../process/listen.ts'
import type { Tracing } from '../process/span.ts'
import type { BlobStore } from '../storage/blob-store.ts'
import { StorageUnavailable } from '../storage/byte-store.ts'
import type { Gateway } from '../temporal/gateway.ts'
import { cacheReading, measure, measureOne } from './gauges.ts'

/** The minimum interval between queries, regardless of how often Prometheus scrapes. */
const BACKLOG_INTERVAL_MS = 10_000
/** The interval for storage use, which changes slowly. Its query reads the row of every file. */
const STORAGE_INTERVAL_MS = 300_000
const SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

interface Backlog extends BacklogAges {
  readonly failingUrls: number
}

const readBacklog = async (db: Database): Promise<Backlog> => ({
  ...(await readBacklogAges(db)),
  failingUrls: await countFailingUrls(db),
})

/** Creates the metrics of an API. They include the age of waiting work, which matters most if no worker is running. */
export function apiMetrics(
  db: DatabasePool,
  limits: Readonly<Record<string, number>>,
  read = () => readBacklog(db),
) {
  const registry = new Registry()
  const registers = [registry]
  measurePools(registry, { api: db })
  measureBacklog(registry, read)
  measureStorage(registry, () => readLargestStorage(db))
  const requests = new Histogram({
    name: 'gatehouse_http_request_duration_seconds',
    help: 'Duration of requests, by route.',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers,
  })
  const commands = new Histogram({
    name: 'gatehouse_command_duration_seconds',
    help: 'Commands to workflows, by result (applied, refused, withdrawn or failed).',
    labelNames: ['entity', 'kind', 'outcome'],
    buckets: SECONDS,
    registers,
  })
  const limit = new Gauge({
    name: 'gatehouse_limit',
    help: 'Configured limits for saves, uploads, settings changes and stored files.',
    labelNames: ['limit'],
    registers,
  })
  for (const [name, value] of Object.entries(limits)) limit.set({ limit: name }, value)
  const reached = new Counter({
    name: 'gatehouse_limit_reached_total',
    help: 'Requests refused because of a limit, by limit.',
    labelNames: ['limit'],
    registers,
  })
  return {
    registry,
    limitReached: (limit: string): void => reached.inc({ limit }),
    answered(request: { method: string; route: string; status: number; ms: number }): void {
      const { method, route, status, ms } = request
      requests.observe({ method, route, status }, ms / 1000)
    },
    measured: (gateway: Gateway): Gateway => ({
      ...gateway,
      async run(request) {
        const { target, command } = request
        const end = commands.startTimer({ entity: target.entity, kind: command.kind })
        try {
          await gateway.run(request)
          end({ outcome: 'applied' })
        } catch (error) {
          end({ outcome: outcomeOf(error) })
          throw error
        }
      },
    }),
  }
}

export function countFileRequests(registry: Registry, blobs: BlobStore): BlobStore {
  const requests = new Counter({
    name: 'gatehouse_file_store_requests_total',
    help: 'Reads, writes and removals of stored files, by outcome.',
    labelNames: ['operation', 'outcome'],
    registers: [registry],
  })
  const counted =
    <A extends unknown[], T>(operation: string, work: (...given: A) => Promise<T>) =>
    async (...given: A): Promise<T> => {
      try {
        const done = await work(...given)
        requests.inc({ operation, outcome: 'succeeded' })
        return done
      } catch (error) {
        const outcome = error instanceof StorageUnavailable ? 'unavailable' : 'failed'
        requests.inc({ operation, outcome })
        throw error
      }
    }
  return {
    ...blobs,
    read: counted('read', blobs.read),
    write: counted('write', blobs.write),
    remove: counted('remove', blobs.remove),
  }
}

function outcomeOf(error: unknown): string {
  if (!(error instanceof RequestRefused)) return 'failed'
  return error.problems.some(({ code }) => code === 'service_unavailable') ? 'withdrawn' : 'refused'
}

export function workerMetrics(pools: Readonly<Record<string, DatabasePool>>) {
  const registry = new Registry()
  const registers = [registry]
  measurePools(registry, pools)
  const deliveries = new Counter({
    name: 'gatehouse_delivery_attempts_total',
    help: 'Attempts of webhook deliveries, by resulting status. A retry follows if the status is processing.',
    labelNames: ['status'],
    registers,
  })
  const lastPass = new Gauge({
    name: 'gatehouse_housekeeping_last_pass_timestamp_seconds',
    help: 'Time when this worker last finished housekeeping, or started if it has not.',
    registers,
  })
  lastPass.setToCurrentTime()
  const failures = new Counter({
    name: 'gatehouse_housekeeping_step_failures_total',
    help: 'Housekeeping steps that failed or were incomplete.',
    labelNames: ['step'],
    registers,
  })
  return {
    registry,
    attempted: (status: LogStatus): void => deliveries.inc({ status }),
    measured: (activities: Activities): Activities => ({
      ...activities,
      async runHousekeeping() {
        const done = await activities.runHousekeeping()
        lastPass.setToCurrentTime()
        for (const [step, result] of Object.entries(done))
          if (typeof result === 'string') failures.inc({ step })
        return done
      },
    }),
  }
}

/** Counts the spans of traces by outcome. A full queue drops spans. */
export function measureSpans(registry: Registry, { counts }: Tracing): void {
  new Counter({
    name: 'gatehouse_trace_spans_total',
    help: 'Spans of traces, by outcome (exported, failed or dropped).',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [outcome, count] of Object.entries(counts)) this.inc({ outcome }, count)
    },
  })
}

function measurePools(registry: Registry, pools: Readonly<Record<string, DatabasePool>>): void {
  const measurePool = (of: 'active' | 'waiting', help: string) =>
    measure(registry, { name: `gatehouse_database_pool_${of}`, help, label: 'pool' }, async () =>
      Object.entries(pools).map(([pool, { usage }]) => [pool, usage()[of]] as const),
    )
  measurePool('active', 'Connections to PostgreSQL in use.')
  measurePool('waiting', 'Queries that wait for a connection to PostgreSQL.')
}

function measureBacklog(registry: Registry, read: () => Promise<Backlog>): void {
  const asked = cacheReading(BACKLOG_INTERVAL_MS, read)
  measureOne(
    registry,
    'gatehouse_delivery_oldest_pending_seconds',
    'Age of the oldest webhook log without an attempt.',
    async () => (await asked())?.delivery,
  )
  measureOne(
    registry,
    'gatehouse_delivery_failing_urls',
    'Registered URLs at which all attempts have failed for at least one hour.',
    async () => (await asked())?.failingUrls,
  )
  const help = 'Waiting time of the oldest case that awaits review.'
  measure(registry, { name: 'gatehouse_queue_oldest_seconds', help, label: 'entity' }, async () => {
    const ages = await asked()
    return ENTITY_KINDS.map((entity) => [entity, ages?.[entity]] as const)
  })
}

function measureStorage(registry: Registry, read: () => Promise<StorageUsed>): void {
  const asked = cacheReading(STORAGE_INTERVAL_MS, read)
  const help = 'Largest number of files or bytes stored by one vault, by limit.'
  measure(registry, { name: 'gatehouse_largest_vault_storage', help, label: 'limit' }, async () => {
    const storage = await asked()
    return [
      ['vault_files', storage?.files],
      ['vault_bytes', storage?.bytes],
    ] as const
  })
}

/** The library's default of 10 ms would wake an idle process 100 times per second. */
const EVENT_LOOP_MS = 100

/** Serves `GET /metrics` with these metrics and with process metrics: memory, processor time and event loop delay. */
export async function serveMetrics(
  registry: Registry,
  { port, host, others }: { port: number; host: string; others?: () => Promise<string> },
): Promise<Server> {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_MS })
  const server = createServer(async (req, res) => {
    if (req.method !== 'GET' || req.url !== '/metrics') return void res.writeHead(404).end()
    const [own, more = ''] = await Promise.all([registry.metrics(), others?.().catch(() => '')])
    res.writeHead(200, { 'Content-Type': registry.contentType }).end(own + more)
  })
  await listen(server, [port, host], 'METRICS_PORT, METRICS_HOST')
  return server
}
