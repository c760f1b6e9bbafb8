/**
 * Ensures that deliveries connect only to public addresses. Checks the address of each connection, so that a name whose
 * address changes later cannot bypass the check.
 */
import { constants, createHash } from 'node:crypto'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { DEFAULT_CIPHERS, rootCertificates } from 'node:tls'
import { LRUCache } from 'lru-cache'
import { Agent, buildConnector } from 'undici'
import { isPublicAddress, withoutBrackets } from '../contracts/public-address.ts'
import { readPem } from '../process/settings-error.ts'
import { observeConnection } from './connection.ts'
import { limitHandshake } from './handshake.ts'
import { createResolver, type Resolve } from './resolver.ts'

class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress'
  readonly code = 'FORBIDDEN_ADDRESS'
}

/** Creates a lookup that returns only checked addresses. Refuses a name unless all its addresses are public. */
export const guardedLookup =
  (resolve: Resolve): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, [])
      if (!addresses.every(({ address }) => isPublicAddress(address))) {
        return callback(new ForbiddenAddress('the name resolves to an address that is not public'), [])
      }
      if (options.all) return callback(null, addresses)
      const [first] = addresses
      callback(null, first?.address ?? '', first?.family)
    })
  }

interface EgressOptions {
  readonly allowPrivate: boolean
  /** A PEM file with certificate authorities to trust in addition to the usual ones. */
  readonly caFile?: string | undefined
  readonly resolve?: Resolve
}

/** The maximum size of a receiver's response headers. */
const MAX_HEADER_BYTES = 64 * 1024

/**
 * Excludes the key exchange in which a receiver can choose any group, because a large one blocks the process for half a
 * second in each handshake.
 */
const CIPHERS = `${DEFAULT_CIPHERS}:!kDHE`

/** Refuses further handshakes on a connection, which a receiver could start without end. */
const SECURE_OPTIONS = constants.SSL_OP_NO_RENEGOTIATION

const CONNECT_MS = 10_000

/** Connections that share their certificates. */
export interface Connections extends Pick<Agent, 'dispatch' | 'close'> {
  /** Sends a request on a new connection. */
  readonly dispatchAnew: Agent['dispatch']
}

/** The certificates of a URL, as PEM. */
interface Certificates {
  /** The authorities that the receiver's certificate must chain to. Null for the usual ones. */
  readonly ca: string | null
  readonly client: { readonly certificate: string; readonly key: string } | null
}

/** A URL with certificates of its own, or without. */
interface CertifiedUrl {
  readonly id: string
  readonly certificates: Certificates | null
}

/** The connections for deliveries. */
export interface Egress extends Connections {
  /**
   * Returns the connections for a URL. A URL with certificates has connections of its own, because a client certificate
   * must not be used for another vault.
   */
  ofUrl(url: CertifiedUrl | undefined): Connections
}

/** The maximum number of URLs with certificates whose connections are kept. */
const MAX_CERTIFIED = 500

export function createEgress({ allowPrivate, caFile, resolve = createResolver() }: EgressOptions): Egress {
  const lookup = allowPrivate ? {} : { lookup: guardedLookup(resolve) }
  const usualCa =
    caFile === undefined ? {} : { ca: [...rootCertificates, readPem('WEBHOOK_CA_FILE', caFile)] }

  function connect(certificates: Certificates | null): Connections {
    const { ca, client } = certificates ?? { ca: null, client: null }
    const tcp = buildConnector({ timeout: CONNECT_MS, ...lookup })
    const tls = buildConnector({
      timeout: CONNECT_MS,
      ciphers: CIPHERS,
      secureOptions: SECURE_OPTIONS,
      ...usualCa,
      ...(ca !== null && { ca }),
      ...(client && { cert: client.certificate, key: client.key }),
    })
    const direct: buildConnector.connector = (options, callback) => {
      if (options.protocol !== 'https:') {
        return tcp(options, (...[error, socket]) => {
          if (error) return callback(error, null)
          observeConnection(socket)
          callback(null, socket)
        })
      }
      tcp({ ...options, protocol: 'http:', port: options.port || '443' }, (...[error, socket]) => {
        if (error) return callback(error, null)
        const { stream, complete } = limitHandshake(socket)
        tls({ ...options, httpSocket: stream as Socket }, (...[failure, secured]) => {
          if (failure) return callback(failure, null)
          observeConnection(secured, complete())
          callback(null, secured)
        })
      })
    }
    const guarded: buildConnector.connector = (options, callback) => {
      const host = withoutBrackets(options.hostname)
      if (!allowPrivate && isIP(host) && !isPublicAddress(host)) {
        callback(new ForbiddenAddress('the address is not public'), null)
      } else {
        direct(options, callback)
      }
    }
    const common = { connect: guarded, maxHeaderSize: MAX_HEADER_BYTES }
    const kept = new Agent({ ...common, pipelining: 1 })
    // Closes each connection after one request.
    const single = new Agent({ ...common, pipelining: 0 })
    return {
      dispatch: kept.dispatch.bind(kept),
      dispatchAnew: single.dispatch.bind(single),
      close: async () => void (await Promise.all([kept.close(), single.close()])),
    }
  }

  const usual = connect(null)
  const certified = new LRUCache<string, Connections>({
    max: MAX_CERTIFIED,
    // Requests in progress end first.
    dispose: (connections) => void connections.close(),
  })
  return {
    ...usual,
    ofUrl(url) {
      if (!url?.certificates) return usual
      const key = createHash('sha256')
        .update(JSON.stringify([url.id, url.certificates]))
        .digest('hex')
      const known = certified.get(key) ?? connect(url.certificates)
      certified.set(key, known, { noDisposeOnSet: true })
      return known
    },
    async close() {
      await Promise.all([usual, ...certified.values()].map((each) => each.close()))
    },
  }
}
