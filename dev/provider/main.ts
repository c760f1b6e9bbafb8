/** Command: `npm run provider`. Runs an example of a verification provider for an instance (docs/providers.md). */
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { findInstance } from '../instance.ts'
import { stopOnSignals } from '../interrupt.ts'
import { readSettings } from '../settings.ts'
import { UserFacingError } from '../user-facing-error.ts'
import { createProvider } from './provider.ts'

const USAGE = `Usage: npm run provider -- [options]

Receives verification checks, fetches the documents and sends a result.

  --port 4100       port to listen on
  --secret ...      VERIFICATION_PROVIDER_SECRET; default: the secret of the running instance
  --delay 2000      delay between the documents and the result, in milliseconds`

const OTHERWISE = 'For another instance, add its secret with --secret ...'

const print = (line: string) => console.log(`${new Date().toTimeString().slice(0, 8)}  ${line}`)

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string', default: '4100' },
        secret: { type: 'string' },
        delay: { type: 'string', default: '2000' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    const [port, delayMs] = [Number(values.port), Number(values.delay)]
    if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error('--port requires a port.')
    if (!Number.isInteger(delayMs) || delayMs < 0)
      throw new Error('--delay requires a number of milliseconds.')
    return { ...values, port, delayMs }
  } catch (error) {
    throw new UserFacingError(`${(error as Error).message}\n\n${USAGE}`)
  }
}

function secretOfInstance(): string {
  const { provider_secret } = findInstance(readSettings(process.env).DATA_DIR, OTHERWISE)
  if (provider_secret) return provider_secret
  throw new UserFacingError(
    'The running instance has no verification provider. Start it with VERIFICATION_PROVIDER=http npm start.',
  )
}

async function main(stopped: AbortSignal): Promise<void> {
  const { help, port, delayMs, secret: given } = readOptions()
  if (help) return console.log(USAGE)
  const secret = given ?? secretOfInstance()
  const server = createProvider({ secret, delayMs, print }).listen(port, '127.0.0.1')
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new UserFacingError(`Port ${port} is busy. Choose another port with --port.`)
  })
  print(`Listening for checks on http://127.0.0.1:${port}/. To stop, press Ctrl-C.`)
  if (!stopped.aborted) await once(stopped, 'abort')
  server.close()
  server.closeAllConnections()
}

try {
  await main(stopOnSignals(print))
} catch (error) {
  console.error(error instanceof UserFacingError ? error.message : String((error as Error).stack))
  process.exitCode = 1
}
process.exit()
