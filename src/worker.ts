/** The worker process: entities, deliveries and housekeeping, each with a worker of its own. */
import { createServer } from 'node:http'
import { Client } from '@temporalio/client'
import { NativeConnection } from '@temporalio/worker'
import { createActivities } from '../activities/index.ts'
import { verificationProvider } from '../activities/verification-provider.ts'
import { configOrExit } from './config.ts'
import { openDatabase } from './db/database.ts'
import { listenForWebhookLogs } from './db/notification.ts'
import { createLogger, logCrash } from './log.ts'
import { createBlobStore } from './storage/blob-store.ts'
import { createEncryption } from './storage/encryption.ts'
import { bundleWorkflows, createWorkers, installRuntime } from './temporal/workers.ts'
import { createDeliverer } from './webhooks/deliverer.ts'
import { createDispatcher } from './webhooks/dispatcher.ts'
import { createEgress } from './webhooks/egress.ts'

const config = configOrExit()
const log = createLogger(config.LOG_LEVEL, 'worker')
logCrash(log)
installRuntime(log)
const encryption = createEncryption(config)
const db = openDatabase(config.DATABASE_URL, encryption, log)
// Deliveries have connections of their own, so that they never take those of commands.
const deliveryDb = openDatabase(config.DATABASE_URL, encryption, log, { connections: 8 })
const namespace = config.TEMPORAL_NAMESPACE
const connection = await NativeConnection.connect({ address: config.TEMPORAL_ADDRESS })
const temporal = new Client({ connection, namespace })
const deliverer = createDeliverer({
  db: deliveryDb,
  egress: createEgress({ allowPrivate: config.WEBHOOK_ALLOW_PRIVATE, caFile: config.WEBHOOK_CA_FILE }),
})
const dispatcher = createDispatcher({ db: deliveryDb, temporal, deliverer, log })

const activities = createActivities({
  db,
  blobs: createBlobStore(config.BLOB_DIR, encryption),
  temporal,
  dispatcher,
  deliverer,
  verify: verificationProvider(config),
  webhookLogRetentionDays: config.WEBHOOK_LOG_RETENTION_DAYS,
  log,
})
const { WORKFLOW_BUNDLE } = config
const workflowBundle = WORKFLOW_BUNDLE === undefined ? await bundleWorkflows() : { codePath: WORKFLOW_BUNDLE }
const workers = await createWorkers({ connection, namespace, activities, workflowBundle })
const running = workers.map((worker) => worker.run())
const news = listenForWebhookLogs(config.DATABASE_URL, dispatcher.wake, log)

const health = createServer((_req, res) => {
  const healthy = workers.every((worker) => worker.getState() === 'RUNNING')
  res.writeHead(healthy ? 200 : 503).end()
})
if (config.HEALTH_PORT !== undefined) health.listen(config.HEALTH_PORT, config.HOST)
log.info('the workers poll')
process.send?.('ready')

function stop(): void {
  for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
}
process.on('SIGTERM', stop)
process.on('SIGINT', stop)

await Promise.all(running)
health.close()
await news.stop()
await dispatcher.idle()
await deliverer.idle()
await connection.close()
await deliveryDb.end()
await db.end()
// The parent's channel would keep the process alive.
process.disconnect?.()
