/**
 * Tests that the rules for networks in the proxy settings and in the chart apply to the paths that Express matches,
 * also for paths that are written differently.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { isUnambiguous } from '../../../src/http/entry-path.ts'
import { sharedInstance } from '../../support/instance.ts'

const read = (file: string) => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')
const { baseUrl } = await sharedInstance()
const { port } = new URL(baseUrl)

type Group = 'operators' | 'identity-provider' | 'provider' | 'internal' | 'public'

/** The regular expressions of the proxy, in their order, and what the chart restricts. */
const LOCATIONS = [...read('deploy/nginx.conf').matchAll(/location ~\* (\S+) \{(.*?)\}/gs)].map(
  ([, pattern = '', rules = '']) => ({
    pattern: new RegExp(pattern, 'i'),
    isClosed: rules.includes('deny all'),
  }),
)
const RESTRICTED: Record<string, { paths: string[] }> = parse(read('deploy/helm/values.yaml')).ingress
  .restricted
const GROUP_OF_LOCATION: Group[] = ['identity-provider', 'operators', 'provider', 'internal']

/** Returns the path by which nginx chooses a location: decoded, without fragment, and with all segments resolved. */
function normalise(target: string): string {
  const decoded = decodeURIComponent(target.replace(/[?#].*$/, '').replaceAll(/%(?![\da-f]{2})/gi, '%25'))
  return new URL(decoded.replaceAll('\\', '%5C').replaceAll(/\/{2,}/g, '/'), 'http://x').pathname
}
function nginxGroup(target: string): Group {
  const found = LOCATIONS.findIndex(({ pattern }) => pattern.test(normalise(target).replaceAll('%5C', '\\')))
  return GROUP_OF_LOCATION[found] ?? 'public'
}
/** Returns the group whose longest path is a prefix by segments, as Kubernetes defines it. */
function ingressGroup(target: string): Group {
  const path = normalise(target)
  const [group] = Object.entries(RESTRICTED)
    .flatMap(([name, { paths }]) => paths.map((prefix) => [name, prefix] as const))
    .filter(([, prefix]) => path === prefix || path.startsWith(`${prefix}/`))
    .sort(([, a], [, b]) => b.length - a.length)[0] ?? ['public']
  return group as Group
}

/** Sends the request target unchanged, and returns the status and the body. */
const send = (target: string, method = 'GET') =>
  new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    const sent: ClientRequest = request({ port, path: target, method }, async (res: IncomingMessage) =>
      resolve({ status: res.statusCode, body: await text(res) }),
    )
    sent.on('error', reject).end()
  })
const NOWHERE = (await send('/nowhere')).body
/** Returns whether Express has something at the path, even if that is only its own error. */
const isServed = async (target: string) => {
  const answers = await Promise.all([send(target), send(target, 'POST')])
  return answers.some(({ body }) => body !== NOWHERE)
}

const PATHS: [path: string, group: Group][] = [
  ['/console', 'operators'],
  ['/console/sign-in', 'operators'],
  ['/console/settings/users', 'operators'],
  ['/operator/v1/sign_in', 'operators'],
  ['/operator/v1/docs', 'operators'],
  ['/console/sso/backchannel_logout', 'identity-provider'],
  ['/scim/v2/Users', 'identity-provider'],
  ['/provider/checks/1', 'provider'],
  ['/v1/sign_in', 'public'],
  ['/verify/some-token', 'public'],
]

test.each(PATHS)('the proxy and the chart treat %s as a path of: %s', (path, group) => {
  expect([nginxGroup(path), ingressGroup(path)]).toEqual([group, group])
})

test.each(['/health', '/livez', '/readyz'])('the proxy keeps %s internal', (path) => {
  expect(nginxGroup(path)).toBe('internal')
})

/** Other spellings of a path, most of which some proxy or server reads as the path. */
const SPELLINGS: Record<string, (path: string) => string> = {
  'in upper case': (path) => path.toUpperCase(),
  'with one capital': (path) => path.replace(/[a-z]/, (letter) => letter.toUpperCase()),
  'with an encoded letter': (path) =>
    path.replace(/^\/(.)/, (_, c: string) => `/%${c.charCodeAt(0).toString(16)}`),
  'with two slashes': (path) => `/${path}`,
  'with an encoded slash': (path) => `/%2f${path.slice(1)}`,
  'with a dot segment': (path) => `/.${path}`,
  'after another path': (path) => `/v1/..${path}`,
  'after an encoded path': (path) => `/v1/%2e%2e${path}`,
  'with a dot': (path) => path.replace(/^\/[^/]+/, (first) => `${first}.`),
  'with a matrix parameter': (path) => path.replace(/^\/[^/]+/, (first) => `${first};a=b`),
  'after a matrix segment': (path) => `/v1/..;${path}`,
  'with backslashes': (path) => path.replaceAll('/', '\\').replace('\\', '/'),
  'with backslashes and a fragment': (path) => `${path.replaceAll('/', '\\').replace('\\', '/')}#`,
  'with a fragment': (path) => `${path}#/v1`,
  'with a fragment in the query': (path) => `${path.replaceAll('/', '\\').replace('\\', '/')}?#`,
  'with encoded backslashes': (path) => path.replaceAll('/', '%5c').replace('%5c', '/'),
  'with an encoded null': (path) => `${path}%00`,
}

describe.each(PATHS.filter(([, group]) => group !== 'public'))('%s', (path, group) => {
  test.each(Object.entries(SPELLINGS))(
    'is not served %s, unless the same rule applies',
    async (_name, spell) => {
      const target = spell(path)
      const groups = new Set([nginxGroup(target), ingressGroup(target)])
      if (groups.size === 1 && groups.has(group)) return
      expect(await isServed(target), target).toBe(false)
    },
  )
})

/** Each of these starts with one path and is another path for a proxy that resolves it. */
const DETOURS = [
  '/operator/v1/../../v1',
  '/operator/v1/cases/..%2f..%2f..%2f..%2fv1',
  '/operator/v1/cases/%2e%2e%2f%2e%2e%2f%2e%2e%2f%2e%2e%2fv1',
  '/operator/v1/cases/..%5c..%5c..%5c..%5cv1',
  '/operator/v1/cases/..%252f..%252f..%252f..%252fv1',
  '/operator/v1/cases/..;%2f..;%2f..;%2f..;%2fv1',
  '/console/kyb/..%2f..%2fverify',
  '/console/../verify',
  '/console/settings/..%2fsso%2fbackchannel_logout',
  '/console/sso/backchannel_logout/..%2f..%2fsign-in',
  '/provider/checks/..%2f..%2fv1',
  '/scim/v2/Users/..%2f..%2f..%2fv1',
  '/health/..',
]
test.each(DETOURS)('%s does not exist', async (target) => {
  expect(await send(target)).toEqual({ status: 404, body: NOWHERE })
})

test.each(['/Health', '/health/', '/LIVEZ', '/readyz/'])('%s does not exist', async (target) => {
  expect(await isServed(target)).toBe(false)
})

test.each([
  '/v1/kyb/..%2f',
  '/verify/a..b',
  '/operator/v1/operator_groups/R%2FD%20..%20team',
  '/operator/v1/operator_groups/a%5Cb;c',
  '/v1/identifications?url=https://example.com/../..%2f&path=\\x',
])('%s is unambiguous', (url) => {
  expect(isUnambiguous(url, url.replace(/\?.*/, ''))).toBe(true)
})

test.each(['GET http:?x HTTP/1.1', 'OPTIONS * HTTP/1.1', 'GET http://other.example/console HTTP/1.1'])(
  'answers %s',
  async (line) => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(`${line}\r\nHost: x\r\nConnection: close\r\n\r\n`)
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 [234]\d\d /)
  },
)

test('all routers are case-sensitive', () => {
  const sources = readdirSync(new URL('../../../src', import.meta.url), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && file !== 'http/router.ts')
    .filter((file) => /\bRouter\(|\bexpress\(\)/.test(read(`src/${file}`)))
  expect(sources).toEqual([])
})
