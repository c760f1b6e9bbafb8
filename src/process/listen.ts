/** Servers listen where the settings say. */
import { once } from 'node:events'
import type { Server } from 'node:http'
import { SettingsError } from './settings-error.ts'

/** Resolves once it listens. Throws a SettingsError with the names of the settings where it cannot. */
export async function listen(server: Server, [port, host]: [number, string], settings: string) {
  try {
    await once(server.listen(port, host), 'listening')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new SettingsError(`${settings}: the process cannot listen on ${host}:${port} (${code}).`, { cause })
  }
}
