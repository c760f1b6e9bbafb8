/** A webhook receiver that verifies every signature as the specification requires. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TlsOptions } from 'node:tls'
import type { Certificate } from '../../dev/certificates.ts'
import { eventually } from './instance.ts'
import { wholeBody } from './whole-body.ts'

export interface Received {
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects
  readonly attributes: any
  readonly body: string
  readonly headers: IncomingHttpHeaders
  readonly signature: string
  readonly at: number
}

type Respond = (res: ServerResponse, nth: number) => void

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

const accept: Respond = (res) => res.writeHead(200).end('thank you')

/** Starts a receiver. `respond` also receives the number of earlier deliveries. */
export async function startReceiver(respond: Respond = accept, certificate?: Certificate & TlsOptions) {
  const received: Received[] = []
  const listener = async (req: IncomingMessage, res: ServerResponse) => {
    const bytes = await wholeBody(req)
    if (!bytes) return
    const body = bytes.toString('utf8')
    const { data, error } = JSON.parse(body)
    received.push({
      ...(data ?? error),
      body,
      headers: req.headers,
      signature: String(req.headers['service-signature']),
      at: Date.now(),
    })
    respond(res, received.length - 1)
  }
  const server = certificate ? createTlsServer(certificate, listener) : createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: certificate ? `https://localhost:${port}/hook` : `http://127.0.0.1:${port}/hook`,
    received,
    /** Waits for the event's first delivery. */
    waitFor: (event: string, withinMs?: number): Promise<Received> =>
      eventually(() => {
        const found = received.find((each) => each.event === event)
        if (!found) throw new Error(`no ${event} arrived, only ${received.map((each) => each.event)}`)
        return found
      }, withinMs),
    async stop(): Promise<void> {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Verifies a signature as the specification describes, independently of the sending code. */
export function verifies(secret: string, { signature, body, at }: Received): boolean {
  const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature) ?? []
  if (!t || !v1) return false
  const expected = createHmac('sha256', secret).update(`${t}.${body}`).digest()
  return timingSafeEqual(expected, Buffer.from(v1, 'hex')) && Math.abs(at / 1000 - Number(t)) <= 300
}
