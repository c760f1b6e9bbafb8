/** A proxy for PostgreSQL, with or without TLS, that cuts, refuses and stalls connections. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Certificate } from '../../dev/certificates.ts'

export type PostgresProxy = Awaited<ReturnType<typeof startProxy>>

interface Fault {
  /** The proxy cuts the connection that sends this text. */
  readonly text: string
  /** The proxy cuts it before PostgreSQL receives the text, or after the response. */
  readonly when: 'asked' | 'answered'
}

/** The end of a PostgreSQL response. The parse confirmation of a statement precedes it. */
const READY = Buffer.from('Z\0\0\0\x05')

export async function startProxy(databaseUrl: string, certificate?: Certificate) {
  const target = new URL(databaseUrl)
  const open = new Map<Socket, Socket>()
  let fault: Fault | null = null
  let refusing = false
  let stalled = false
  let accepted = 0

  function cut(client: Socket): void {
    client.destroy()
    open.get(client)?.destroy()
    open.delete(client)
  }

  function join(client: Socket, plain: Socket, server: Socket): void {
    let doomed = false
    plain.on('data', (chunk: Buffer) => {
      const met = fault !== null && chunk.includes(fault.text)
      if (met && fault?.when === 'asked') return cut(client)
      doomed ||= met
      server.write(chunk)
    })
    server.on('data', (chunk: Buffer) => (doomed && chunk.includes(READY) ? cut(client) : plain.write(chunk)))
    plain.on('error', () => cut(client))
  }

  const listener = createServer((client) => {
    accepted += 1
    const server = connect(Number(target.port), target.hostname)
    open.set(client, server)
    for (const end of [client, server]) end.on('error', () => cut(client)).on('close', () => cut(client))
    if (refusing) return cut(client)
    if (stalled) client.pause()
    if (!certificate) return join(client, client, server)
    // The client requests TLS.
    client.once('data', () => {
      client.write('S')
      join(client, new TLSSocket(client, { isServer: true, ...certificate }), server)
    })
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const url = new URL(databaseUrl)
  url.port = String((listener.address() as AddressInfo).port)

  return {
    url: url.href,
    accepted: () => accepted,
    cutAt(text: string, when: Fault['when']): void {
      fault = { text, when }
    },
    cutAll(): void {
      for (const client of [...open.keys()]) cut(client)
    },
    refuse(): void {
      refusing = true
      this.cutAll()
    },
    /** Accepts all data and forwards none. */
    stall(): void {
      stalled = true
      for (const ends of open) for (const end of ends) end.pause()
    },
    heal(): void {
      fault = null
      refusing = false
      stalled = false
      for (const ends of open) for (const end of ends) end.resume()
    },
    async stop(): Promise<void> {
      this.cutAll()
      listener.close()
      await once(listener, 'close')
    },
  }
}
