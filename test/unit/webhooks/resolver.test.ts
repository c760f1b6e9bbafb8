/** Tests the resolution of receiver names with a test name server, which never responds for some of them. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { afterAll, expect, test } from 'vitest'
import { createLookUps } from '../../../src/webhooks/dns-lookups.ts'
import { createResolver, NO_NAME_SERVER, type Resolve } from '../../../src/webhooks/resolver.ts'

const TYPE_A = 1

/** Returns the name and the type of a question. */
function questionOf(packet: Buffer) {
  const labels: string[] = []
  let at = 12
  for (let length = packet[at] ?? 0; length > 0; length = packet[at] ?? 0) {
    labels.push(packet.subarray(at + 1, at + 1 + length).toString())
    at += length + 1
  }
  return { name: labels.join('.'), type: packet.readUInt16BE(at + 1), end: at + 5 }
}

/** Creates a response with an address for IPv4, and without one for IPv6. */
function answerTo(packet: Buffer, seconds: number): Buffer {
  const { type, end } = questionOf(packet)
  const header = Buffer.from(packet.subarray(0, 12))
  header.writeUInt16BE(0x8180, 2)
  header.writeUInt16BE(type === TYPE_A ? 1 : 0, 6)
  header.fill(0, 8, 12)
  const record = Buffer.from([0xc0, 12, 0, TYPE_A, 0, 1, 0, 0, 0, seconds, 0, 4, 93, 184, 216, 34])
  return Buffer.concat([header, packet.subarray(12, end), ...(type === TYPE_A ? [record] : [])])
}

/** Flags for a server failure, and for a response that exceeds a datagram and requires TCP (RFC 1035). */
const [FAILED, CUT_OFF] = [0x8182, 0x8380]

function withoutAnswer(packet: Buffer, flags: number): Buffer {
  const answer = Buffer.from(packet.subarray(0, questionOf(packet).end))
  answer.writeUInt16BE(flags, 2)
  answer.fill(0, 6, 12)
  return answer
}

/** The tests run at the same time, so each uses its own names. */
const queries: { id: number; name: string }[] = []
/** Returns the IDs of the queries for a name. A busy machine may repeat a query, with the same ID. */
const queriesFor = (asked: string) => [
  ...new Set(queries.filter(({ name }) => name === asked).map(({ id }) => id)),
]
const unanswered = new Set<string>()
const server = createSocket('udp4', (packet, { port, address }) => {
  const { name, type } = questionOf(packet)
  if (type === TYPE_A) queries.push({ id: packet.readUInt16BE(0), name })
  if (name.endsWith('dead.example')) unanswered.add(name)
  // Some real servers do not support IPv6.
  else if (name.startsWith('half.') && type !== TYPE_A) unanswered.add(name)
  else if (name.startsWith('broken.')) server.send(withoutAnswer(packet, FAILED), port, address)
  else if (name.startsWith('large.')) server.send(withoutAnswer(packet, CUT_OFF), port, address)
  else server.send(answerTo(packet, 60), port, address)
})
server.bind(0, '127.0.0.1')
await once(server, 'listening')
afterAll(() => server.close())

const ask = (resolve: Resolve, name: string) =>
  new Promise<string>((settle) =>
    resolve(name, { all: true }, (error, found) =>
      settle(error?.code ?? found.map(({ address }) => address).join()),
    ),
  )
const createFresh = () => createResolver([`127.0.0.1:${server.address().port}`])

test.concurrent('fails without delaying other names if a zone never answers', async () => {
  const resolve = createFresh()
  const order: string[] = []
  const dead = Array.from({ length: 50 }, (_, n) =>
    ask(resolve, `${n}.dead.example`).then((answer) => order.push(answer)),
  )
  order.push(await ask(resolve, 'alive.example'))
  await Promise.all(dead)
  expect(order[0]).toBe('93.184.216.34')
  expect(order.slice(1)).toEqual(dead.map(() => 'ENOTFOUND'))
})

test.concurrent.each([
  ['whose answer exceeds a datagram, from a server without TCP,', 'large.example'],
  ['whose own servers fail', 'broken.example'],
])('does not resolve a name %s', async (_what, name) => {
  expect(await ask(createFresh(), name)).toBe('ENOTFOUND')
})

test.concurrent.each([
  ['never answers', null],
  ['reports a failure for every name', FAILED],
])('reports that there is no name server, and caches nothing, if the server %s', async (_what, flags) => {
  const silent = createSocket('udp4', (packet, { port, address }) => {
    if (flags !== null) silent.send(withoutAnswer(packet, flags), port, address)
  }).bind(0, '127.0.0.1')
  await once(silent, 'listening')
  const resolve = createResolver([`127.0.0.1:${silent.address().port}`])
  const codes = await Promise.all([1, 2, 3].map((n) => ask(resolve, `receiver${n}.example`)))
  expect(codes).toEqual(Array(3).fill(NO_NAME_SERVER))
  expect(resolve.knows('receiver1.example')).toBe(false)
  silent.close()
})

test.concurrent('uses the IPv4 answer if the server never answers for IPv6', async () => {
  expect(await ask(createFresh(), 'half.example')).toBe('93.184.216.34')
})

test.concurrent('resolves a name once for all callers, and uses the cached answer afterwards', async () => {
  const resolve = createFresh()
  const answers = await Promise.all([1, 2, 3].map(() => ask(resolve, 'Shared.example')))
  answers.push(await ask(resolve, 'shared.example'))
  expect(new Set(answers)).toEqual(new Set(['93.184.216.34']))
  expect(queriesFor('shared.example')).toHaveLength(1)
})

test.concurrent('caches a failed resolution', async () => {
  const resolve = createFresh()
  expect(await ask(resolve, 'once.dead.example')).toBe('ENOTFOUND')
  const before = queriesFor('once.dead.example').length
  expect(await ask(resolve, 'once.dead.example')).toBe('ENOTFOUND')
  expect(queriesFor('once.dead.example')).toHaveLength(before)
})

test.concurrent('resolves localhost to this machine without a query', async () => {
  expect(await ask(createFresh(), 'a.localhost')).toBe('127.0.0.1,::1')
  expect(queriesFor('a.localhost')).toEqual([])
})

test.concurrent('resolves at most ten names of a vault at once, without delaying other vaults or cached names', async () => {
  const resolve = createFresh()
  // Other tests have queries in progress.
  const unansweredHere = () => [...unanswered].filter((name) => name.endsWith('.many.dead.example'))
  const lookUp = createLookUps(resolve)
  const dead = Array.from({ length: 20 }, (_, n) => lookUp('a vault', `https://${n}.many.dead.example/hook`))
  await lookUp('another vault', 'https://reachable.example/hook')
  await lookUp('a vault', 'https://reachable.example/hook')
  await lookUp('a vault', 'https://[2001:db8::1]/hook')
  expect(queriesFor('reachable.example')).toHaveLength(1)
  expect(unansweredHere().length).toBeLessThanOrEqual(10)
  await Promise.all(dead)
  expect(unansweredHere()).toHaveLength(20)
})
