/** Connections to PostgreSQL that are cut, refused and stalled: what was asked fails, and none is lost for good. */
import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { authorityFile, receiverAuthority, receiverCertificate } from '../../dev/certificates.ts'
import { newKeys } from '../../dev/launcher/secrets.ts'
import { findHoldsInForce } from '../../src/db/cases/hold.ts'
import {
  type Database,
  type DatabasePool,
  isDatabaseUnavailable,
  openDatabase,
  transaction,
} from '../../src/db/connection/database.ts'
import { createLogger } from '../../src/process/log.ts'
import { createEncryption } from '../../src/storage/encryption.ts'
import { expectWhole, sessionsOf } from '../support/connections.ts'
import { cloneDatabase, dropDatabase } from '../support/database.ts'
import { eventually, unique } from '../support/instance.ts'
import { type PostgresProxy, startProxy } from '../support/proxy.ts'

const SIZE = 4
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-tls-'))
const name = `test_${unique().slice(0, 8)}`
const log = createLogger('silent', 'test')
const encryption = createEncryption(newKeys())
const open = (url: string) => openDatabase(url, encryption, log, { connections: SIZE, queryMs: 1_000 })

/** Past the proxy. */
let direct: postgres.Sql
let databaseUrl: string
let proxy: PostgresProxy
let db: DatabasePool

beforeAll(async () => {
  databaseUrl = await cloneDatabase(name)
  direct = postgres(databaseUrl, { max: 1 })
  await direct`CREATE TABLE marks (mark text)`
})
afterAll(async () => {
  await direct.end()
  await dropDatabase(name)
  rmSync(folder, { recursive: true, force: true })
})

/** What became of it. */
const outcome = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: Error) => (isDatabaseUnavailable(error) ? 'away' : error.message),
  )
const mark = (on: Database, text: string) =>
  on.orm.execute(sql`INSERT INTO marks SELECT ${text} FROM pg_sleep(0.01)`)
const marks = async () =>
  (await direct<{ mark: string }[]>`SELECT mark FROM marks`).map(({ mark: text }) => text)

/** More than there are connections, so that some of them wait. */
const many = (work: () => Promise<unknown>) =>
  Promise.all(Array.from({ length: 3 * SIZE }, () => outcome(work())))
const all = (what: string) => Array.from({ length: 3 * SIZE }, () => what)

test('a socket that is not there is PostgreSQL being away, another file is not', async () => {
  const nowhere = open(`postgresql:///x?host=${folder}`)
  expect(await outcome(nowhere.orm.execute(sql`SELECT 1`))).toBe('away')
  expect(await outcome(readFile(join(folder, 'nope')))).toContain(join(folder, 'nope'))
  await nowhere.end()
})

const WORK = {
  'a query': () => mark(db, 'query'),
  'a transaction': () =>
    transaction(db, async (tx) => {
      await mark(tx, 'first')
      await mark(tx, 'second')
    }),
  'a transaction within one': () => transaction(db, (tx) => transaction(tx, (inner) => mark(inner, 'inner'))),
  'a transaction that fails': () =>
    transaction(db, async (tx) => {
      await mark(tx, 'failed')
      throw new Error('refused')
    }),
}

/** The pool does not know whether it speaks TLS: what differs is below it, and once more is for `npm run chaos`. */
const KINDS = process.env.CHAOS === 'full' ? (['plain', 'TLS'] as const) : (['TLS'] as const)

describe.each(KINDS)('%s', (kind) => {
  beforeAll(async () => {
    if (kind === 'plain') proxy = await startProxy(databaseUrl)
    else {
      const authority = await receiverAuthority(folder)
      proxy = await startProxy(databaseUrl, await receiverCertificate(authority))
      proxy.url += `?sslmode=require&sslrootcert=${authorityFile(folder)}`
    }
  })
  afterAll(() => proxy.stop())
  beforeEach(async () => {
    await direct`TRUNCATE marks`
    db = open(proxy.url)
    // All connections are there and have planned what follows.
    await Promise.all(Object.values(WORK).map((work) => many(work)))
    await direct`TRUNCATE marks`
  })
  afterEach(async () => {
    proxy.heal()
    await db.end()
  })

  test.each([
    ['BEGIN', 'asked', 'a transaction'],
    ['BEGIN', 'answered', 'a transaction'],
    ['COMMIT', 'asked', 'a transaction'],
    ['COMMIT', 'answered', 'a transaction'],
    ['ROLLBACK', 'asked', 'a transaction that fails'],
    ['ROLLBACK', 'answered', 'a transaction that fails'],
    ['SAVEPOINT', 'asked', 'a transaction within one'],
    ['RELEASE', 'answered', 'a transaction within one'],
    ['first', 'asked', 'a transaction'],
    ['second', 'answered', 'a transaction'],
    ['query', 'asked', 'a query'],
    ['query', 'answered', 'a query'],
  ] as const)('cut when %s is %s', async (text, when, kindOfWork) => {
    proxy.cutAt(text, when)
    expect(await many(WORK[kindOfWork])).toEqual(all(text === 'ROLLBACK' ? 'refused' : 'away'))
    const durable = when === 'answered' && (text === 'COMMIT' || text === 'query')
    expect((await marks()).length > 0).toBe(durable)
    proxy.heal()
    await expectWhole(db, databaseUrl, SIZE)
  })

  test('cut between two queries of a transaction, which does not go on outside of it', async () => {
    const work = () =>
      transaction(db, async (tx) => {
        await mark(tx, 'before')
        proxy.cutAll()
        // Others want connections meanwhile.
        await outcome(mark(db, 'another'))
        await mark(tx, 'after').catch(() => {})
        await mark(tx, 'after')
      })
    expect(await many(work)).toEqual(all('away'))
    expect(await marks()).not.toEqual(expect.arrayContaining([expect.stringMatching(/before|after/)]))
    await expectWhole(db, databaseUrl, SIZE)
  })

  test.each(Object.keys(WORK) as (keyof typeof WORK)[])('stalled under %s', async (kindOfWork) => {
    for (let round = 0; round < 2; round++) {
      const begun = many(WORK[kindOfWork])
      await sleep(5)
      proxy.stall()
      const outcomes = [...(await begun), ...(await many(WORK[kindOfWork]))]
      // What was asked while it was stalled has failed by now.
      expect(outcomes.slice(3 * SIZE)).toEqual(all('away'))
      proxy.heal()
      await expectWhole(db, databaseUrl, SIZE)
    }
  })

  test('refused: each query tries once, and none is delayed by those that failed before', async () => {
    proxy.refuse()
    await sleep(50)
    const before = proxy.accepted()
    expect(await many(WORK['a query'])).toEqual(all('away'))
    expect(await many(WORK['a transaction'])).toEqual(all('away'))
    expect(proxy.accepted() - before).toBeLessThanOrEqual(6 * SIZE)
    proxy.heal()
    await expectWhole(db, databaseUrl, SIZE)
  })

  test('a transaction that waits for something else than PostgreSQL does not keep its connection', async () => {
    const never = () => transaction(db, () => new Promise<never>(() => {}))
    expect(await many(never)).toEqual(all('away'))
    await expectWhole(db, databaseUrl, SIZE)
  })

  test('a transaction that missed its deadline changes nothing, then or later', async () => {
    const waits: (() => void)[] = []
    const wait = () => new Promise<void>((resolve) => waits.push(resolve))
    const late: Promise<string>[] = []
    const work = () =>
      transaction(db, async (tx) => {
        await mark(tx, 'before')
        await wait()
        late.push(outcome(mark(tx, 'after')))
        await Promise.all(late)
      })
    expect(await many(work)).toEqual(all('away'))
    await expectWhole(db, databaseUrl, SIZE)
    for (const resume of waits) resume()
    await eventually(() => expect(late).toHaveLength(SIZE))
    expect(new Set(await Promise.all(late))).toEqual(new Set(['away']))
    await expectWhole(db, databaseUrl, SIZE)
    expect(await marks()).toEqual([])
  })

  test('what a failed transaction left behind is not done after it', async () => {
    const late: Promise<string>[] = []
    const work = () =>
      transaction(db, async (tx) => {
        late.push(sleep(50).then(() => outcome(mark(tx, 'left behind'))))
        throw new Error('refused')
      })
    expect(await many(work)).toEqual(all('refused'))
    expect(await Promise.all(late)).not.toContain('done')
    expect(await marks()).toEqual([])
  })

  test('cut while nobody uses them, they are replaced without anybody noticing', async () => {
    proxy.cutAll()
    await sleep(200)
    expect(await many(WORK['a query'])).toEqual(all('done'))
    expect(await many(WORK['a transaction'])).toEqual(all('done'))
  })

  test('ended while it is stalled', async () => {
    const begun = many(WORK['a transaction'])
    proxy.stall()
    await db.end()
    expect(await begun).toEqual(all('away'))
    expect(await outcome(mark(db, 'late'))).toBe('away')
  })

  test('ended in peace, it finishes what is under way', async () => {
    const begun = many(WORK['a transaction'])
    await sleep(5)
    await db.end()
    expect(new Set(await begun)).toEqual(new Set(['done']))
    expect(await marks()).toHaveLength(6 * SIZE)
  })
})

describe('what a connection has planned', () => {
  let one: DatabasePool
  beforeEach(() => {
    one = openDatabase(databaseUrl, encryption, log, { connections: 1 })
  })
  afterEach(() => one.end())
  const session = async () => {
    const [row] = await one.orm.execute<{ pid: number; planned: number }>(
      sql`SELECT pg_backend_pid() AS pid, count(*)::int AS planned FROM pg_prepared_statements WHERE ${true}`,
    )
    return row
  }

  test('does not grow with the lengths of lists', async () => {
    const holdsOf = (count: number) => findHoldsInForce(one, Array.from({ length: count }, unique))
    await holdsOf(1)
    const before = await session()
    for (let count = 0; count < 20; count++) expect(await holdsOf(count)).toEqual([])
    expect((await session())?.planned).toBe(before?.planned)
  })

  test('goes with it after half an hour', async () => {
    const first = await session()
    expect(await session()).toMatchObject({ pid: first?.pid })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31 * 60_000 })
    expect(await session()).toMatchObject({ pid: first?.pid })
    expect((await session())?.pid).not.toBe(first?.pid)
    vi.useRealTimers()
    await eventually(async () => expect(await sessionsOf(databaseUrl)).toBe(1))
  })
})

describe('TLS is asked for', () => {
  test.each([
    ['of a server that has none', false, ''],
    ['of a server that nobody vouches for', true, ''],
  ])('%s: nothing is sent', async (_, withTls) => {
    const authority = await receiverAuthority(folder)
    const certificate = withTls ? await receiverCertificate(authority) : undefined
    const server = await startProxy(databaseUrl, certificate)
    const other = open(`${server.url}?sslmode=require`)
    expect(await outcome(mark(other, 'secret'))).not.toBe('done')
    await other.end()
    await server.stop()
    expect(await marks()).not.toContain('secret')
  })
})

test('a list comes back as it was written, whatever its texts hold', async () => {
  const db = openDatabase(databaseUrl, encryption, log, { connections: 1 })
  const texts = ['https://example.com\\hook', 'a "quoted" one', 'NULL', '{,}', '', 'ü ☂']
  const [row] = await db.orm.execute<{ list: string[] }>(sql`SELECT ${sql.param(texts)}::text[] AS list`)
  expect(row?.list).toEqual(texts)
  await db.end()
})

test('what the driver repeats says the same: bytes and truths are written once', async () => {
  const db = openDatabase(databaseUrl, encryption, log, { connections: 1 })
  const asked = () =>
    db.orm.execute<{ bytes: Buffer; truth: boolean }>(
      sql`SELECT ${Buffer.from('secret')}::bytea AS bytes, ${true}::boolean AS truth`,
    )
  await asked()
  // As a pooler does that hands the session to somebody else.
  await db.orm.execute(sql.raw('DEALLOCATE ALL'))
  const [row] = await asked()
  expect([row?.bytes.toString(), row?.truth]).toEqual(['secret', true])
  await db.end()
})
