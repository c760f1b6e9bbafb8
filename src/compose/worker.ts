/** Makes the parts of a worker from its settings, for the process and for what tests start. */
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
import { openBlobStore } from '../db/cases/file.ts'
import { type Database, openDatabase } from '../db/connection/database.ts'
import { listen } from '../db/connection/notification.ts'
import { createReadinessCheck, healthApp } from '../http/health.ts'
import { type Config, temporalOf } from '../process/config.ts'
import type { Logger } from '../process/log.ts'
import { SettingsError } from '../process/settings-error.ts'
import { createScreener } from '../screening/adapters.ts'
import { createScreening } from '../screening/screening.ts'
import { createEncryption } from '../storage/encryption.ts'
import { linkToConsole } from '../temporal/console-link.ts'
import { createStarter } from '../temporal/starter.ts'
import { bundleWorkflows, connectWorkers, createWorkers } from '../temporal/workers.ts'
import { createDeliverer } from '../webhooks/deliverer.ts'
import { createDispatcher } from '../webhooks/dispatcher.ts'
import { createLookUps } from '../webhooks/dns-lookups.ts'
import { createEgress } from '../webhooks/egress.ts'
import { createResolver } from '../webhooks/resolver.ts'
import { databaseReadiness } from './database-readiness.ts'
import { workerMetrics } from './metrics.ts'

/** Shorter than those wait who ask whether a worker is ready. */
const TEMPORAL_PATIENCE_MS = 2_000
/** Until it is looked again whether the tables are there. */
const MIGRATION_PAUSE_MS = 2_000
/** What they have begun ends sooner, where Temporal takes it. */
const WORKERS_END_MS = 9_000

/**
 * Temporal's runtime must be installed in the process. Deliveries begin once the database is migrated, everything else
 * when Temporal answers, too. `wrap` puts something around the activities.
 */
export function composeWorker(
  config: Config,
  log: Logger,
  wrap = (activities: Activities): Activities => activities,
) {
  const { DATABASE_URL, WORKFLOW_BUNDLE } = config
  const { namespace, publicUrl, ...reached } = temporalOf(config)
  const encryption = createEncryption(config)
  const db = openDatabase(DATABASE_URL, encryption, log)
  // Deliveries have connections of their own, so that they never take those of commands.
  const deliveryDb = openDatabase(DATABASE_URL, encryption, log, { connections: 8 })
  const { registry, attempted, measured } = workerMetrics({ worker: db, deliveries: deliveryDb })
  const stopping = new AbortController()
  let connected: Client | null = null
  const temporal = new Proxy({} as Client, {
    get(_none, name) {
      if (!connected) throw new Error('Temporal has not answered yet')
      return Reflect.get(connected, name)
    },
  })
  const { WEBHOOK_ALLOW_PRIVATE: allowPrivate, WEBHOOK_CA_FILE: caFile } = config
  const names = createResolver()
  const deliverer = createDeliverer({
    db: deliveryDb,
    egress: createEgress({ allowPrivate, caFile, resolve: names }),
    // Private addresses are looked up by the operating system.
    lookUp: allowPrivate ? async () => {} : createLookUps(names),
    log,
    onAttempted: attempted,
  })
  const starter = createStarter({ db, temporal, log })
  const dispatcher = createDispatcher({ db: deliveryDb, temporal, deliverer, log })
  const screening = createScreening({ db, screener: createScreener(config), log })
  const activities = createActivities({
    db,
    blobs: openBlobStore(db, config.BLOB_DIR),
    temporal,
    starter,
    dispatcher,
    deliverer,
    provider: verificationProvider(config, db),
    verificationAnswerHours: config.VERIFICATION_ANSWER_HOURS,
    screening,
    webhookLogRetentionDays: config.WEBHOOK_LOG_RETENTION_DAYS,
    log,
  })
  let workers: Worker[] = []
  let connection: NativeConnection | null = null
  const ofDatabase = databaseReadiness(db, log)
  let isMigrated = false
  const migrated = untilMigrated()
  const polling = poll()
  const onNews = () => {
    if (!isMigrated) return
    dispatcher.wake()
    if (connected) starter.wake()
  }
  const news = listen(DATABASE_URL, 'webhook_logs', onNews, log)

  /** What is taken before fails, and a worker of the version before would have done it. */
  async function untilMigrated(): Promise<void> {
    const isThere = async () => (await ofDatabase.database_away()) && (await ofDatabase.not_migrated())
    while (!stopping.signal.aborted && !(await isThere()))
      await sleep(MIGRATION_PAUSE_MS, undefined, { signal: stopping.signal }).catch(() => {})
    isMigrated = !stopping.signal.aborted
    onNews()
  }

  async function poll() {
    const workflowBundle =
      WORKFLOW_BUNDLE === undefined ? await bundleWorkflows() : await bundleAt(WORKFLOW_BUNDLE)
    await migrated
    connection = await connectWorkers(reached, log, stopping.signal)
    if (!connection) return { ended: Promise.resolve() }
    connected = new Client({ connection, namespace, interceptors: linkToConsole(publicUrl) })
    workers = await createWorkers({
      connection,
      namespace,
      activities: wrap(measured(activities)),
      workflowBundle,
    }).catch((error) => {
      // Temporal's own words are about what it was asked for; what it was asked with is in the settings.
      const asked = { address: reached.address, namespace }
      log.error(asked, 'Temporal refuses workers for this namespace; check the namespace and its access')
      throw error
    })
    const running = workers.map(run)
    if (stopping.signal.aborted) stop()
    starter.wake()
    return { ended: Promise.all(running).then(() => {}) }
  }

  /** One that ends unasked leaves a process behind that does half of its work: it ends, too, to be started again. */
  async function run(worker: Worker): Promise<void> {
    await worker.run()
    if (!stopping.signal.aborted)
      throw new Error(`the worker of ${worker.options.taskQueue} stopped unexpectedly`)
  }

  function stop(): void {
    stopping.abort()
    // What began now would take longer than there is time.
    dispatcher.idle().catch(() => {})
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
  }

  const health = healthApp({
    stopping: () => !stopping.signal.aborted,
    worker_stopped: () => workers.every((worker) => worker.getState() === 'RUNNING'),
    ...ofDatabase,
    not_listening: news.isListening,
    temporal_away: createReadinessCheck(
      'Temporal does not answer for this namespace',
      () => requireTemporal(connection, namespace),
      log,
    ),
    starting: () => workers.length > 0,
  })

  /** While Temporal is away its workers do not end: what they have begun is given back all the same. */
  async function givenUp(): Promise<false> {
    if (!stopping.signal.aborted) await once(stopping.signal, 'abort')
    return sleep(WORKERS_END_MS, false, { ref: false })
  }

  async function stopped(): Promise<void> {
    const { ended } = await polling
    const isOver = await Promise.race([ended.then(() => true), givenUp()])
    await news.stop()
    await screening.idle()
    await starter.stop()
    await dispatcher.idle()
    await deliverer.stop()
    // One that is still polled over cannot be closed.
    if (isOver) await connection?.close()
    await deliveryDb.end()
    await db.end()
  }
  return {
    /** Settles once Temporal has answered and its tasks are polled for, or the worker was stopped before. */
    polling,
    polls: () => workers.length > 0 && workers.every((worker) => worker.getState() === 'RUNNING'),
    health,
    metrics: registry,
    stop,
    /** Settles once everything has ended, because it was stopped; rejects when it could not go on. */
    ended: stopped(),
  }
}

async function bundleAt(codePath: string): Promise<{ codePath: string }> {
  await access(codePath).catch((cause) => {
    throw new SettingsError(`WORKFLOW_BUNDLE: ${codePath} cannot be read.`, { cause })
  })
  return { codePath }
}

/** What workers poll over the same connection has no deadline of its own. */
async function requireTemporal(connection: NativeConnection | null, namespace: string): Promise<void> {
  if (!connection) throw new Error('Temporal has not answered yet')
  await connection.withDeadline(Date.now() + TEMPORAL_PATIENCE_MS, () =>
    connection.workflowService.describeNamespace({ namespace }),
  )
}

/** The provider that the settings name. */
function verificationProvider(config: Config, db: Database): VerificationProvider {
  const { VERIFICATION_PROVIDER_URL: url, VERIFICATION_PROVIDER_SECRET: secret } = config
  if (config.VERIFICATION_PROVIDER === 'http' && url && secret) {
    // Its address is a setting of whoever runs this, not of a client: it may be private.
    const egress = createEgress({ allowPrivate: true, caFile: config.WEBHOOK_CA_FILE })
    return httpProvider({ db, egress, url, secret, publicUrl: config.PUBLIC_URL })
  }
  return config.VERIFICATION_PROVIDER === 'sandbox'
    ? sandboxProvider(config.SANDBOX_CHECK_DELAY_MS)
    : manualProvider
}
