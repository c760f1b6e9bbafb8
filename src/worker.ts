/** The worker process: entities with housekeeping, deliveries, deliveries to slow hosts, and checks, each with a worker of its own. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { serveMetrics } from './compose/metrics.ts'
import { composeWorker } from './compose/worker.ts'
import { configOrExit } from './process/config.ts'
import { listen } from './process/listen.ts'
import { createLogger, logCrash } from './process/log.ts'
import { startWatchdog } from './process/watchdog.ts'
import { installRuntime } from './temporal/workers.ts'

// Half as much again as is in use, instead of four times as much, may wait to be collected, in each thread.
setFlagsFromString('--heap-growing-percent=50')

const config = configOrExit()
const log = createLogger(config.LOG_LEVEL, 'worker')
logCrash(log)
const { METRICS_PORT: metricsPort, METRICS_HOST: host } = config
// Temporal's core answers for its own metrics, on this machine; ours are answered with them.
const coreAddress = metricsPort === undefined ? undefined : await freeAddress()
installRuntime(log, coreAddress)
const worker = composeWorker(config, log)

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
// The parent's channel would keep the process alive.
process.disconnect?.()
// So would what Temporal's core has under way where Temporal is away, and the core itself that was never connected.
setTimeout(() => process.exit(), 1_000).unref()

/** Who takes it in between ends this process, which is started again. */
async function freeAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return `127.0.0.1:${port}`
}
