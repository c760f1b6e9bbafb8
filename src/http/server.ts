/** The HTTP server: how long a request may take to arrive, and what those hear who cannot be understood. */
import {
  createServer,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
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

/** The answers that each server has not finished. */
const UNDER_WAY = new WeakMap<Server, Set<ServerResponse>>()

export function createHttpServer(app: RequestListener, limits: ServerOptions = {}): Server {
  const server = createServer({ ...LIMITS, ...limits })
  const underWay = new Set<ServerResponse>()
  UNDER_WAY.set(server, underWay)
  server.on('request', (_req, res) => {
    underWay.add(res)
    res.on('close', () => underWay.delete(res))
  })
  server.on('request', app)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
    else refuse(socket as Socket, CODES[error.code ?? ''] ?? 'malformed_request')
  })
  return server
}

/** No request came out of what was sent, so there is no response object to answer with. */
function refuse(socket: Socket, code: ErrorCode): void {
  const { status, message } = ERRORS[code]
  const body = JSON.stringify({ errors: [{ code, message }] })
  const head = [`HTTP/1.1 ${status} ${code}`, 'Content-Type: application/json; charset=utf-8']
  head.push(`Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close')
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}

/** How long what is under way may take once the process is to end. */
const ENDING_MS = 8_000
const SWEEP_MS = 100

/** Takes no more connections, answers what is under way on those it has, and closes each after that. */
export async function stopServer(server: Server): Promise<void> {
  // A connection that stays open would bring the next request to a process that is about to end.
  const announce = (res: ServerResponse) => res.headersSent || res.setHeader('Connection', 'close')
  for (const res of UNDER_WAY.get(server) ?? []) announce(res)
  server.prependListener('request', (_req, res) => announce(res))
  const closed = new Promise((resolve) => server.close(resolve))
  const sweeping = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
  const ending = setTimeout(() => server.closeAllConnections(), ENDING_MS)
  await closed
  clearInterval(sweeping)
  clearTimeout(ending)
}
