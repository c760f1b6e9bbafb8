/** Rules for public addresses, the only ones that webhooks may be delivered to. */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The range of all assigned IPv6 addresses. Other ranges include IPv4 addresses in another form. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3')

/**
 * Returns false for private, loopback, link-local, shared, reserved and multicast addresses, and their IPv6
 * forms.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(GLOBAL_IPV6))
}

/** The host as in a URL, where an IPv6 address is in brackets. */
export const withoutBrackets = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')

/** Domains that no public name server resolves (RFC 6761, 6762, 7686, 8375; `internal` by ICANN). */
const NOT_PUBLIC = /(?:^|\.)(?:localhost|test|invalid|local|internal|onion|home\.arpa)$/

/** Returns false if the text of the host rules out a public address. */
export function isPublicHost(hostname: string): boolean {
  const host = withoutBrackets(hostname)
  if (isIP(host)) return isPublicAddress(host)
  const name = host.replace(/\.$/, '')
  return name.includes('.') && !NOT_PUBLIC.test(name)
}

/** Returns true if name servers accept the name: lengths are valid and no label is empty. */
export function isHostName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '')
  return name.length <= 253 && name.split('.').every((label) => label !== '' && label.length <= 63)
}
