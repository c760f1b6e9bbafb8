/** Tests screening with yente: requests, documented responses, and protection against faulty responses. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import type { Subject } from '../../../src/domain/screening/screening.ts'
import { createYente } from '../../../src/screening/yente.ts'
import { wholeBody } from '../../support/whole-body.ts'

type Answer = (req: IncomingMessage, body: string, res: ServerResponse) => void
let answer: Answer
const requests: { method: string | undefined; url: string | undefined; key: unknown; body: string }[] = []
const server = createServer(async (req, res) => {
  const body = (await wholeBody(req))?.toString()
  if (body === undefined) return
  requests.push({ method: req.method, url: req.url, key: req.headers.authorization, body })
  answer(req, body, res)
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

const PERSON: Subject = {
  key: 'person',
  kind: 'person',
  names: ['Zoltan Krummbiegel'],
  surname: 'Krummbiegel',
  birthDate: '1961-04-03',
  countries: ['hu'],
}
const COMPANY: Subject = {
  key: 'company',
  kind: 'company',
  names: ['Vexillum Maritime Ltd', 'Vexillum'],
  registrationNumber: 'ZZ 990017',
  incorporationDate: '2015-02-28',
  countries: ['mt'],
}
const json =
  (value: unknown, status = 200): Answer =>
  (_req, _body, res) =>
    res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))

const ENTITY = {
  id: 'NK-aU5ybkbRFJucf8YMwsJvDw',
  caption: 'Zoltan KRUMMBIEGEL',
  schema: 'Person',
  properties: {
    name: ['Zoltan KRUMMBIEGEL'],
    alias: ['Золтан Круммбигель'],
    birthDate: ['1961-04-03'],
    citizenship: ['hu'],
    topics: ['sanction'],
    addressEntity: [{ id: 'addr-1', schema: 'Address', caption: 'Somewhere', properties: {} }],
  },
  datasets: ['eu_fsf'],
  referents: ['eu-fsf-1'],
  target: true,
  first_seen: '2025-02-13T00:00:00',
  last_seen: '2026-11-21T00:00:00',
  last_change: '2026-01-01T00:00:00',
}
const of = (...results: object[]) => ({
  status: 200,
  results,
  total: { value: results.length, relation: 'eq' },
  query: { schema: 'Person', properties: {} },
})
const ANSWER = {
  responses: {
    person: of(
      {
        ...ENTITY,
        score: 0.93,
        match: true,
        features: { name_match: 1 },
        explanations: {
          name_match: { score: 1, detail: 'exact', query: 'zoltan krummbiegel', candidate: 'x' },
          country_mismatch: { score: 0, detail: null },
        },
      },
      { ...ENTITY, id: 'NK-2', score: 0.5, match: false, features: { name_match: 0.5 } },
    ),
    company: of({
      ...ENTITY,
      schema: 'Company',
      score: 0.71,
      match: true,
      features: { identifier_match: 1 },
    }),
  },
  matcher: {},
  limit: 10,
}
const yente = (more: object = {}) => createYente({ url, dataset: 'default', threshold: 0.7, ...more })

test('sends all subjects in one request, with the key', async () => {
  requests.length = 0
  answer = json(ANSWER)
  await yente({ apiKey: 'a-key' }).match([PERSON, COMPANY])
  expect(requests).toHaveLength(1)
  expect(requests[0]).toMatchObject({
    method: 'POST',
    url: '/match/default?threshold=0.7&limit=100',
    key: 'ApiKey a-key',
  })
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
    queries: {
      person: {
        schema: 'Person',
        properties: {
          name: ['Zoltan Krummbiegel'],
          lastName: ['Krummbiegel'],
          birthDate: ['1961-04-03'],
          nationality: ['hu'],
        },
      },
      company: {
        schema: 'Company',
        properties: {
          name: ['Vexillum Maritime Ltd', 'Vexillum'],
          jurisdiction: ['mt'],
          registrationNumber: ['ZZ 990017'],
          incorporationDate: ['2015-02-28'],
        },
      },
    },
  })
})

test('reads features with and without explanations', async () => {
  answer = json(ANSWER)
  const matches = await yente().match([PERSON, COMPANY])
  expect(matches.get('person')).toEqual([
    {
      score: 0.93,
      parts: [{ name: 'name_match', score: 1, detail: 'exact' }],
      entry: {
        id: ENTITY.id,
        caption: 'Zoltan KRUMMBIEGEL',
        kind: 'person',
        names: ['Zoltan KRUMMBIEGEL', 'Золтан Круммбигель'],
        weakNames: [],
        birthDates: ['1961-04-03'],
        countries: ['hu'],
        registrationNumbers: [],
        topics: ['sanction'],
        datasets: ['eu_fsf'],
      },
    },
  ])
  expect(matches.get('company')).toMatchObject([
    { score: 0.71, parts: [{ name: 'identifier_match', score: 1, detail: null }] },
  ])
})

test('returns the version of the dataset in the index', async () => {
  const datasets = [
    { name: 'eu_fsf', version: 'other' },
    { name: 'default', version: '20261122010000-abc', index_version: '20261121010000-xyz' },
  ]
  answer = json({ datasets, current: ['default'], outdated: [], index_stale: false })
  expect(await yente().version()).toBe('yente-2:0.7:default:20261121010000-xyz')
  answer = json({ datasets: [], current: [], outdated: [] })
  await expect(yente().version()).rejects.toThrow('does not have the dataset')
})

describe('the version of a dataset without an index of its own', () => {
  const part = (name: string, more: object = {}) => ({ name, version: 'new', index_version: null, ...more })
  const whole = (index_version: string | null) =>
    part('default', { index_version, children: ['sanctions', 'peps'] })
  const sanctions = part('sanctions', { children: ['eu_fsf'], load: false })
  const versionOf = (dataset: string, ...datasets: object[]) => {
    answer = json({ datasets, current: [], outdated: [] })
    return yente({ dataset }).version()
  }
  test('is the version of the collection that contains it, at any depth', async () => {
    const datasets = [whole('old'), sanctions, part('eu_fsf'), part('other', { index_version: 'x' })]
    expect(await versionOf('eu_fsf', ...datasets)).toBe('yente-2:0.7:eu_fsf:old')
    expect(await versionOf('sanctions', ...datasets)).toBe('yente-2:0.7:sanctions:old')
  })
  test('consists of the versions of its parts, and changes with each', async () => {
    const parts = (eu: string | null, us: string | null) =>
      versionOf(
        'sanctions',
        part('sanctions', { children: ['eu_fsf', 'us_ofac'] }),
        part('eu_fsf', { index_version: eu }),
        part('us_ofac', { index_version: us }),
      )
    const versions = [
      await parts('1', '2'),
      await parts('2', '1'),
      await parts('1', '3'),
      await parts('1', null),
    ]
    expect(new Set(versions).size).toBe(4)
    expect(versions[3]).toBe('yente-2:0.7:sanctions:1')
  })
  test('is missing if no index contains it', async () => {
    const other = part('other', { index_version: 'x' })
    await expect(versionOf('eu_fsf', whole(null), sanctions, part('eu_fsf'), other)).rejects.toThrow(
      'does not have the dataset',
    )
    await expect(versionOf('default', whole(null))).rejects.toThrow('does not have the dataset')
  })
  test('is the version of the catalogue if an old release does not report indexes', async () => {
    expect(await versionOf('default', { name: 'default', version: 'v1', children: [] })).toBe(
      'yente-2:0.7:default:v1',
    )
  })
})

test.each([
  ['a refusal', json({ detail: 'Invalid query' }, 400), 'yente returned 400'],
  ['a failure', json({ detail: 'Index is not ready' }, 503), 'yente returned 503'],
  ['an unexpected body', json({ responses: { person: { results: [{ id: 1 }] } } }), 'unexpected response'],
  ['a body without results', json({ responses: {} }), 'omitted a subject'],
  ['an HTML page', ((_req, _body, res) => res.end('<html>')) as Answer, ''],
  ['a closed connection', ((_req, _body, res) => res.destroy()) as Answer, ''],
])('rejects %s with an error that contains no name', async (_, given, says) => {
  answer = given
  const error: Error = await yente()
    .match([PERSON])
    .then(
      () => new Error('it was taken'),
      (thrown) => thrown,
    )
  expect(error.message).toContain(says)
  expect(error.message).not.toMatch(/Krummbiegel|it was taken/)
})

test('does not follow a redirect', async () => {
  requests.length = 0
  answer = (_req, _body, res) => res.writeHead(307, { Location: `${url}elsewhere` }).end()
  await expect(yente({ apiKey: 'a-key' }).match([PERSON])).rejects.toThrow('yente returned 307')
  await expect(yente().version()).rejects.toThrow('yente returned 307')
  expect(requests.map((each) => each.url)).toEqual(['/match/default?threshold=0.7&limit=100', '/catalog'])
})

test('stops reading an endless response at the limit', async () => {
  let sent = 0
  const isClosed = new Promise<void>((resolve) => {
    answer = (_req, _body, res) => {
      const write = () => {
        while (!res.destroyed && res.write(Buffer.alloc(16_384, ' '))) sent += 16_384
        if (!res.destroyed) res.once('drain', write)
      }
      res.once('close', resolve)
      write()
    }
  })
  const asking = yente({ maxAnswerBytes: 100_000 }).match([PERSON])
  await expect(asking).rejects.toThrow('yente returned more than 100000 bytes')
  await isClosed
  expect(sent).toBeLessThan(20_000_000)
})

test('rejects if the response takes too long', async () => {
  answer = () => {}
  await expect(yente({ timeoutMs: 50 }).match([PERSON])).rejects.toThrow(/timeout/i)
})

test('keeps little of an entry with endless texts and lists', async () => {
  const long = 'x'.repeat(100_000)
  const many = Array.from({ length: 10_000 }, (_, n) => `${n}`)
  const properties = { name: many, weakAlias: [long], birthDate: many, topics: many, country: many }
  const explanations = Object.fromEntries(many.map((name) => [name, { score: 1, detail: long.slice(0, 9) }]))
  const features = { [long]: 1 }
  const entry = { ...ENTITY, caption: long, properties, datasets: many, score: 0.9 }
  for (const explained of [{ explanations }, { features }]) {
    answer = json({ responses: { person: of({ ...entry, ...explained }) } })
    const matches = await yente().match([PERSON])
    expect(matches.get('person')?.[0]?.entry.names).toHaveLength(500)
    expect(JSON.stringify([...matches]).length).toBeLessThan(100_000)
  }
})

test.each([{ id: 'x'.repeat(501) }, { properties: { name: [['x']] }, id: '' }])(
  'refuses an entry with another ID',
  async (changed) => {
    answer = json({ responses: { person: of({ ...ENTITY, score: 0.9, ...changed }) } })
    await expect(yente().match([PERSON])).rejects.toThrow('unexpected response')
  },
)
