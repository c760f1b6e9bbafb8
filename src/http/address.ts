/** Determines the address from which a request was sent. Behind a proxy, this requires `TRUST_PROXY`. */
import type { Request } from 'express'
import type { By } from '../domain/access/audit.ts'
import { shownAddress } from '../use-cases/credentials/address.ts'

export const ipOf = ({ ip = '' }: Request): string => ip

/**
 * Returns the caller of a request with the caller's address, for the audit trail. Most requests record no address, so it
 * is formatted when it is read. The connection may be closed by then.
 */
export function byOf({ actor }: Pick<By, 'actor'>, req: Request): By {
  const ip = ipOf(req)
  return {
    actor,
    get address() {
      return shownAddress(ip)
    },
  }
}
