/** Where a request comes from, for counting: a hash, so that no address is kept. */
import type { Request } from 'express'
import ipaddr from 'ipaddr.js'
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
