/** Where a request comes from: as a hash, for counting; as it is for the audit trail alone, which seals it. */
import type { Request } from 'express'
import ipaddr from 'ipaddr.js'
import type { By } from '../domain/access/audit.ts'
import type { Encryption } from '../storage/encryption.ts'

/** Behind a proxy the address is the proxy's, unless `TRUST_PROXY` says whom to believe. */
export const addressKey = (encryption: Encryption, req: Request): string =>
  encryption.hash(sourceOf(req.ip ?? ''), 'address').toString('base64url')

/** An IPv6 customer has a network of 64 bits, and as many addresses as they like. */
function sourceOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString()
}

/** Who sends a request, and from where. */
export const byOf = ({ actor }: Pick<By, 'actor'>, { ip = '' }: Request): By => ({
  actor,
  address: ipaddr.isValid(ip) ? ipaddr.process(ip).toString() : null,
})
