/**
 * Limits the data that receivers send during and after TLS handshakes. The main thread verifies all certificates that a
 * receiver sends. A long chain of certificates with unusual keys would block it for half a second, and many handshakes at
 * the same time would block it for longer.
 */
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { type Allowance, allowResponse, ResponseTooLong } from './connection.ts'

/** The maximum size of the receiver's part of a handshake. Usual ones take less than 10 kB. */
const MAX_HANDSHAKE_BYTES = 32_000

class CertificatesTooLarge extends Error {
  override readonly name = 'CertificatesTooLarge'
  readonly code = 'CERTIFICATES_TOO_LARGE'
}

/** A connection on which TLS can be used. */
interface LimitedSocket {
  readonly stream: Duplex
  /** Allows a response instead of a handshake, and returns this allowance. */
  readonly complete: () => Allowance
}

/** How long handshakes may take in each turn of the event loop, before other work runs. */
const TURN_MS = 10

const waiting: (() => void)[] = []

/** Runs the parts of all handshakes in their order. */
function inTurn(part: () => void): void {
  if (waiting.push(part) === 1) setImmediate(runTurn)
}

function runTurn(): void {
  const until = performance.now() + TURN_MS
  while (waiting.length > 0 && performance.now() < until) {
    // While it runs, it stays in the list, so that a part that it adds does not start a second turn.
    waiting[0]?.()
    waiting.shift()
  }
  if (waiting.length > 0) setImmediate(runTurn)
}

/** Wraps a connection. Fails if the receiver sends more than it may. */
export function limitHandshake(socket: Socket): LimitedSocket {
  const allowance: Allowance = { left: MAX_HANDSHAKE_BYTES }
  let isComplete = false
  let parts = 0
  const stream = new Duplex({
    read: () => void socket.resume(),
    write: (chunk, _encoding, done) => void socket.write(chunk, done),
    final: (done) => void socket.end(done),
    destroy: (error, done) => {
      socket.destroy()
      done(error)
    },
  })
  const tooMuch = () =>
    isComplete ? new ResponseTooLong() : new CertificatesTooLarge('the receiver sent too many certificates')
  const push = (chunk: Buffer | string | null) => void (stream.push(chunk) || socket.pause())
  const pass = (chunk: Buffer | string | null) => {
    if (isComplete && parts === 0) return push(chunk)
    parts += 1
    inTurn(() => {
      if (!stream.destroyed) push(chunk)
      parts -= 1
    })
  }
  socket.on('data', (chunk) => {
    allowance.left -= chunk.length
    if (allowance.left < 0) stream.destroy(tooMuch())
    else pass(chunk)
  })
  socket.on('end', () => pass(null))
  socket.on('error', (error) => stream.destroy(error))
  socket.on('close', () => stream.destroy())
  const complete = () => {
    isComplete = true
    return allowResponse(allowance)
  }
  return { stream, complete }
}
