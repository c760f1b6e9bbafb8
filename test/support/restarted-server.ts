/** A second server for the API of an instance, which can be stopped and restarted at its address. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createHttpServer } from '../../src/http/server.ts'
import type { Instance } from './instance.ts'

export async function startServer(gatehouse: Pick<Instance, 'app'>, port = 0) {
  const server = createHttpServer(gatehouse.app).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const { port: own } = server.address() as AddressInfo
  const stop = async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  return { baseUrl: `http://127.0.0.1:${own}`, stop, startAgain: () => startServer(gatehouse, own) }
}
