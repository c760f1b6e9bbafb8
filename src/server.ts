/** The API process. */
import { createTokens } from './access/tokens.ts'
import { configOrExit } from './config.ts'
import { openDatabase } from './db/database.ts'
import { readSigningKeys } from './db/signing-key.ts'
import { createApp } from './http/app.ts'
import { createHttpServer } from './http/server.ts'
import { createLogger, logCrash } from './log.ts'
import { createBlobStore } from './storage/blob-store.ts'
import { createEncryption } from './storage/encryption.ts'
import { openTemporal } from './temporal/client.ts'
import { createGateway } from './temporal/gateway.ts'
import { createNotifier } from './webhooks/notifier.ts'

const config = configOrExit()
const log = createLogger(config.LOG_LEVEL, 'api')
logCrash(log)
const encryption = createEncryption(config)
const db = openDatabase(config.DATABASE_URL, encryption, log)
const temporal = openTemporal({ address: config.TEMPORAL_ADDRESS, namespace: config.TEMPORAL_NAMESPACE })
const dispatcher = createNotifier({ db, log })

const app = createApp({
  config,
  db,
  blobs: createBlobStore(config.BLOB_DIR, encryption),
  temporal,
  gateway: createGateway({ db, temporal }),
  dispatcher,
  tokens: createTokens(() => readSigningKeys(db, config.TOKEN_ROTATION_DAYS), config.ENVIRONMENT),
  log,
})

const server = createHttpServer(app)
server.listen(config.PORT, config.HOST, () => {
  log.info({ port: config.PORT, environment: config.ENVIRONMENT }, 'the API answers')
  process.send?.('ready')
})

let stopping = false
async function stop(): Promise<void> {
  if (stopping) return
  stopping = true
  await new Promise((resolve) => {
    server.close(resolve)
    server.closeIdleConnections()
  })
  await dispatcher.idle()
  await temporal.connection.close()
  await db.end()
}
process.on('SIGTERM', stop)
process.on('SIGINT', stop)
