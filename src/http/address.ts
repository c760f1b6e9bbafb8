/** The address that a request comes from: behind a proxy it is the proxy's, unless `TRUST_PROXY` names the proxy. */
import type { Request } from 'express'
import type { By } from '../domain/access/audit.ts'
import { shownAddress } from '../use-cases/access/address.ts'

export const ipOf = ({ ip = '' }: Request): string => ip

/** Returns who sends a request, and from where. */
export const byOf = ({ actor }: Pick<By, 'actor'>, req: Request): By => ({
  actor,
  address: shownAddress(ipOf(req)),
})
