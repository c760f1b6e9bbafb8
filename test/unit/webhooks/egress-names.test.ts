/** Tests attempts to bypass the egress guard: address spellings, changing names and redirects. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, isIP } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createEgress, guardedLookup } from '../../../src/webhooks/egress.ts'
import type { Resolve } from '../../../src/webhooks/resolver.ts'
import { sendWebhook } from '../../../src/webhooks/send.ts'

const ATTEMPT = { eventId: 'event', number: 1, body: '{}', secrets: ['secret'] }

const requests: string[] = []
async function listen(listener: RequestListener) {
  const server = createServer((req, res) => {
    requests.push(`${req.headers.host} ${req.url}`)
    listener(req, res)
  }).listen(0, '::')
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}

let local: Awaited<ReturnType<typeof listen>>
beforeAll(async () => {
  local = await listen((_req, res) => res.writeHead(200).end('reached'))
})
afterAll(() => local.server.close())

async function send(url: string, options: { allowPrivate?: boolean; resolve?: Resolve } = {}) {
  const egress = createEgress({ allowPrivate: false, ...options })
  requests.length = 0
  const { statusCode, error } = await sendWebhook(egress, url, ATTEMPT)
  await egress.close()
  return { statusCode, error }
}
const FORBIDDEN = { statusCode: null, error: 'the address is not public' }

/** Creates a resolver that returns these addresses in order, and repeats the last ones. */
function answering(...answers: string[][]) {
  const queries: string[] = []
  const resolve: Resolve = (hostname, _options, callback) => {
    const addresses = answers[Math.min(queries.length, answers.length - 1)] ?? []
    queries.push(hostname)
    const found = addresses.map((address) => ({ address, family: isIP(address) }))
    // Real name servers also respond asynchronously.
    setImmediate(() => callback(null, found))
  }
  return { resolve, queries }
}

describe('the spelling of a forbidden address', () => {
  test.each([
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '0x7F.1',
    '0177.0.0.1',
    '017700000001',
    '0177.0.0x0.1',
    '127.0.0.1.',
    '127。0。0。1',
    '①②⑦.⓪.⓪.①',
    '%31%32%37.0.0.1',
    '0',
    '0.0.0.0',
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::127.0.0.1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:FFFF:7F00:0001]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
    '[fe80::1]',
    '[fd00:ec2::254]',
    '169.254.169.254',
    '0xa9fea9fe',
    '2852039166',
    '10.0.0.1',
    '012.0.0.1',
    '100.64.0.1',
    '224.0.0.1',
    '255.255.255.255',
    'localhost',
    'LOCALHOST',
  ])('does not get a request through: %s', async (host) => {
    expect(await send(`http://${host}:${local.port}/`)).toEqual(FORBIDDEN)
    expect(requests).toEqual([])
  })
})

describe('a name', () => {
  const url = () => `http://receiver.example:${local.port}/`
  test.each(
    [
      ['127.0.0.1'],
      ['8.8.8.8', '127.0.0.1'],
      ['127.0.0.1', '8.8.8.8'],
      ['8.8.8.8', '1.1.1.1', '10.0.0.1', '8.8.4.4'],
      ['2606:4700:4700::1111', '::1'],
      ['8.8.8.8', 'fd00::1'],
      ['8.8.8.8', '::ffff:127.0.0.1'],
      ['8.8.8.8', '64:ff9b::7f00:1'],
      ['8.8.8.8', 'fe80::1%lo'],
    ].map((addresses) => [addresses]),
  )('is refused if it resolves to %j, regardless of the order', async (addresses) => {
    const { resolve, queries } = answering(addresses)
    expect(await send(url(), { resolve })).toEqual(FORBIDDEN)
    expect(requests).toEqual([])
    expect(queries).toEqual(['receiver.example'])
  })

  test('makes the delivery fail if it does not resolve', async () => {
    const resolve: Resolve = (_name, _options, callback) =>
      callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), [])
    expect(await send(url(), { resolve })).toEqual({
      statusCode: null,
      error: 'the host name does not resolve',
    })
  })

  test('is resolved again for each delivery, and refused if it is no longer public', async () => {
    const { resolve } = answering(['8.8.8.8'], ['127.0.0.1'])
    const once = () =>
      new Promise((settle) =>
        guardedLookup(resolve)('receiver.example', { all: true }, (error, found) => settle(error ?? found)),
      )
    expect(await once()).toEqual([{ address: '8.8.8.8', family: 4 }])
    expect(await once()).toMatchObject({ code: 'FORBIDDEN_ADDRESS' })
  })

  test.each([true, false])(
    'is resolved once per connection, which uses the checked address (autoSelectFamily %s)',
    async (autoSelectFamily) => {
      const { resolve, queries } = answering(['8.8.8.8'], ['127.0.0.1'])
      const lookup = guardedLookup(resolve)
      const socket = connect({ host: 'receiver.example', port: local.port, lookup, autoSelectFamily })
      // The socket closes at the lookup, before any packet leaves.
      const address = await new Promise((settle) =>
        socket.on('lookup', (_error, found) => {
          socket.destroy()
          settle(found)
        }),
      )
      expect(address).toBe('8.8.8.8')
      expect(queries).toEqual(['receiver.example'])
    },
  )
})

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])('is not followed to a private address (status %i)', async (status) => {
    const Location = `http://127.0.0.1:${local.port}/secret`
    const redirecting = await listen((_req, res) => res.writeHead(status, { Location }).end())
    const result = await send(`http://127.0.0.1:${redirecting.port}/hook`, { allowPrivate: true })
    expect(result).toEqual({ statusCode: status, error: `HTTP status ${status}` })
    expect(requests).toEqual([`127.0.0.1:${redirecting.port} /hook`])
    redirecting.server.close()
  })
})
