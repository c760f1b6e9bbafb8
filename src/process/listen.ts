/** Makes servers listen at the configured address. */
import { once } from 'node:events'
import type { Server } from 'node:http'
import { SettingsError } from './settings-error.ts'

/** The first socket that systemd passes to a service (sd_listen_fds). */
const PASSED_SOCKET = 3

/** Waits until the server listens. If it cannot listen, throws a SettingsError that names the settings. */
export async function listen(server: Server, [port, host]: [number, string], settings: string) {
  try {
    await once(server.listen(port, host), 'listening')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new SettingsError(`${settings}: the process cannot listen on ${host}:${port} (${code}).`, { cause })
  }
}

/**
 * Listens on the socket that systemd has passed, or else at the address. systemd keeps its socket open while the
 * process restarts, so connections wait instead of being refused or reset.
 */
export async function listenOnSocket(server: Server, address: [number, string], settings: string) {
  const { LISTEN_FDS, LISTEN_PID } = process.env
  if (LISTEN_FDS !== '1' || LISTEN_PID !== String(process.pid)) return listen(server, address, settings)
  await once(server.listen({ fd: PASSED_SOCKET }), 'listening')
}
