/**
 * Runs the worker process. It has four Temporal workers: for entities and housekeeping, for deliveries, for deliveries
 * to slow hosts, and for checks.
 */
import './process/node.ts'

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { configOrExit } from './process/config.ts'
import { listen } from './process/listen.ts'
import { createLogger, logCrash } from './process/log.ts'
import { startTracing } from './process/tracing.ts'
import { startWatchdog } from './process/watchdog.ts'

const { serveMetrics } = await import('./compose/metrics.ts')
const { composeWorker } = await import('./compose/worker.ts')
const { installRuntime } = await import('./temporal/workers.ts')

// Starts garbage collection in each thread when the heap has grown by 50%. By default, it starts only when the heap has
// reached four times its size.
setFlagsFromString('--heap-growing-percent=50')

const config = configOrExit()
const log = createLogger(config.LOG_LEVEL, 'worker')
logCrash(log)
const { METRICS_PORT: metricsPort, METRICS_HOST: host } = config
// Temporal's core serves its metrics on the loopback interface. Gatehouse adds them to its own metrics.
const coreAddress = metricsPort === undefined ? undefined : await freeAddress()
installRuntime(log, coreAddress)
const tracing = await startTracing(config, 'gatehouse-worker', log)
const worker = composeWorker(config, log, undefined, tracing)

const others = async () => (await fetch(`http://${coreAddress}/metrics`)).text()
const metrics =
  metricsPort === undefined ? null : await serveMetrics(worker.metrics, { port: metricsPort, host, others })
const health = createServer(worker.health)
if (config.HEALTH_PORT !== undefined)
  await listen(health, [config.HEALTH_PORT, config.HOST], 'HEALTH_PORT, HOST')
process.on('SIGTERM', worker.stop)
process.on('SIGINT', worker.stop)

await worker.polling
if (worker.polls()) log.info('workers are polling')
if (config.SCREENING === 'off') log.warn('screening is off, so nothing is screened against sanctions lists')
process.send?.('ready')
startWatchdog()

await worker.ended
health.close()
metrics?.close().closeAllConnections()
// The channel to a parent process would keep this process alive.
process.disconnect?.()
// Unfinished calls of Temporal's core, or a core that has never connected, would also keep the process alive.
setTimeout(() => process.exit(), 1_000).unref()

/**
 * Returns a free address. If another process takes the address in the meantime, this process exits and is restarted.
 */
async function freeAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return `127.0.0.1:${port}`
}
