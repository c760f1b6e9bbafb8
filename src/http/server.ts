/** The HTTP server: how long a request may take to arrive, and what those hear who cannot be understood. */
import {
  createServer,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ERRORS, type ErrorCode } from '../domain/errors.ts'

const LIMITS = {
  /** For the whole request: an upload of 10 MB on a line of 1.5 Mbit/s. */
  requestTimeout: 60_000,
  headersTimeout: 10_000,
  /** Longer than load balancers keep a connection idle, so that it is theirs to close. */
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16_384,
} as const satisfies ServerOptions

const CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** Told to an answer whose request does not arrive, with the code; who listens answers. */
export const REFUSED = 'refused'

/** The answers that each server has not finished. */
const IN_PROGRESS = new WeakMap<Server, Set<ServerResponse>>()

export function createHttpServer(app: RequestListener, limits: ServerOptions = {}): Server {
  const server = createServer({ ...LIMITS, ...limits })
  const inProgress = new Set<ServerResponse>()
  IN_PROGRESS.set(server, inProgress)
  const ofSocket = new WeakMap<Socket, Set<ServerResponse>>()
  server.on('connection', (socket) => {
    const own = new Set<ServerResponse>()
    ofSocket.set(socket, own)
    socket.on('close', () => {
      // Node tells only the answer that is being sent: those behind it, to requests sent at once, would never end.
      for (const res of own) if (!res.socket) res.destroy().emit('close')
    })
  })
  server.on('request', ({ socket }, res) => {
    const own = ofSocket.get(socket)
    for (const all of [inProgress, own]) all?.add(res)
    res.on('close', () => {
      for (const all of [inProgress, own]) all?.delete(res)
    })
  })
  server.on('request', app)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const code = CODES[error.code ?? ''] ?? 'malformed_request'
    const unread = [...(ofSocket.get(socket as Socket) ?? [])].find(({ req }) => !req.complete)
    // Pages say it in the words of their reader, where so much arrived that there is a request.
    const isSaid = unread && !unread.headersSent && unread.emit(REFUSED, code)
    // Whoever still reads the request hears that it has ended.
    if (isSaid) unread.on('finish', () => unread.req.destroy())
    else refuse(socket as Socket, code)
  })
  return server
}

/** Where no request came out of what was sent, there is no response object to answer with. */
function refuse(socket: Socket, code: ErrorCode): void {
  const { status, message } = ERRORS[code]
  const body = JSON.stringify({ errors: [{ code, message }] })
  const head = [`HTTP/1.1 ${status} ${code}`, 'Content-Type: application/json; charset=utf-8']
  head.push(`Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close')
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}

/** Whoever looks whether the process is ready has seen by then that it is not. */
const LEAVING_MS = 2_000
/** How long what is under way may take after that. */
const ENDING_MS = 6_000
const SWEEP_MS = 100

/**
 * Goes on answering for a moment, since who spreads requests has to notice first; then takes no more connections, and
 * closes those it has as soon as nothing is under way on them.
 */
export async function stopServer(server: Server): Promise<void> {
  // A connection that stays open would bring the next request to a process that is about to end.
  const announce = (res: ServerResponse) => res.headersSent || res.setHeader('Connection', 'close')
  for (const res of IN_PROGRESS.get(server) ?? []) announce(res)
  server.prependListener('request', (_req, res) => announce(res))
  await sleep(LEAVING_MS)
  const closed = new Promise((resolve) => server.close(resolve))
  const sweeping = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
  const ending = setTimeout(() => server.closeAllConnections(), ENDING_MS)
  await closed
  clearInterval(sweeping)
  clearTimeout(ending)
}
