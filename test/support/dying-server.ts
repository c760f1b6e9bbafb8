/** An API that dies right after the first effect of a request was committed and before it is answered. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createTokens } from '../../src/access/tokens.ts'
import { readConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/db/database.ts'
import { readSigningKeys } from '../../src/db/signing-key.ts'
import { createApp } from '../../src/http/app.ts'
import { createLogger } from '../../src/log.ts'
import { createBlobStore } from '../../src/storage/blob-store.ts'
import { createEncryption } from '../../src/storage/encryption.ts'
import { openTemporal } from '../../src/temporal/client.ts'
import { createGateway } from '../../src/temporal/gateway.ts'
import { createNotifier } from '../../src/webhooks/notifier.ts'

const config = readConfig(process.env)
const log = createLogger('silent', 'dying-server')
const encryption = createEncryption(config)
const db = openDatabase(config.DATABASE_URL, encryption, log)
const temporal = openTemporal({ address: config.TEMPORAL_ADDRESS, namespace: config.TEMPORAL_NAMESPACE })
const gateway = createGateway({ db, temporal })
const dispatcher = createNotifier({ db, log })
const die = () => process.kill(process.pid, 'SIGKILL')

const app = createApp({
  config,
  db,
  blobs: createBlobStore(config.BLOB_DIR, encryption),
  temporal,
  // A command is applied once `run` returns; something new is durable once its events are handed over.
  gateway: { ...gateway, run: (request) => gateway.run(request).finally(die) },
  dispatcher: { ...dispatcher, add: die },
  tokens: createTokens(() => readSigningKeys(db, config.TOKEN_ROTATION_DAYS), config.ENVIRONMENT),
  log,
})
const server = createServer(app).listen(config.PORT, '127.0.0.1')
await once(server, 'listening')
process.send?.('ready')
