/** Command: `npm run listen`. Prints the webhooks that arrive on this machine, and verifies each. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { stopOnSignals } from '../interrupt.ts'
import { readSettings } from '../settings.ts'
import { UserFacingError } from '../user-facing-error.ts'
import { readOptions, USAGE } from './options.ts'
import { createReceiver } from './receiver.ts'
import { describeOptions, findSettings } from './settings.ts'

const print = (line: string) => console.log(line)
/** Prints to stderr, so that another program can read the events from stdout. */
const note = (line: string) => console.error(line)

async function main(stopped: AbortSignal): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  if (!options) return note(USAGE)
  const { topics } = options
  const settings =
    options.secret === null || topics.length > 0 ? findSettings(readSettings(process.env).DATA_DIR) : null
  const secret = options.secret ?? (await settings?.secret()) ?? ''

  const clientCertificate = options.url.client_certificate ?? null
  const receiver = createReceiver({ ...options, secret, clientCertificate, print, note })
  const server = receiver.listen(options.port, '127.0.0.1')
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new UserFacingError(`Port ${options.port} is busy. Choose another port with --port.`)
  })
  const url = `${options.tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}/`
  note(`Listening on ${url}`)
  try {
    if (topics.length > 0) {
      await settings?.add(url, topics)
      note(`Registered for ${topics.join(', ')}.`)
      const registered = await settings?.configure(url, options.url)
      for (const line of registered ? describeOptions(registered, options.url) : []) note(`  ${line}`)
      void settings?.watchPauses(url, registered?.paused ?? false, note, stopped)
    } else {
      note('Register this URL with PUT /v1/users/update_webhook, or start with --register all.')
    }
    note('To stop, press Ctrl-C.\n')
    if (!stopped.aborted) await once(stopped, 'abort')
  } finally {
    server.close()
    server.closeAllConnections()
    if (topics.length > 0) await settings?.remove(url)
  }
  if (topics.length > 0) note('The URL is no longer registered.')
}

const stopped = stopOnSignals(note)
// The terminal was closed, or the reading program has ended.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
try {
  await main(stopped)
} catch (error) {
  note(error instanceof UserFacingError ? error.message : String((error as Error).stack))
  process.exitCode = 1
}
process.exit()
