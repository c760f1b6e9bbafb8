/** The HTTP server: how long a request may take to arrive, and what those hear who cannot be understood. */
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http'
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

export function createHttpServer(app: RequestListener, limits: ServerOptions = {}): Server {
  const server = createServer({ ...LIMITS, ...limits }, app)
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
