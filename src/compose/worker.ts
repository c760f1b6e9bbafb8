/** Composes a worker from its settings, for the process and for tests. */
import { once } from 'node:events'
import { access } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@temporalio/client'
import type { NativeConnection, Worker } from '@temporalio/worker'
import type { Activities } from '../../workflows/activities.ts'
import { listen, type News } from '../db/connection/notification.ts'
import { createReadinessCheck, healthApp, type ReadinessCheck } from '../http/health.ts'
import { type Config, temporalOf } from '../process/config.ts'
import type { Logger } from '../process/log.ts'
import { SettingsError } from '../process/settings-error.ts'
import { NO_TRACING } from '../process/span.ts'
import type { Screener } from '../screening/screener.ts'
import { requireSupportedServer } from '../temporal/client.ts'
import { linkToConsole } from '../temporal/console-link.ts'
import { bundleWorkflows, connectWorkers, createWorkers } from '../temporal/workers.ts'
import { measureDependencies } from './deployment-metrics.ts'
import { databaseReadiness } from './readiness.ts'
import { composeWorkerParts } from './worker-parts.ts'

/** Shorter than the timeout of readiness probes. */
const TEMPORAL_PATIENCE_MS = 2_000
/** The interval between checks for the tables. */
const MIGRATION_PAUSE_MS = 2_000
/** The maximum wait for the lists at the start. If they are unavailable, operators decide until they are loaded. */
const LISTS_MS = 30_000
/** The maximum wait for the workers to stop. Activities end earlier if Temporal accepts their cancellation. */
const WORKERS_END_MS = 9_000
const NO_TEMPORAL = 'Temporal has not responded yet'

/**
 * Composes a worker. Requires that Temporal's runtime is installed in the process. Deliveries start once the database
 * is migrated. All other work starts once Temporal also responds and the screening lists are loaded. `wrap` wraps the
 * activities.
 */
export function composeWorker(
  config: Config,
  log: Logger,
  wrap = (activities: Activities): Activities => activities,
  tracing = NO_TRACING,
) {
  const late = createLateClient()
  const parts = composeWorkerParts(config, log, late.client, tracing)
  const { db, deliveryDb, registry, starter, dispatcher, deliverer, leases, screener, screening } = parts
  const stopping = new AbortController()
  const { signal } = stopping
  const ofDatabase = databaseReadiness(db, log)
  let isMigrated = false
  const onNews = (news: string) => {
    if (!isMigrated) return
    dispatcher.wake()
    if (late.isConnected() && news !== ('logs' satisfies News)) starter.wake()
  }
  const news = listen(config.DATABASE_URL, 'webhook_logs', onNews, log)
  const migrated = waitForMigration(Object.values(ofDatabase), signal).then(() => {
    isMigrated = !signal.aborted
    onNews('')
  })
  const workers = startWorkers({
    config,
    log,
    activities: wrap(parts.activities),
    late,
    begin: Promise.all([migrated, waitForLists(screener, signal)]),
    signal,
    onPolling: starter.wake,
  })

  function stop(): void {
    stopping.abort()
    // Starts no more work, because it would not finish in time.
    dispatcher.idle().catch(() => {})
    workers.shutDown()
  }

  const needs = {
    stopping: () => !signal.aborted,
    worker_stopped: workers.areRunning,
    ...ofDatabase,
    not_listening: news.isListening,
    temporal_away: createReadinessCheck(
      'Temporal does not respond for this namespace',
      workers.requireTemporal,
      log,
    ),
    starting: workers.areStarted,
  }
  const health = healthApp(needs)
  measureDependencies(registry, db, needs)

  async function stopped(): Promise<void> {
    const haveWorkersStopped = await workers.ended()
    await news.stop()
    await screening.idle()
    await starter.stop()
    await dispatcher.idle()
    await deliverer.stop()
    await leases.stop()
    // Keeps the connection open if workers still poll over it.
    if (haveWorkersStopped) await workers.closeConnection()
    await deliveryDb.end()
    await db.end()
    await tracing.stop()
  }
  return {
    /** Settles when the workers poll for tasks, or when the worker is stopped before that. */
    polling: workers.polling,
    polls: () => workers.areStarted() && workers.areRunning(),
    health,
    metrics: registry,
    stop,
    /** Resolves when everything has stopped. Rejects if the worker cannot continue. */
    ended: stopped(),
  }
}

/** A client that can be used once Temporal has responded. */
type LateClient = ReturnType<typeof createLateClient>

function createLateClient() {
  let connected: Client | null = null
  return {
    client: new Proxy({} as Client, {
      get(_none, name) {
        if (!connected) throw new Error(NO_TEMPORAL)
        return Reflect.get(connected, name)
      },
    }),
    isConnected: () => connected !== null,
    connect(client: Client): void {
      connected = client
    },
  }
}

/**
 * Waits for the migration. Before it, tasks would fail in this worker, but a worker of the earlier version can complete
 * them.
 */
async function waitForMigration(checks: readonly ReadinessCheck[], signal: AbortSignal): Promise<void> {
  const isReady = async () => {
    for (const isAvailable of checks) if (!(await isAvailable())) return false
    return true
  }
  while (!signal.aborted && !(await isReady()))
    await sleep(MIGRATION_PAUSE_MS, undefined, { signal }).catch(() => {})
}

/** Waits for the lists. Without them, no check can approve a person. */
async function waitForLists(screener: Screener, signal: AbortSignal): Promise<void> {
  const limit = sleep(LISTS_MS, undefined, { ref: false, signal })
  await Promise.race([screener.version(), limit]).catch(() => {})
}

interface WorkersOptions {
  readonly config: Config
  readonly log: Logger
  readonly activities: Activities
  readonly late: LateClient
  /** Settles when the workers may begin. */
  readonly begin: Promise<unknown>
  readonly signal: AbortSignal
  readonly onPolling: () => void
}

/** Connects to Temporal and runs the workers of all task queues until they are shut down. */
function startWorkers({ config, log, activities, late, begin, signal, onPolling }: WorkersOptions) {
  const { namespace, publicUrl, ...reached } = temporalOf(config)
  const { TEMPORAL_DEPLOYMENT_NAME: deploymentName, TEMPORAL_WORKER_BUILD_ID: buildId } = config
  let workers: Worker[] = []
  let connection: NativeConnection | null = null

  async function poll() {
    const workflowBundle = await bundleOf(config)
    await begin
    connection = await connectWorkers(reached, log, signal)
    if (!connection) return { ended: Promise.resolve() }
    await requireSupportedServer(connection.workflowService)
    late.connect(new Client({ connection, namespace, interceptors: linkToConsole(publicUrl) }))
    workers = await createWorkers({
      connection,
      namespace,
      activities,
      workflowBundle,
      version: deploymentName && buildId ? { deploymentName, buildId } : undefined,
    }).catch((error) => {
      // Temporal's error describes only the request, so this line adds the settings.
      const asked = { address: reached.address, namespace }
      log.error(asked, 'Temporal refuses workers for this namespace; check the namespace and its access')
      throw error
    })
    const running = workers.map((worker) => run(worker, signal))
    if (signal.aborted) shutDown()
    onPolling()
    return { ended: Promise.all(running).then(() => {}) }
  }

  function shutDown(): void {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
  }

  const polling = poll()
  return {
    polling,
    shutDown,
    areStarted: () => workers.length > 0,
    areRunning: () => workers.every((worker) => worker.getState() === 'RUNNING'),
    requireTemporal: () => requireTemporal(connection, namespace),
    /**
     * Returns whether the workers have stopped. Limits the wait, because they do not stop while Temporal is unavailable.
     * Temporal repeats their tasks later.
     */
    async ended(): Promise<boolean> {
      const { ended } = await polling
      return Promise.race([ended.then(() => true), waitForStopTimeout(signal)])
    },
    closeConnection: () => connection?.close(),
  }
}

/** Runs a worker. If it stops unexpectedly, the process exits so that the supervisor restarts it. */
async function run(worker: Worker, signal: AbortSignal): Promise<void> {
  await worker.run()
  if (!signal.aborted) throw new Error(`the worker of ${worker.options.taskQueue} stopped unexpectedly`)
}

async function waitForStopTimeout(signal: AbortSignal): Promise<false> {
  if (!signal.aborted) await once(signal, 'abort')
  return sleep(WORKERS_END_MS, false, { ref: false })
}

const bundleOf = ({ WORKFLOW_BUNDLE: path }: Config) =>
  path === undefined ? bundleWorkflows() : bundleAt(path)

async function bundleAt(codePath: string): Promise<{ codePath: string }> {
  await access(codePath).catch((cause) => {
    throw new SettingsError(`WORKFLOW_BUNDLE: ${codePath} cannot be read.`, { cause })
  })
  return { codePath }
}

/**
 * Throws unless Temporal responds in time. Sets the deadline only for this call, because workers poll over the same
 * connection.
 */
async function requireTemporal(connection: NativeConnection | null, namespace: string): Promise<void> {
  if (!connection) throw new Error(NO_TEMPORAL)
  await connection.withDeadline(Date.now() + TEMPORAL_PATIENCE_MS, () =>
    connection.workflowService.describeNamespace({ namespace }),
  )
}
