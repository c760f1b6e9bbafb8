/** Finds ports to listen on: the wanted ones, and free ones where those are taken. */
import { once } from 'node:events'
import { createServer } from 'node:net'

export type WantedPort = { name: string; port: number }

/**
 * Starts something that listens on these ports. Where another program takes one between the look and the
 * start, free ones are tried in its place.
 */
export async function onFreePorts<T>(
  wanted: readonly WantedPort[],
  say: (line: string) => void,
  start: (...ports: number[]) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const ports = await Promise.all(wanted.map(({ port }) => freePort(port)))
    try {
      const started = await start(...ports)
      for (const [index, { name, port }] of wanted.entries()) {
        if (port !== 0 && port !== ports[index]) {
          say(`Port ${port} is busy: ${name} uses ${ports[index]} instead.`)
        }
      }
      return started
    } catch (error) {
      const stillFree = await Promise.all(ports.map(isFree))
      if (attempt === 5 || stillFree.every(Boolean)) throw error
    }
  }
}

export async function freePort(wanted = 0): Promise<number> {
  if (wanted !== 0 && (await isFree(wanted))) return wanted
  for (;;) {
    const port = await listen(0, '127.0.0.1')
    if (port !== null && (await isFree(port))) return port
  }
}

/** Free on every address that `localhost` may mean, or else some clients would reach another program. */
async function isFree(port: number): Promise<boolean> {
  for (const host of ['127.0.0.1', '::1', '0.0.0.0', '::']) {
    if ((await listen(port, host)) === null) return false
  }
  return true
}

/** The port it could listen on, or null when that is taken. */
async function listen(port: number, host: string): Promise<number | null> {
  const server = createServer()
  try {
    server.listen({ port, host, exclusive: true })
    await once(server, 'listening')
    return (server.address() as { port: number }).port
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // A machine without IPv6 has nobody listening there either.
    return code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT' ? port : null
  } finally {
    if (server.listening) {
      server.close()
      await once(server, 'close')
    }
  }
}
