/**
 * Limits the data that receivers send before, during and after TLS handshakes. The main thread verifies all certificates
 * that a receiver sends, and a long chain of certificates with unusual keys would block it for half a second.
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

/** Wraps a connection. Fails if the receiver sends more than it may. */
export function limitHandshake(socket: Socket): LimitedSocket {
  const allowance: Allowance = { left: MAX_HANDSHAKE_BYTES }
  let isComplete = false
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
  socket.on('data', (chunk) => {
    allowance.left -= chunk.length
    if (allowance.left < 0) stream.destroy(tooMuch())
    else if (!stream.push(chunk)) socket.pause()
  })
  socket.on('end', () => stream.push(null))
  socket.on('error', (error) => stream.destroy(error))
  socket.on('close', () => stream.destroy())
  const complete = () => {
    isComplete = true
    return allowResponse(allowance)
  }
  return { stream, complete }
}
