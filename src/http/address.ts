/** Reads the address of a request's sender. Behind a proxy, this needs `TRUST_PROXY`. */
import type { Request } from 'express'
import type { By } from '../domain/access/audit.ts'
import { shownAddress } from '../use-cases/access/address.ts'

export const ipOf = ({ ip = '' }: Request): string => ip

/** Returns the sender of a request and its address for the audit trail. */
export const byOf = ({ actor }: Pick<By, 'actor'>, req: Request): By => ({
  actor,
  address: shownAddress(ipOf(req)),
})
