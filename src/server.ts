/** Runs the API process. */
import './process/node.ts'

import { createHttpServer, stopServer } from './http/server.ts'
import { configOrExit } from './process/config.ts'
import { listenOnSocket } from './process/listen.ts'
import { createLogger, logCrash } from './process/log.ts'
import { startTracing } from './process/tracing.ts'
import { startWatchdog } from './process/watchdog.ts'

const { composeApi } = await import('./compose/api.ts')
const { serveMetrics } = await import('./compose/metrics.ts')

const config = configOrExit()
const log = createLogger(config.LOG_LEVEL, 'api')
logCrash(log)
const tracing = await startTracing(config, 'gatehouse-api', log)
const api = composeApi(config, log, { tracing })

const { METRICS_PORT: metricsPort, METRICS_HOST: host } = config
const metrics =
  metricsPort === undefined ? null : await serveMetrics(api.metrics, { port: metricsPort, host })
const server = createHttpServer(api.app)

let stopping = false
async function stop(): Promise<void> {
  if (stopping) return
  stopping = true
  api.leave()
  await stopServer(server)
  await api.stop()
  metrics?.close().closeAllConnections()
  // Exits even if a request to a trace collector that does not respond would keep the process alive.
  setTimeout(() => process.exit(), 1_000).unref()
}
process.on('SIGTERM', stop)
process.on('SIGINT', stop)

await listenOnSocket(server, [config.PORT, config.HOST], 'PORT, HOST')
log.info({ port: config.PORT, environment: config.ENVIRONMENT }, 'API is listening')
process.send?.('ready')
startWatchdog()
