/** Composes a worker from its settings, for the process and for tests. */
import { once } from 'node:events'
import { access } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@temporalio/client'
import type { NativeConnection, Worker } from '@temporalio/worker'
import { httpProvider } from '../../activities/http-provider.ts'
import { createActivities } from '../../activities/index.ts'
import {
  manualProvider,
  sandboxProvider,
  type VerificationProvider,
} from '../../activities/verification-provider.ts'
import type { Activities } from '../../workflows/activities.ts'
import { connectBlobStore } from '../db/cases/file.ts'
import { connectDatabase, type Database } from '../db/connection/database.ts'
import { listen, type News } from '../db/connection/notification.ts'
import { createReadinessCheck, healthApp } from '../http/health.ts'
import { type Config, temporalOf } from '../process/config.ts'
import type { Logger } from '../process/log.ts'
import { createMailer } from '../process/mailer.ts'
import { SettingsError } from '../process/settings-error.ts'
import { NO_TRACING } from '../process/span.ts'
import { createScreener } from '../screening/adapters.ts'
import { createScreening } from '../screening/screening.ts'
import { createEncryption } from '../storage/encryption.ts'
import { requireSupportedServer } from '../temporal/client.ts'
import { linkToConsole } from '../temporal/console-link.ts'
import { createStarter } from '../temporal/starter.ts'
import { bundleWorkflows, connectWorkers, createWorkers } from '../temporal/workers.ts'
import { createDeliverer } from '../webhooks/deliverer.ts'
import { createDispatcher } from '../webhooks/dispatcher.ts'
import { createLookUps } from '../webhooks/dns-lookups.ts'
import { createEgress } from '../webhooks/egress.ts'
import { createLeases } from '../webhooks/leases.ts'
import { createResolver } from '../webhooks/resolver.ts'
import { measureDependencies } from './deployment-metrics.ts'
import { countFileRequests, measureSpans, workerMetrics } from './metrics.ts'
import { databaseReadiness } from './readiness.ts'

/** Shorter than the timeout of readiness probes. */
const TEMPORAL_PATIENCE_MS = 2_000
/** The interval between checks for the tables. */
const MIGRATION_PAUSE_MS = 2_000
/** The maximum wait for the lists at the start. If they are unavailable, operators decide until they are loaded. */
const LISTS_MS = 30_000
/** The maximum wait for the workers to stop. Activities end earlier if Temporal accepts their cancellation. */
const WORKERS_END_MS = 9_000

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
  const { DATABASE_URL, WORKFLOW_BUNDLE } = config
  const { TEMPORAL_DEPLOYMENT_NAME: deploymentName, TEMPORAL_WORKER_BUILD_ID: buildId } = config
  const { namespace, publicUrl, ...reached } = temporalOf(config)
  const encryption = createEncryption(config)
  const db = connectDatabase(DATABASE_URL, encryption, log, { span: tracing.root })
  // Uses separate connections for deliveries, so that some always remain for commands.
  const deliveryDb = connectDatabase(DATABASE_URL, encryption, log, { connections: 8, span: tracing.root })
  const { registry, attempted, measured } = workerMetrics({ worker: db, deliveries: deliveryDb })
  if (tracing !== NO_TRACING) measureSpans(registry, tracing)
  const stopping = new AbortController()
  let connected: Client | null = null
  const temporal = new Proxy({} as Client, {
    get(_none, name) {
      if (!connected) throw new Error('Temporal has not responded yet')
      return Reflect.get(connected, name)
    },
  })
  const { WEBHOOK_ALLOW_PRIVATE: allowPrivate, WEBHOOK_CA_FILE: caFile } = config
  const names = createResolver()
  const leases = createLeases({ db: deliveryDb, log })
  const deliverer = createDeliverer({
    db: deliveryDb,
    leases,
    egress: createEgress({ allowPrivate, caFile, resolve: names }),
    // If private addresses are allowed, the operating system resolves names.
    lookUp: allowPrivate ? async () => {} : createLookUps(names),
    log,
    onAttempted: attempted,
  })
  const starter = createStarter({ db, temporal, log })
  const dispatcher = createDispatcher({ db: deliveryDb, temporal, deliverer, log })
  const screener = createScreener(config)
  const screening = createScreening({ db, screener, log })
  const activities = createActivities({
    db,
    blobs: countFileRequests(registry, connectBlobStore(db, config)),
    temporal,
    starter,
    dispatcher,
    deliverer,
    leases,
    provider: verificationProvider(config, db),
    verificationAnswerHours: config.VERIFICATION_ANSWER_HOURS,
    verificationLimits: {
      perVerification: config.RATE_LIMIT_VERIFICATION_CHECKS,
      perVault: config.RATE_LIMIT_VAULT_CHECKS,
    },
    screening,
    mailer: createMailer(config),
    unfinishedDays: config.UNFINISHED_RETENTION_DAYS,
    emailLimits: { perAddress: config.RATE_LIMIT_ADDRESS_EMAILS, perVault: config.RATE_LIMIT_VAULT_EMAILS },
    publicUrl,
    webhookLogRetentionDays: config.WEBHOOK_LOG_RETENTION_DAYS,
    log,
  })
  let workers: Worker[] = []
  let connection: NativeConnection | null = null
  const ofDatabase = databaseReadiness(db, log)
  let isMigrated = false
  const migrated = waitForMigration()
  const loaded = waitForLists()
  const polling = poll()
  const onNews = (news: string) => {
    if (!isMigrated) return
    dispatcher.wake()
    if (connected && news !== ('logs' satisfies News)) starter.wake()
  }
  const news = listen(DATABASE_URL, 'webhook_logs', onNews, log)

  /**
   * Waits for the migration. Before it, tasks would fail in this worker, but a worker of the earlier version can
   * complete them.
   */
  async function waitForMigration(): Promise<void> {
    const isReady = async () => {
      for (const isAvailable of Object.values(ofDatabase)) if (!(await isAvailable())) return false
      return true
    }
    while (!stopping.signal.aborted && !(await isReady()))
      await sleep(MIGRATION_PAUSE_MS, undefined, { signal: stopping.signal }).catch(() => {})
    isMigrated = !stopping.signal.aborted
    onNews('')
  }

  /** Waits for the lists. Without them, no check can approve a person. */
  async function waitForLists(): Promise<void> {
    const limit = sleep(LISTS_MS, undefined, { ref: false, signal: stopping.signal })
    await Promise.race([screener.version(), limit]).catch(() => {})
  }

  async function poll() {
    const workflowBundle =
      WORKFLOW_BUNDLE === undefined ? await bundleWorkflows() : await bundleAt(WORKFLOW_BUNDLE)
    await Promise.all([migrated, loaded])
    connection = await connectWorkers(reached, log, stopping.signal)
    if (!connection) return { ended: Promise.resolve() }
    await requireSupportedServer(connection.workflowService)
    connected = new Client({ connection, namespace, interceptors: linkToConsole(publicUrl) })
    workers = await createWorkers({
      connection,
      namespace,
      activities: wrap(measured(activities)),
      workflowBundle,
      version: deploymentName && buildId ? { deploymentName, buildId } : undefined,
    }).catch((error) => {
      // Temporal's error describes only the request, so this line adds the settings.
      const asked = { address: reached.address, namespace }
      log.error(asked, 'Temporal refuses workers for this namespace; check the namespace and its access')
      throw error
    })
    const running = workers.map(run)
    if (stopping.signal.aborted) stop()
    starter.wake()
    return { ended: Promise.all(running).then(() => {}) }
  }

  /** Runs a worker. If it stops unexpectedly, the process exits so that the supervisor restarts it. */
  async function run(worker: Worker): Promise<void> {
    await worker.run()
    if (!stopping.signal.aborted)
      throw new Error(`the worker of ${worker.options.taskQueue} stopped unexpectedly`)
  }

  function stop(): void {
    stopping.abort()
    // Starts no more work, because it would not finish in time.
    dispatcher.idle().catch(() => {})
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
  }

  const needs = {
    stopping: () => !stopping.signal.aborted,
    worker_stopped: () => workers.every((worker) => worker.getState() === 'RUNNING'),
    ...ofDatabase,
    not_listening: news.isListening,
    temporal_away: createReadinessCheck(
      'Temporal does not respond for this namespace',
      () => requireTemporal(connection, namespace),
      log,
    ),
    starting: () => workers.length > 0,
  }
  const health = healthApp(needs)
  measureDependencies(registry, db, needs)

  /**
   * Limits the wait for the workers, which do not stop while Temporal is unavailable. Temporal repeats their tasks
   * later.
   */
  async function waitForStopTimeout(): Promise<false> {
    if (!stopping.signal.aborted) await once(stopping.signal, 'abort')
    return sleep(WORKERS_END_MS, false, { ref: false })
  }

  async function stopped(): Promise<void> {
    const { ended } = await polling
    const haveWorkersStopped = await Promise.race([ended.then(() => true), waitForStopTimeout()])
    await news.stop()
    await screening.idle()
    await starter.stop()
    await dispatcher.idle()
    await deliverer.stop()
    await leases.stop()
    // Keeps the connection open if workers still poll over it.
    if (haveWorkersStopped) await connection?.close()
    await deliveryDb.end()
    await db.end()
    await tracing.stop()
  }
  return {
    /** Settles when the workers poll for tasks, or when the worker is stopped before that. */
    polling,
    polls: () => workers.length > 0 && workers.every((worker) => worker.getState() === 'RUNNING'),
    health,
    metrics: registry,
    stop,
    /** Resolves when everything has stopped. Rejects if the worker cannot continue. */
    ended: stopped(),
  }
}

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
  if (!connection) throw new Error('Temporal has not responded yet')
  await connection.withDeadline(Date.now() + TEMPORAL_PATIENCE_MS, () =>
    connection.workflowService.describeNamespace({ namespace }),
  )
}

function verificationProvider(config: Config, db: Database): VerificationProvider {
  const { VERIFICATION_PROVIDER_URL: url, VERIFICATION_PROVIDER_SECRET: secret } = config
  if (config.VERIFICATION_PROVIDER === 'http' && url && secret) {
    // Allows private addresses, because the administrator sets this URL.
    const egress = createEgress({ allowPrivate: true, caFile: config.WEBHOOK_CA_FILE })
    return httpProvider({ db, egress, url, secret, publicUrl: config.PUBLIC_URL })
  }
  return config.VERIFICATION_PROVIDER === 'sandbox'
    ? sandboxProvider(config.SANDBOX_CHECK_DELAY_MS)
    : manualProvider
}
