/**
 * Observes the connections for deliveries, and hides 100 Continue responses, at which undici would give up. Limits the
 * data that a receiver sends for each request, because undici also reads endless interim responses and trailers.
 */
import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'

/** The state of the latest request on a connection. */
export interface Connection {
  /** True if an earlier request used the connection. */
  isReused: boolean
  /** True if the receiver has sent a part of its response. */
  isAnswered: boolean
  /** The first error of the connection. Undici may report a later one, which is less specific. */
  failure: Error | null
}

/**
 * The maximum size of everything that a receiver sends for one request, in bytes. The headers and the body that are read
 * take up to 128 kB of it.
 */
const MAX_RESPONSE_BYTES = 160_000
/** The maximum number of responses that a connection over HTTP/2 carries at the same time. */
const MAX_SHARED = 50

/** How many bytes a receiver may still send. */
export interface Allowance {
  left: number
}

/** Allows a response. Over HTTP/2, adds to the allowance, because several requests share the connection. */
export function allowResponse(allowance: Allowance, isShared = false): Allowance {
  const left = isShared ? Math.min(allowance.left, MAX_RESPONSE_BYTES * (MAX_SHARED - 1)) : 0
  return Object.assign(allowance, { left: left + MAX_RESPONSE_BYTES })
}

export class ResponseTooLong extends Error {
  override readonly name = 'ResponseTooLong'
  readonly code = 'RESPONSE_TOO_LONG'
}

interface Known extends Connection {
  isUsed: boolean
  readonly isShared: boolean
  readonly allowance: Allowance
}

const CONNECTIONS = new WeakMap<object, Known>()

const CONTINUE = /^HTTP\/1\.1 100\b/
const STATUS_AT = 'HTTP/1.1 '.length

/** Starts to observe a new connection. `counted` is an allowance from which the caller deducts the bytes. */
export function observeConnection(socket: Socket, counted?: Allowance): void {
  const allowance = counted ?? allowResponse({ left: 0 })
  const isShared = (socket as Partial<TLSSocket>).alpnProtocol === 'h2'
  const state = { isUsed: false, isReused: false, isAnswered: false, failure: null }
  const connection: Known = { ...state, isShared, allowance }
  CONNECTIONS.set(socket, connection)
  socket.once('error', (error) => {
    connection.failure = error
  })
  const read = socket.read.bind(socket)
  socket.read = (size) => {
    const chunk: unknown = read(size)
    if (chunk !== null) connection.isAnswered = true
    if (!counted && Buffer.isBuffer(chunk)) allowance.left -= chunk.length
    if (allowance.left < 0 && !socket.destroyed) socket.destroy(new ResponseTooLong())
    // Replaces the status with that of another interim response, which undici skips.
    if (Buffer.isBuffer(chunk) && CONTINUE.test(chunk.toString('latin1', 0, 13)))
      chunk.write('103', STATUS_AT)
    return chunk
  }
}

type Find = (connection: Connection) => void
let starting: Find | null = null

subscribe('undici:client:sendHeaders', (message) => {
  const connection = CONNECTIONS.get((message as { socket: object }).socket)
  if (!connection || !starting) return
  connection.isReused = connection.isUsed
  connection.isUsed = true
  connection.isAnswered = false
  allowResponse(connection.allowance, connection.isShared)
  starting(connection)
  starting = null
})

/** Calls back with the connection of the request that undici sends next. Undici sends it in the same tick. */
export function findConnection(found: Find): void {
  starting = found
}
