/** Finds ports to listen on. If a preferred port is taken, chooses another free one. */
import getPort, { clearLockedPorts } from 'get-port'

export type WantedPort = { name: string; port: number }

/** Starts a server on these ports. If another program takes a port between the check and the start, tries free ones. */
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
          say(`Port ${port} is busy. ${name} uses port ${ports[index]} instead.`)
        }
      }
      return started
    } catch (error) {
      clearLockedPorts() // recently returned ports would count as busy
      const now = await Promise.all(ports.map(freePort))
      if (attempt === 5 || ports.every((port, index) => port === now[index])) throw error
      clearLockedPorts()
    }
  }
}

/** Returns the preferred port if it is free on every address of this machine, otherwise a free one. */
export const freePort = (wanted = 0): Promise<number> => getPort({ port: wanted })
