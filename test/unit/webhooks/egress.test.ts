/** Tests that deliveries reach only public addresses. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isPublicAddress } from '../../../src/contracts/public-address.ts'
import { isDatabaseUnavailable } from '../../../src/db/connection/failure.ts'
import { createEgress } from '../../../src/webhooks/egress.ts'
import { createResolver } from '../../../src/webhooks/resolver.ts'
import { NotSent, sendWebhook } from '../../../src/webhooks/send.ts'

const ATTEMPT = { eventId: 'event', number: 1, body: '{}', secrets: ['secret'] }

const FORBIDDEN_V4 = {
  'this network': ['0.0.0.0', '0.1.2.3'],
  private: ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255'],
  'carrier grade NAT': ['100.64.0.1', '100.127.255.255'],
  loopback: ['127.0.0.1', '127.255.255.254'],
  'link-local, with the metadata services of clouds': ['169.254.0.1', '169.254.169.254'],
  'protocol assignments': ['192.0.0.1', '192.0.0.170'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1'],
  '6to4 relays': ['192.88.99.1'],
  benchmarking: ['198.18.0.1', '198.19.255.255'],
  multicast: ['224.0.0.1', '239.255.255.255'],
  reserved: ['240.0.0.1', '255.255.255.254'],
  broadcast: ['255.255.255.255'],
}
const FORBIDDEN_V6 = {
  unspecified: ['::'],
  loopback: ['::1', '0:0:0:0:0:0:0:1'],
  'unique local': ['fc00::1', 'fdff::1', 'fd00:ec2::254'],
  'link-local': ['fe80::1', 'febf::1', 'fe80::1%eth0'],
  'site-local': ['fec0::1'],
  multicast: ['ff02::1', 'ff0e::1'],
  documentation: ['2001:db8::1', '3fff::1'],
  discard: ['100::1'],
  benchmarking: ['2001:2::1'],
  ORCHID: ['2001:10::1', '2001:20::1'],
  Teredo: ['2001::1', '2001:0:a00:1::'],
  '6to4': ['2002:a00:1::', '2002:7f00:1::1'],
  'segment routing': ['5f00::1'],
  unassigned: ['4000::1', '8000::1', '1::1'],
  'IPv4-compatible': ['::127.0.0.1', '::7f00:1', '::a00:1'],
  'IPv4-mapped': ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:169.254.169.254'],
  'IPv4-translated': ['::ffff:0:127.0.0.1', '::ffff:0:10.0.0.1'],
  NAT64: ['64:ff9b::127.0.0.1', '64:ff9b::a00:1', '64:ff9b:1::1', '64:ff9b:1:fffe::a00:1'],
}
const rows = (classes: Record<string, string[]>) =>
  Object.entries(classes).flatMap(([name, addresses]) => addresses.map((address) => [address, name]))

describe('isPublicAddress', () => {
  test.each(rows(FORBIDDEN_V4))('returns false for %s (%s)', (address) => {
    expect(isPublicAddress(address)).toBe(false)
    expect(isPublicAddress(`::ffff:${address}`)).toBe(false)
    expect(isPublicAddress(`64:ff9b::${address}`)).toBe(false)
  })
  test.each(rows(FORBIDDEN_V6))('returns false for %s (%s)', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
  test.each(['8.8.8.8', '1.1.1.1', '100.63.255.255', '172.32.0.1', '169.253.1.1', '223.255.255.254'])(
    'returns true for %s, also if mapped into IPv6',
    (address) => {
      expect(isPublicAddress(address)).toBe(true)
      expect(isPublicAddress(`::ffff:${address}`)).toBe(true)
    },
  )
  test.each(['2606:4700:4700::1111', '2a00:1450:4001::1', '2400:cb00::1'])(
    'returns true for %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(true)
    },
  )
  test.each(['', 'localhost', 'example.com', '256.1.1.1', '1.2.3.4.5', '0177.0.0.1', '2130706433', '::g'])(
    'returns false for %j',
    (address) => {
      expect(isPublicAddress(address)).toBe(false)
    },
  )
})

describe('outgoing requests', () => {
  let server: Server
  let port: number
  const requests: string[] = []
  beforeAll(async () => {
    server = createServer((req, res) => {
      requests.push(req.url ?? '')
      if (req.url === '/redirect') res.writeHead(307, { Location: '/target' }).end()
      else res.writeHead(200).end('ok')
    })
    await new Promise<void>((resolve) => server.listen(0, '::', resolve))
    port = (server.address() as AddressInfo).port
  })
  afterAll(() => server.close())

  const send = async (allowPrivate: boolean, host: string, path = '/') => {
    const egress = createEgress({ allowPrivate })
    requests.length = 0
    const result = await sendWebhook(egress, `http://${host}:${port}${path}`, ATTEMPT)
    await egress.close()
    return result
  }

  test.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '[::7f00:1]', '0.0.0.0', '2130706433', '0x7f.1'])(
    'are refused before sending if the URL contains a private address: %s',
    async (host) => {
      expect(await send(false, host)).toMatchObject({
        statusCode: null,
        error: 'the address is not public',
      })
      expect(requests).toEqual([])
    },
  )
  test('are refused if a name resolves to a private address', async () => {
    const refused = await send(false, 'localhost')
    expect(refused).toMatchObject({ error: 'the address is not public' })
    expect(requests).toEqual([])
  })
  test('arrive if private addresses are allowed', async () => {
    expect(await send(true, '127.0.0.1')).toMatchObject({ error: null, statusCode: 200 })
    expect(await send(true, 'localhost')).toMatchObject({ error: null, statusCode: 200 })
  })
  test('fail at a redirect, which is not followed', async () => {
    expect(await send(true, '127.0.0.1', '/redirect')).toMatchObject({ statusCode: 307 })
    expect(requests).toEqual(['/redirect'])
  })
})

test('throws NotSent if the process has no file descriptors left', async () => {
  const egress = createEgress({ allowPrivate: true })
  const failing = Object.assign(Object.create(egress), {
    dispatch: (_request: unknown, handler: { onResponseError(controller: unknown, error: Error): void }) =>
      handler.onResponseError({}, Object.assign(new Error('too many open files'), { code: 'EMFILE' })),
  })
  await expect(sendWebhook(failing, 'https://example.com/', ATTEMPT)).rejects.toSatisfy(
    (error) => error instanceof NotSent && !isDatabaseUnavailable(error),
  )
})

test('throws NotSent if the name server is unreachable, and does not cache the failure', async () => {
  const server = createSocket('udp4').bind(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  await new Promise<void>((closed) => server.close(closed))
  const names = createResolver([`127.0.0.1:${port}`])
  const egress = createEgress({ allowPrivate: false, resolve: names })
  await expect(sendWebhook(egress, 'https://example.com/', ATTEMPT)).rejects.toThrow(NotSent)
  expect(names.knows('example.com')).toBe(false)
  await egress.close()
})
