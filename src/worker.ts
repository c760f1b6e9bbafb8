/** The worker process: entities, deliveries and housekeeping, each with a worker of its own. */
import { createServer } from 'node:http'
import { composeWorker } from './compose.ts'
import { configOrExit } from './config.ts'
import { createLogger, logCrash } from './log.ts'
import { installRuntime } from './temporal/workers.ts'

const config = configOrExit()
const log = createLogger(config.LOG_LEVEL, 'worker')
logCrash(log)
installRuntime(log)
const worker = await composeWorker(config, log)

const health = createServer((req, res) => {
  res.writeHead(req.url === '/livez' || worker.polls() ? 200 : 503).end()
})
if (config.HEALTH_PORT !== undefined) health.listen(config.HEALTH_PORT, config.HOST)
log.info('the workers poll')
if (config.SCREENING === 'off') log.warn('SCREENING is off: nobody is looked for on lists of sanctions')
process.send?.('ready')

process.on('SIGTERM', worker.stop)
process.on('SIGINT', worker.stop)

await worker.ended
health.close()
// The parent's channel would keep the process alive.
process.disconnect?.()
