/** Which addresses are public, and which hosts can be at one: the others are never delivered to. */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** All of IPv6 that is assigned to anybody; outside of it lie IPv4 addresses in other forms. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3')

/** Neither private, loopback, link-local, shared, reserved nor multicast, nor an IPv6 form of those. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(GLOBAL_IPV6))
}

/** As it stands in a URL: an IPv6 address is in brackets there. */
export const withoutBrackets = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')

/** No public name server knows a name below these (RFC 6761, 6762, 7686, 8375; `internal` by ICANN). */
const NOT_PUBLIC = /(?:^|\.)(?:localhost|test|invalid|local|internal|onion|home\.arpa)$/

/** Whether the host of a URL, as `URL` writes it, may be at a public address, as far as its text tells. */
export function isPublicHost(hostname: string): boolean {
  const host = withoutBrackets(hostname)
  if (isIP(host)) return isPublicAddress(host)
  const name = host.replace(/\.$/, '')
  return name.includes('.') && !NOT_PUBLIC.test(name)
}

/** Whether name servers can be asked for the name: it and its labels are not too long, and none is empty. */
export function isHostName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '')
  return name.length <= 253 && name.split('.').every((label) => label !== '' && label.length <= 63)
}
