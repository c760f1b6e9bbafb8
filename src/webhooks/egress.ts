/**
 * Ensures that deliveries connect only to public addresses. Checks the address of each connection, so that a name whose
 * address changes later cannot bypass the check.
 */
import { isIP, type LookupFunction } from 'node:net'
import { rootCertificates } from 'node:tls'
import { Agent, buildConnector } from 'undici'
import { isPublicAddress, withoutBrackets } from '../contracts/public-address.ts'
import { readPem } from '../process/settings-error.ts'
import { observeConnection } from './connection.ts'
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

/** The connections for deliveries. */
export interface Egress extends Pick<Agent, 'dispatch' | 'close'> {
  /** Sends a request on a new connection. */
  readonly dispatchAnew: Agent['dispatch']
}

export function createEgress({ allowPrivate, caFile, resolve = createResolver() }: EgressOptions): Egress {
  const connect = buildConnector({
    timeout: 10_000,
    ...(caFile === undefined ? {} : { ca: [...rootCertificates, readPem('WEBHOOK_CA_FILE', caFile)] }),
    ...(allowPrivate ? {} : { lookup: guardedLookup(resolve) }),
  })
  const guarded: buildConnector.connector = (options, callback) => {
    const host = withoutBrackets(options.hostname)
    if (!allowPrivate && isIP(host) && !isPublicAddress(host)) {
      callback(new ForbiddenAddress('the address is not public'), null)
    } else {
      connect(options, (...result) => {
        if (result[1]) observeConnection(result[1])
        callback(...result)
      })
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
