/** Creates and stops the HTTP server. Limits incoming requests, and responds to requests that cannot be parsed. */
import {
  createServer,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ERRORS, type ErrorCode } from '../domain/base/errors.ts'

const LIMITS = {
  /** The limit for the complete request, which is enough for an upload of 10 MB at 1.5 Mbit/s. */
  requestTimeout: 60_000,
  headersTimeout: 10_000,
  /** Longer than the idle timeout of load balancers, so that they close the connection first. */
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16_384,
  /** `refuseAmbiguousHeaders` responds instead, with the body of an error. */
  requireHostHeader: false,
} as const satisfies ServerOptions

/**
 * How long a client may take to read the rest of a response that Gatehouse has created completely, because the rest
 * occupies memory. It suffices for the largest file at half a megabit per second.
 */
const READING_MS = 180_000

const CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/**
 * The event that a response emits, with the error code, if its request does not arrive completely. A listener must send
 * the response.
 */
export const REFUSED = 'refused'

/** The unfinished responses on each connection of a server. */
const CONNECTIONS = new WeakMap<Server, Map<Socket, Set<ServerResponse>>>()

export function createHttpServer(
  app: RequestListener,
  { readingMs = READING_MS, ...limits }: ServerOptions & { readonly readingMs?: number } = {},
): Server {
  const server = createServer({ ...LIMITS, ...limits })
  const connections = new Map<Socket, Set<ServerResponse>>()
  CONNECTIONS.set(server, connections)
  server.on('connection', (socket) => {
    const own = new Set<ServerResponse>()
    connections.set(socket, own)
    socket.on('close', () => {
      connections.delete(socket)
      // Node.js closes only the response that it is sending. It would never close the responses to pipelined requests.
      for (const res of own) if (!res.socket) res.destroy().emit('close')
    })
  })
  server.on('request', ({ socket }, res) => {
    const own = connections.get(socket)
    own?.add(res)
    res.on('prefinish', () => {
      // A response to a client that has disconnected emits `close` first.
      if (res.destroyed) return
      const late = setTimeout(() => socket.destroy(), readingMs).unref()
      res.on('close', () => clearTimeout(late))
    })
    res.on('close', () => own?.delete(res))
  })
  server.on('request', app)
  // HTTP allows servers to ignore unknown expectations. Node.js would respond without a body.
  server.on('checkExpectation', (req, res) => server.emit('request', req, res))
  server.on('connect', (_req, socket) => refuse(socket as Socket, 'malformed_request'))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const code = CODES[error.code ?? ''] ?? 'malformed_request'
    const unread = [...(connections.get(socket as Socket) ?? [])].find(({ req }) => !req.complete)
    // If the headers have arrived, the pages can respond in the reader's language.
    const hasListener = unread && !unread.headersSent && unread.emit(REFUSED, code)
    // Stops the parser, which is still waiting for the rest of the body.
    if (hasListener) unread.on('finish', () => unread.req.destroy())
    else refuse(socket as Socket, code)
  })
  return server
}

/** Writes the response to the socket, because there is no response object for a request that cannot be parsed. */
function refuse(socket: Socket, code: ErrorCode): void {
  const { status, message } = ERRORS[code]
  const body = JSON.stringify({ errors: [{ code, message }] })
  const head = [`HTTP/1.1 ${status} ${code}`, 'Content-Type: application/json; charset=utf-8']
  head.push(`Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close')
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}

/** Long enough for load balancers to notice that the process is not ready. */
const DRAIN_MS = 2_000
/** How long requests in progress may still take after `DRAIN_MS`. */
const FINISH_MS = 6_000
/** How long a connection without a request must have been silent. */
const SILENT_MS = 500
const SWEEP_MS = 100

/**
 * Stops the server. Serves requests for another `DRAIN_MS`, so that load balancers can remove the process. Then refuses
 * new connections and closes silent ones. Closes all others after `FINISH_MS`.
 */
export async function stopServer(server: Server): Promise<void> {
  const connections = CONNECTIONS.get(server) ?? new Map<Socket, Set<ServerResponse>>()
  // Otherwise, clients would reuse the connection and send the next request to a process that is about to exit.
  const announce = (res: ServerResponse) => res.headersSent || res.setHeader('Connection', 'close')
  for (const own of connections.values()) for (const res of own) announce(res)
  server.prependListener('request', (_req, res) => announce(res))
  await sleep(DRAIN_MS)
  // The server's own methods would also close connections on which a first request is arriving.
  const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve))
  const sweeping = setInterval(createSweep(connections), SWEEP_MS)
  const timeout = setTimeout(() => server.closeAllConnections(), FINISH_MS)
  await closed
  clearInterval(sweeping)
  clearTimeout(timeout)
}

/** Returns a function that closes the connections without a request that have received nothing for `SILENT_MS`. */
function createSweep(connections: ReadonlyMap<Socket, Set<ServerResponse>>): () => void {
  const heard = new Map<Socket, { bytes: number; at: number }>()
  return () => {
    for (const [socket, responses] of connections) {
      const { bytesRead: bytes } = socket
      const last = heard.get(socket)
      if (last?.bytes !== bytes || responses.size > 0) heard.set(socket, { bytes, at: performance.now() })
      else if (performance.now() - last.at >= SILENT_MS) socket.destroy()
    }
  }
}
