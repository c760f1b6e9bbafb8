/**
 * Limits the TLS handshakes with receivers. The main thread verifies all certificates that a receiver sends, and a long
 * chain of certificates with unusual keys would block it for half a second.
 */
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

/** The maximum size of the receiver's part of a handshake. Usual ones take less than 10 kB. */
const MAX_HANDSHAKE_BYTES = 32_000

class CertificatesTooLarge extends Error {
  override readonly name = 'CertificatesTooLarge'
  readonly code = 'CERTIFICATES_TOO_LARGE'
}

/** A connection on which TLS can be used. */
interface LimitedSocket {
  readonly stream: Duplex
  /** Removes the limit once the handshake is complete. */
  readonly complete: () => void
}

/** Wraps a connection. Fails if the receiver sends too much before the handshake is complete. */
export function limitHandshake(socket: Socket): LimitedSocket {
  let left = MAX_HANDSHAKE_BYTES
  const stream = new Duplex({
    read: () => void socket.resume(),
    write: (chunk, _encoding, done) => void socket.write(chunk, done),
    final: (done) => void socket.end(done),
    destroy: (error, done) => {
      socket.destroy()
      done(error)
    },
  })
  socket.on('data', (chunk) => {
    left -= chunk.length
    if (left < 0) stream.destroy(new CertificatesTooLarge('the receiver sent too many certificates'))
    else if (!stream.push(chunk)) socket.pause()
  })
  socket.on('end', () => stream.push(null))
  socket.on('error', (error) => stream.destroy(error))
  socket.on('close', () => stream.destroy())
  const complete = () => {
    left = Number.POSITIVE_INFINITY
  }
  return { stream, complete }
}
