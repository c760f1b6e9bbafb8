/** Finds ports to listen on: the wanted ones, and free ones where those are taken. */
import getPort, { clearLockedPorts } from 'get-port'

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
      clearLockedPorts() // what was given out a moment ago counts as busy otherwise
      const now = await Promise.all(ports.map(freePort))
      if (attempt === 5 || ports.every((port, index) => port === now[index])) throw error
      clearLockedPorts()
    }
  }
}

/** The wanted port when it is free on every address of this machine, else any free one. */
export const freePort = (wanted = 0): Promise<number> => getPort({ port: wanted })
