/** Rules for public addresses, the only ones that webhooks may be delivered to. */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The range of all assigned public IPv6 addresses. Other ranges can embed IPv4 addresses. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3')

/** Returns false for private, loopback, link-local, shared, reserved and multicast addresses, and their IPv6 forms. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(GLOBAL_IPV6))
}

/** Returns the host of a URL without the brackets around an IPv6 address. */
export const withoutBrackets = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')

/** Domains that no public name server resolves (RFC 6761, 6762, 7686, 8375; `internal` is reserved by ICANN). */
const NOT_PUBLIC = /(?:^|\.)(?:localhost|test|invalid|local|internal|onion|home\.arpa)$/

/** Returns false if the text of the host shows that it cannot be public. */
export function isPublicHost(hostname: string): boolean {
  const host = withoutBrackets(hostname)
  if (isIP(host)) return isPublicAddress(host)
  const name = host.replace(/\.$/, '')
  return name.includes('.') && !NOT_PUBLIC.test(name)
}

/** Returns true if name servers accept the name, which requires valid lengths and no empty label. */
export function isHostName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '')
  return name.length <= 253 && name.split('.').every((label) => label !== '' && label.length <= 63)
}
