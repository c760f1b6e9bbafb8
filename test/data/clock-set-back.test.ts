/** Tests that times which PostgreSQL set before its clock was set back block nothing. */
import { randomBytes } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  counters,
  emails,
  idempotencyKeys,
  pendingFacts,
  unacknowledgedCommands,
  vaults,
} from '../../drizzle/schema.ts'
import { claimRequest } from '../../src/db/access/idempotency-key.ts'
import { findUnacknowledgedCommands } from '../../src/db/commands/command.ts'
import { findSourcesOfOldFacts } from '../../src/db/commands/pending-fact.ts'
import { comesWithin, isOlderThan } from '../../src/db/connection/clock.ts'
import type { DatabasePool } from '../../src/db/connection/database.ts'
import { findUnstartedEmails } from '../../src/db/email/email.ts'
import { isFreeFor, renewLeases } from '../../src/db/webhooks/lease.ts'
import { createCounter } from '../../src/use-cases/limits/counter.ts'
import { cloneDatabase, dropDatabase, openDatabase } from '../support/database.ts'
import { unique } from '../support/instance.ts'

const name = `test_${randomBytes(6).toString('hex')}`
let db: DatabasePool
beforeAll(async () => {
  db = openDatabase(await cloneDatabase(name))
})
afterAll(async () => {
  await db.end()
  await dropDatabase(name)
})

const A_YEAR = sql`clock_timestamp() + interval '1 year'`
const NIL = '00000000-0000-0000-0000-000000000000'

const evaluate = async (condition: ReturnType<typeof sql>) =>
  (await db.orm.execute<{ is: boolean | null }>(sql`SELECT ${condition} AS is`))[0]?.is

test.each([
  [-86_400, false, true],
  [-11, false, true],
  [-5, false, false],
  [5, true, false],
  [25, true, true],
  [35, false, true],
  [3_600, false, true],
  [31_536_000, false, true],
  [null, null, null],
])(
  'a time in %s seconds comes within 30 seconds: %s, and is older than 10 seconds: %s',
  async (seconds, comes, isOld) => {
    const time = sql`(clock_timestamp() + make_interval(secs => ${seconds}::float8))`
    expect([await evaluate(comesWithin(time, 30)), await evaluate(isOlderThan(time, 10))]).toEqual([
      comes,
      isOld,
    ])
  },
)

describe('a time a year ahead', () => {
  test.each([1, 4, 5, 1_000_000])('does not keep a counter with %i points', async (points) => {
    const key = unique()
    const expiresAt = sql`(extract(epoch FROM ${A_YEAR}) * 1000)::bigint` as unknown as Date
    await db.orm.insert(counters).values({ key: `test:${key}`, points, expiresAt })
    const counter = createCounter(db, 'test', { points: 5, seconds: 60 })
    const counted = await counter.consume(key)
    expect(counted.remaining).toBe(4)
    expect(counted.resetMs).toBeLessThanOrEqual(60_000)
    expect((await counter.consume(key)).remaining).toBe(3)
  })

  test('counts requests together that start a counter at the same time', async () => {
    const key = unique()
    const counter = createCounter(db, 'test', { points: 100, seconds: 60 })
    const counts = await Promise.all(Array.from({ length: 60 }, () => counter.consume(key)))
    expect(Math.min(...counts.map(({ remaining }) => remaining))).toBe(40)
  })

  test('does not keep the lease of a request', async () => {
    const request = { scope: unique(), requestHash: randomBytes(32), effectId: unique() }
    expect((await claimRequest(db, request)).outcome).toBe('claimed')
    expect((await claimRequest(db, request)).outcome).toBe('under_way')
    await db.orm.update(idempotencyKeys).set({ leaseExpiresAt: A_YEAR })
    expect(await claimRequest(db, request)).toMatchObject({ outcome: 'claimed', run: 2 })
  })

  test('keeps neither the deliveries of a stopped worker, nor a worker from taking them over', async () => {
    const [own, stopped] = [unique(), unique()]
    await renewLeases(db, [own, stopped])
    await db.orm.execute(sql`UPDATE webhook_leases SET held_since = held_since - interval '20 seconds'`)
    const isFree = () => evaluate(isFreeFor(own, sql`${stopped}::uuid`))
    expect(await isFree()).toBe(false)
    await db.orm.execute(sql`UPDATE webhook_leases SET expires_at = ${A_YEAR}`)
    await renewLeases(db, [own])
    await db.orm.execute(sql`UPDATE webhook_leases SET held_since = held_since - interval '20 seconds'`)
    expect(await isFree()).toBe(true)
    await db.orm.execute(sql`UPDATE webhook_leases SET held_since = ${A_YEAR}`)
    await renewLeases(db, [own])
    const [{ is_past: isPast } = {}] = await db.orm.execute<{ is_past: boolean }>(
      sql`SELECT held_since <= clock_timestamp() AS is_past FROM webhook_leases WHERE id = ${own}`,
    )
    expect(isPast).toBe(true)
  })

  test('delays the first attempt of no email', async () => {
    const vaultId = unique()
    await db.orm.insert(vaults).values({ id: vaultId, name: 'Clock' })
    const delayOf = async (dueAt: ReturnType<typeof sql> | null) => {
      const id = unique()
      await db.orm.insert(emails).values({ id, vaultId, notice: 'link', addressHash: randomBytes(32), dueAt })
      return (await findUnstartedEmails(db, 10)).find((email) => email.id === id)?.delayMs
    }
    expect(await delayOf(A_YEAR)).toBe(0)
    expect(await delayOf(null)).toBe(0)
    expect(await delayOf(sql`clock_timestamp() + interval '130 seconds'`)).toBeGreaterThan(30_000)
  })

  test('delays neither facts nor the reading of states', async () => {
    const row = { id: unique(), entity: 'kyb', entityId: unique(), vaultId: unique() } as const
    await db.orm
      .insert(pendingFacts)
      .values({ ...row, sourceId: row.entityId, fact: {} as never, createdAt: A_YEAR as never })
    await db.orm.insert(unacknowledgedCommands).values({ ...row, appliedAt: A_YEAR })
    expect(await findSourcesOfOldFacts(db, NIL, 10)).toEqual([{ id: row.entityId }])
    expect((await findUnacknowledgedCommands(db, NIL, 10)).map(({ id }) => id)).toEqual([row.id])
  })
})
