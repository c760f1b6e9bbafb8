/** Derives limit keys and audit texts from client addresses. */
import ipaddr from 'ipaddr.js'
import type { Encryption } from '../../storage/encryption.ts'

/** Returns a hash of the address's source. A hash is enough, because limits only compare sources. */
export const addressKey = (encryption: Encryption, ip: string): string =>
  encryption.hash(sourceOf(ip), 'address').toString('base64url')

/**
 * Returns a hash of the 48-bit IPv6 network, or null for IPv4. One customer can have all of its 65,536 networks of 64
 * bits.
 */
export const siteKey = (encryption: Encryption, ip: string): string | null => {
  const source = sourceOf(ip).split(':')
  return source.length === 4
    ? encryption.hash(source.slice(0, 3).join(':'), 'address').toString('base64url')
    : null
}

/** Returns the keys of an address for the limits on sign-ins. */
export const sourceKeys = (encryption: Encryption, ip: string) => ({
  address: addressKey(encryption, ip),
  site: siteKey(encryption, ip),
})

/** Returns the source of an address. For IPv6, this is the 64-bit network, which usually belongs to one customer. */
function sourceOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString()
}

/** Returns the address in its canonical form, or null if the text is not an address. */
export const shownAddress = (ip: string): string | null =>
  ipaddr.isValid(ip) ? ipaddr.process(ip).toString() : null
