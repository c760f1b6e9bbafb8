/** An API that dies after it commits the first effect of a request and before it responds. */
import { once } from 'node:events'
import { join } from 'node:path'
import { createHttpServer } from '../../src/http/server.ts'
import { readConfig } from '../../src/process/config.ts'
import { createLogger } from '../../src/process/log.ts'

// The source of the pages contains JSX, which Node.js cannot run.
const { composeApi } = (await import(
  join(process.env.COMPILED ?? '', 'src/compose/api.js')
)) as typeof import('../../src/compose/api.ts')
const config = readConfig(process.env)
const die = () => process.kill(process.pid, 'SIGKILL')
const { app } = composeApi(config, createLogger('silent', 'dying-server'), {
  wrap: (deps) => ({
    ...deps,
    // A command is applied when `run` returns. Other changes are durable when the notifier is notified of their events.
    gateway: { ...deps.gateway, run: (request) => deps.gateway.run(request).finally(die) },
    notifier: { ...deps.notifier, notify: die },
  }),
})
const server = createHttpServer(app).listen(config.PORT, '127.0.0.1')
await once(server, 'listening')
process.send?.('ready')
