/** Runs several receivers, each on its own port. They count events and measure their latency. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { now } from './clock.ts'

type Manner = 'accepts' | 'fails' | 'hangs'

/** The behaviour of each receiver, from the comma-separated argument. */
const manners = (process.argv[2] ?? 'accepts').split(',') as Manner[]

let counts = manners.map(() => 0)
let latencies: number[] = []
let last = 0

const ANSWERS: Record<Manner, (res: ServerResponse) => void> = {
  accepts: (res) => res.writeHead(200, { 'Content-Length': 2 }).end('ok'),
  fails: (res) => res.writeHead(500, { 'Content-Length': 0 }).end(),
  hangs: () => {},
}

const servers = manners.map((manner, i) => {
  const server = createServer((req: IncomingMessage, res: ServerResponse) => {
    let body = ''
    req.setEncoding('utf8')
    req.on('data', (chunk) => {
      body += chunk
    })
    req.on('end', () => {
      last = now()
      counts[i] = (counts[i] ?? 0) + 1
      const sentAt = /"sent_at":([\d.]+)/.exec(body)?.[1]
      if (sentAt) latencies.push(last - Number(sentAt))
      ANSWERS[manner](res)
    })
  })
  server.keepAliveTimeout = 60_000
  return server.listen(0, '127.0.0.1')
})
await Promise.all(servers.map((server) => once(server, 'listening')))
const ports = servers.map((server) => (server.address() as AddressInfo).port)

export interface Received {
  readonly counts: number[]
  readonly latencies: number[]
  readonly last: number
}

process.on('message', (message) => {
  const received: Received = { counts, latencies, last }
  if (message === 'reset') {
    counts = manners.map(() => 0)
    latencies = []
  }
  process.send?.(received)
})
process.send?.({ ports })
