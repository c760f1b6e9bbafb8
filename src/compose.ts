/** Makes the parts of an API and of a worker from their settings, for the processes and for what tests start. */
import { Client } from '@temporalio/client'
import { NativeConnection } from '@temporalio/worker'
import { httpProvider } from '../activities/http-provider.ts'
import { createActivities } from '../activities/index.ts'
import {
  manualProvider,
  sandboxProvider,
  type VerificationProvider,
} from '../activities/verification-provider.ts'
import type { Activities } from '../workflows/activities.ts'
import { createTokens } from './access/tokens.ts'
import { type Config, temporalOf } from './config.ts'
import { type Database, openDatabase } from './db/database.ts'
import { listen } from './db/notification.ts'
import { readSigningKeys } from './db/signing-key.ts'
import { createApp } from './http/app.ts'
import { createAuthentication } from './http/authentication.ts'
import type { AppDeps } from './http/deps.ts'
import type { Logger } from './log.ts'
import { hostedPages } from './pages/hosted-pages.tsx'
import { screenerOf } from './screening/adapters.ts'
import { createScreening } from './screening/screening.ts'
import { createBlobStore } from './storage/blob-store.ts'
import { createEncryption } from './storage/encryption.ts'
import { openTemporal } from './temporal/client.ts'
import { linkToConsole } from './temporal/console-link.ts'
import { createGateway } from './temporal/gateway.ts'
import { bundleWorkflows, createWorkers } from './temporal/workers.ts'
import { createDeliverer } from './webhooks/deliverer.ts'
import { createDispatcher } from './webhooks/dispatcher.ts'
import { createEgress } from './webhooks/egress.ts'
import { createNotifier } from './webhooks/notifier.ts'

/** `wrap` puts something around what the routes are given. */
export function composeApi(config: Config, log: Logger, wrap = (deps: AppDeps): AppDeps => deps) {
  const encryption = createEncryption(config)
  const db = openDatabase(config.DATABASE_URL, encryption, log)
  const temporal = openTemporal(temporalOf(config))
  const blobs = createBlobStore(config.BLOB_DIR, encryption)
  const gateway = createGateway({ db, temporal })
  const notifier = createNotifier({ db, log })
  const tokens = createTokens(() => readSigningKeys(db, config.TOKEN_ROTATION_DAYS), config.ENVIRONMENT)
  const screening = createScreening({ db, screener: screenerOf(config), log })
  const { authenticate, forget } = createAuthentication({ db, tokens, config })
  const news = listen(config.DATABASE_URL, 'callers', forget, log)
  const deps = wrap({ config, db, blobs, temporal, gateway, notifier, screening, tokens, authenticate, log })
  const app = createApp(deps, hostedPages)
  return {
    app,
    db,
    blobs,
    temporal,
    gateway,
    notifier,
    /** Once no request is under way any more. */
    async stop(): Promise<void> {
      await news.stop()
      await notifier.idle()
      await screening.idle()
      await temporal.connection.close()
      await db.end()
    },
  }
}

/** Temporal's runtime must be installed in the process. `wrap` puts something around the activities. */
export async function composeWorker(
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
  const connection = await NativeConnection.connect(reached)
  const temporal = new Client({ connection, namespace, interceptors: linkToConsole(publicUrl) })
  const deliverer = createDeliverer({
    db: deliveryDb,
    egress: createEgress({ allowPrivate: config.WEBHOOK_ALLOW_PRIVATE, caFile: config.WEBHOOK_CA_FILE }),
  })
  const dispatcher = createDispatcher({ db: deliveryDb, temporal, deliverer, log })
  const screening = createScreening({ db, screener: screenerOf(config), log })
  const activities = createActivities({
    db,
    blobs: createBlobStore(config.BLOB_DIR, encryption),
    temporal,
    dispatcher,
    deliverer,
    provider: verificationProvider(config, db),
    verificationAnswerHours: config.VERIFICATION_ANSWER_HOURS,
    screening,
    webhookLogRetentionDays: config.WEBHOOK_LOG_RETENTION_DAYS,
    log,
  })
  const workflowBundle =
    WORKFLOW_BUNDLE === undefined ? await bundleWorkflows() : { codePath: WORKFLOW_BUNDLE }
  const workers = await createWorkers({ connection, namespace, activities: wrap(activities), workflowBundle })
  const running = Promise.all(workers.map((worker) => worker.run()))
  const news = listen(DATABASE_URL, 'webhook_logs', dispatcher.wake, log)

  async function stopped(): Promise<void> {
    await running
    await news.stop()
    await screening.idle()
    await dispatcher.idle()
    await deliverer.idle()
    await connection.close()
    await deliveryDb.end()
    await db.end()
  }
  return {
    polls: () => workers.every((worker) => worker.getState() === 'RUNNING'),
    stop(): void {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
    },
    /** Settles once everything has ended, because it was stopped or could not go on. */
    ended: stopped(),
  }
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
