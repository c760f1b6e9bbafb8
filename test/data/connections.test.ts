/**
 * Tests connections to PostgreSQL that are cut, refused or stalled: work fails, and no connection is lost.
 */
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
import { type Database, type DatabasePool, transaction } from '../../src/db/connection/database.ts'
import { isDatabaseUnavailable } from '../../src/db/connection/failure.ts'
import { createEncryption } from '../../src/storage/encryption.ts'
import { expectWhole, sessionsOf } from '../support/connections.ts'
import { cloneDatabase, dropDatabase, openDatabase } from '../support/database.ts'
import { eventually, unique } from '../support/instance.ts'
import { type PostgresProxy, startProxy } from '../support/proxy.ts'

const SIZE = 4
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-tls-'))
const name = `test_${unique().slice(0, 8)}`
const encryption = createEncryption(newKeys())
const open = (url: string) => openDatabase(url, encryption, { connections: SIZE, queryMs: 5_000 })

/** Connects without the proxy. */
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

/** Returns the outcome of the work: done, away (PostgreSQL is unavailable) or the error message. */
const outcome = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: Error) => (isDatabaseUnavailable(error) ? 'away' : error.message),
  )
const mark = (on: Database, text: string) =>
  on.orm.execute(sql`INSERT INTO marks SELECT ${text} FROM pg_sleep(0.01)`)
const marks = async () =>
  (await direct<{ mark: string }[]>`SELECT mark FROM marks`).map(({ mark: text }) => text)

/** Starts more work than there are connections, so that some of the work waits. */
const many = (work: () => Promise<unknown>) =>
  Promise.all(Array.from({ length: 3 * SIZE }, () => outcome(work())))
const all = (what: string) => Array.from({ length: 3 * SIZE }, () => what)

test('reports a missing socket as an unavailable PostgreSQL, but not another missing file', async () => {
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

/** The pool behaves the same without TLS, so only `npm run chaos` also tests it without TLS. */
const KINDS = process.env.CHAOS === 'full' ? (['plain', 'TLS'] as const) : (['TLS'] as const)

describe.each(KINDS)('a %s connection pool', (kind) => {
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
    // Opens all connections and prepares their statements.
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
  ] as const)(
    'reports failed work without partial changes if the connection is cut when the text %s is %s',
    async (text, when, kindOfWork) => {
      proxy.cutAt(text, when)
      expect(await many(WORK[kindOfWork])).toEqual(all(text === 'ROLLBACK' ? 'refused' : 'away'))
      const durable = when === 'answered' && (text === 'COMMIT' || text === 'query')
      expect((await marks()).length > 0).toBe(durable)
      proxy.heal()
      await expectWhole(db, databaseUrl, SIZE)
    },
  )

  test('runs no remaining queries outside a transaction if the connection is cut between two queries', async () => {
    const work = () =>
      transaction(db, async (tx) => {
        await mark(tx, 'before')
        proxy.cutAll()
        // Other work requests connections at this point.
        await outcome(mark(db, 'another'))
        await mark(tx, 'after').catch(() => {})
        await mark(tx, 'after')
      })
    expect(await many(work)).toEqual(all('away'))
    expect(await marks()).not.toEqual(expect.arrayContaining([expect.stringMatching(/before|after/)]))
    await expectWhole(db, databaseUrl, SIZE)
  })

  test.each(Object.keys(WORK) as (keyof typeof WORK)[])(
    'reports an unavailable database if the server stalls during %s',
    async (kindOfWork) => {
      for (let round = 0; round < 2; round++) {
        const begun = many(WORK[kindOfWork])
        await sleep(5)
        proxy.stall()
        const outcomes = [...(await begun), ...(await many(WORK[kindOfWork]))]
        // Work that starts during the stall has failed by now.
        expect(outcomes.slice(3 * SIZE)).toEqual(all('away'))
        proxy.heal()
        await expectWhole(db, databaseUrl, SIZE)
      }
    },
  )

  test('tries each query once if connections are refused, without a delay from earlier failures', async () => {
    proxy.refuse()
    await sleep(50)
    const before = proxy.accepted()
    expect(await many(WORK['a query'])).toEqual(all('away'))
    expect(await many(WORK['a transaction'])).toEqual(all('away'))
    expect(proxy.accepted() - before).toBeLessThanOrEqual(6 * SIZE)
    proxy.heal()
    await expectWhole(db, databaseUrl, SIZE)
  })

  test('releases the connection of a transaction that waits for anything other than PostgreSQL', async () => {
    const never = () => transaction(db, () => new Promise<never>(() => {}))
    expect(await many(never)).toEqual(all('away'))
    await expectWhole(db, databaseUrl, SIZE)
  })

  test('applies no changes of a transaction that missed its deadline', async () => {
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

  test('does not run queries that a failed transaction left behind', async () => {
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

  test('replaces connections that are cut while idle, without errors', async () => {
    proxy.cutAll()
    await sleep(200)
    expect(await many(WORK['a query'])).toEqual(all('done'))
    expect(await many(WORK['a transaction'])).toEqual(all('done'))
  })

  test('closes during a stall', async () => {
    const begun = many(WORK['a transaction'])
    proxy.stall()
    await db.end()
    expect(await begun).toEqual(all('away'))
    expect(await outcome(mark(db, 'late'))).toBe('away')
  })

  test('finishes work in progress before it closes', async () => {
    const begun = many(WORK['a transaction'])
    await sleep(5)
    await db.end()
    expect(new Set(await begun)).toEqual(new Set(['done']))
    expect(await marks()).toHaveLength(6 * SIZE)
  })
})

describe('prepared statements', () => {
  let one: DatabasePool
  beforeEach(() => {
    one = openDatabase(databaseUrl, encryption, { connections: 1 })
  })
  afterEach(() => one.end())
  const session = async () => {
    const [row] = await one.orm.execute<{ pid: number; planned: number }>(
      sql`SELECT pg_backend_pid() AS pid, count(*)::int AS planned FROM pg_prepared_statements WHERE ${true}`,
    )
    return row
  }

  test('do not multiply with the lengths of lists', async () => {
    const holdsOf = (count: number) => findHoldsInForce(one, Array.from({ length: count }, unique))
    await holdsOf(1)
    const before = await session()
    for (let count = 0; count < 20; count++) expect(await holdsOf(count)).toEqual([])
    expect((await session())?.planned).toBe(before?.planned)
  })

  test('are discarded with their connection after half an hour', async () => {
    const first = await session()
    expect(await session()).toMatchObject({ pid: first?.pid })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31 * 60_000 })
    expect(await session()).toMatchObject({ pid: first?.pid })
    expect((await session())?.pid).not.toBe(first?.pid)
    vi.useRealTimers()
    await eventually(async () => expect(await sessionsOf(databaseUrl)).toBe(1))
  })
})

describe('a required TLS connection', () => {
  test.each([
    ['if the server does not support TLS', false, ''],
    ['if the server has an untrusted certificate', true, ''],
  ])('sends nothing %s', async (_, withTls) => {
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

test('returns a list unchanged, whatever characters it contains', async () => {
  const db = openDatabase(databaseUrl, encryption, { connections: 1 })
  const texts = ['https://example.com\\hook', 'a "quoted" one', 'NULL', '{,}', '', 'ü ☂']
  const [row] = await db.orm.execute<{ list: string[] }>(sql`SELECT ${sql.param(texts)}::text[] AS list`)
  expect(row?.list).toEqual(texts)
  await db.end()
})

test('encodes bytes and booleans only once, even if the driver repeats the query', async () => {
  const db = openDatabase(databaseUrl, encryption, { connections: 1 })
  const query = () =>
    db.orm.execute<{ bytes: Buffer; truth: boolean }>(
      sql`SELECT ${Buffer.from('secret')}::bytea AS bytes, ${true}::boolean AS truth`,
    )
  await query()
  // A connection pooler does the same before it gives the session to another client.
  await db.orm.execute(sql.raw('DEALLOCATE ALL'))
  const [row] = await query()
  expect([row?.bytes.toString(), row?.truth]).toEqual(['secret', true])
  await db.end()
})
