/** The API process. */
import { composeApi } from './compose.ts'
import { configOrExit } from './config.ts'
import { createHttpServer, stopServer } from './http/server.ts'
import { createLogger, logCrash } from './log.ts'

const config = configOrExit()
const log = createLogger(config.LOG_LEVEL, 'api')
logCrash(log)
const api = composeApi(config, log)

const server = createHttpServer(api.app)
server.listen(config.PORT, config.HOST, () => {
  log.info({ port: config.PORT, environment: config.ENVIRONMENT }, 'the API answers')
  process.send?.('ready')
})

let stopping = false
async function stop(): Promise<void> {
  if (stopping) return
  stopping = true
  await stopServer(server)
  await api.stop()
}
process.on('SIGTERM', stop)
process.on('SIGINT', stop)
