/** Addresses of callers: the key that limits count by, and the text that the audit trail stores encrypted. */
import ipaddr from 'ipaddr.js'
import type { Encryption } from '../../storage/encryption.ts'

/** Returns a hash: limits need to tell addresses apart, not to know them. */
export const addressKey = (encryption: Encryption, ip: string): string =>
  encryption.hash(sourceOf(ip), 'address').toString('base64url')

/** An IPv6 customer has a network of 64 bits, so the whole network counts as one address. */
function sourceOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString()
}

/** Returns the address in its usual form, or null if the text is no address. */
export const shownAddress = (ip: string): string | null =>
  ipaddr.isValid(ip) ? ipaddr.process(ip).toString() : null
