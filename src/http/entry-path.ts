/**
 * Refuses requests that a proxy could read differently. Proxies resolve `..`, decode `%2f` or merge slashes before they
 * apply the rules for networks, and Express does none of this.
 */
import type { RequestHandler } from 'express'
import { RequestRefused } from '../domain/base/errors.ts'

/** The paths for which a proxy can have a rule, the longer ones first. */
const ENTRY_PATHS = [
  '/console/sso/backchannel_logout',
  ...['/console', '/operator', '/provider', '/scim', '/v1', '/verify', '/health', '/livez', '/readyz'],
]

const entryOf = (path: string) =>
  ENTRY_PATHS.find((entry) => path === entry || path.startsWith(`${entry}/`)) ?? '/'

const decode = (path: string) =>
  path.replace(/%([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

/** Resolves dot segments and empty segments. */
function resolve(path: string): string {
  const kept: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(segment)
  }
  return `/${kept.join('/')}`
}

/** Returns the paths that proxies can derive: some decode twice, accept backslashes, or drop `;` and what follows it. */
const readingsOf = (path: string): string[] =>
  [path, decode(path), decode(decode(path))]
    .flatMap((each) => [each, each.replaceAll('\\', '/')])
    .flatMap((each) => [each, each.replace(/;[^/]*/g, '')])
    .map(resolve)

/** Matches URLs that all proxies read alike, because there is nothing to decode, drop or resolve. */
const PLAIN = /^(?:\/[\w-]+)+(?:\?[^#]*)?$/

/** Returns whether every proxy applies the rule for the path that Express matches. */
export function isUnambiguous(url: string, path: string): boolean {
  if (PLAIN.test(url)) return true
  // With a fragment, Express reads backslashes as slashes.
  const [target = ''] = url.split('?')
  if (/[\\#]/.test(target) || url.includes('#')) return false
  const entry = entryOf(path)
  return readingsOf(path).every((each) => entryOf(each) === entry)
}

/** The headers that decide who calls, where, and with what. Node.js reads the first one, and a proxy may read the last. */
const READ_ONCE = { host: 'Host', authorization: 'Authorization', 'content-type': 'Content-Type' }

/** HTTP/1.0 does not require the Host header. */
export const refuseAmbiguousHeaders: RequestHandler = ({ headersDistinct, httpVersion }, _res, next) => {
  const refuse = (message: string) => new RequestRefused({ code: 'malformed_request', message })
  for (const [name, shown] of Object.entries(READ_ONCE))
    if ((headersDistinct[name]?.length ?? 0) > 1) throw refuse(`Send exactly one ${shown} header.`)
  if (!headersDistinct.host && httpVersion !== '1.0') throw refuse('Send exactly one Host header.')
  next()
}

export const refuseAmbiguousPath =
  (message: string): RequestHandler =>
  (req, _res, next) => {
    if (!isUnambiguous(req.url, req.path)) throw new RequestRefused({ code: 'not_found', message })
    next()
  }
