/** Makes servers listen at the configured address. */
import { once } from 'node:events'
import type { Server } from 'node:http'
import { SettingsError } from './settings-error.ts'

/** Waits until the server listens. If it cannot listen, throws a SettingsError that names the settings. */
export async function listen(server: Server, [port, host]: [number, string], settings: string) {
  try {
    await once(server.listen(port, host), 'listening')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new SettingsError(`${settings}: the process cannot listen on ${host}:${port} (${code}).`, { cause })
  }
}
