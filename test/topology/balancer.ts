/**
 * A small reverse proxy for several APIs. It checks their readiness and never repeats a request that may have
 * arrived.
 */
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Balancer = Awaited<ReturnType<typeof startBalancer>>

const ASKED_EVERY_MS = 250

interface Target {
  readonly port: number
  readonly agent: Agent
  ready: boolean
}

export async function startBalancer() {
  const targets: Target[] = []
  let turn = 0

  async function isReady(target: Target): Promise<boolean> {
    const asked = fetch(`http://127.0.0.1:${target.port}/readyz`, { signal: AbortSignal.timeout(2_000) })
    return asked.then(
      async (res) => {
        await res.body?.cancel()
        return res.ok
      },
      () => false,
    )
  }
  const asking = setInterval(() => {
    for (const target of targets) {
      void isReady(target).then((ready) => {
        target.ready = ready
      })
    }
  }, ASKED_EVERY_MS)

  async function pass(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const ready = targets.filter((target) => target.ready)
    turn += 1
    for (let i = 0; i < ready.length; i += 1) {
      const target = ready[(turn + i) % ready.length] as Target
      try {
        return await forward(target, req, Buffer.concat(chunks), res)
      } catch (error) {
        target.ready = false
        // After any other error, the request may have arrived.
        if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') break
      }
    }
    res.writeHead(502).end()
  }

  const server = createServer((req, res) => void pass(req, res)).listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add(port: number): void {
      targets.push({ port, agent: new Agent({ keepAlive: true }), ready: true })
    },
    /** Returns the number of APIs that receive requests. */
    ready: () => targets.filter((target) => target.ready).length,
    async stop(): Promise<void> {
      clearInterval(asking)
      for (const { agent } of targets) agent.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function forward(
  target: Target,
  req: IncomingMessage,
  body: Buffer,
  res: ServerResponse,
): Promise<void> {
  const { port, agent } = target
  const { method, url, headers } = req
  const own = { ...headers, connection: 'keep-alive', 'x-forwarded-for': req.socket.remoteAddress }
  const asked = request({ host: '127.0.0.1', port, agent, method, path: url, headers: own }).end(body)
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  const { connection: _, 'transfer-encoding': __, ...kept } = answer.headers
  res.writeHead(answer.statusCode ?? 502, kept).end(Buffer.concat(chunks))
}
