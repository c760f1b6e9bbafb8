/**
 * A worker that kills processes right after the first command was committed and before Temporal hears of it:
 * itself, the Temporal server (KILL_PID), or both.
 */
import { NativeConnection } from '@temporalio/worker'
import { createActivities } from '../../activities/index.ts'
import { verificationProvider } from '../../activities/verification-provider.ts'
import { readConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/db/database.ts'
import { createLogger } from '../../src/log.ts'
import { createBlobStore } from '../../src/storage/blob-store.ts'
import { createEncryption } from '../../src/storage/encryption.ts'
import { openTemporal } from '../../src/temporal/client.ts'
import { createWorkers, installRuntime } from '../../src/temporal/workers.ts'
import { createDeliverer } from '../../src/webhooks/deliverer.ts'
import { createDispatcher } from '../../src/webhooks/dispatcher.ts'
import { createEgress } from '../../src/webhooks/egress.ts'

const config = readConfig(process.env)
const log = createLogger('silent', 'dying-worker')
installRuntime(log)
const encryption = createEncryption(config)
const db = openDatabase(config.DATABASE_URL, encryption, log)
const address = { address: config.TEMPORAL_ADDRESS, namespace: config.TEMPORAL_NAMESPACE }
const temporal = openTemporal(address)
const deliverer = createDeliverer({ db, egress: createEgress({ allowPrivate: true }) })
const activities = createActivities({
  db,
  blobs: createBlobStore(config.BLOB_DIR, encryption),
  temporal,
  dispatcher: createDispatcher({ db, temporal, deliverer, log }),
  deliverer,
  verify: verificationProvider(config),
  webhookLogRetentionDays: config.WEBHOOK_LOG_RETENTION_DAYS,
  log,
})

const { KILL_PID, KILL_SELF } = process.env
let killed = false
const workers = await createWorkers({
  connection: await NativeConnection.connect(address),
  namespace: config.TEMPORAL_NAMESPACE,
  workflowBundle: { codePath: config.WORKFLOW_BUNDLE ?? '' },
  activities: {
    ...activities,
    async applyKybCommands(input) {
      const result = await activities.applyKybCommands(input)
      if (!killed && KILL_PID) process.kill(Number(KILL_PID), 'SIGKILL')
      if (!killed && KILL_SELF) process.kill(process.pid, 'SIGKILL')
      killed = true
      return result
    },
  },
})
process.send?.('ready')
await Promise.all(workers.map((worker) => worker.run()))
