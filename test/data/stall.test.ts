/** Tests that no connection is lost if PostgreSQL is stopped for 15 seconds under load, or restarted. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newKeys } from '../../dev/launcher/secrets.ts'
import { connectDatabase, transaction } from '../../src/db/connection/database.ts'
import { isDatabaseUnavailable } from '../../src/db/connection/failure.ts'
import { createLogger } from '../../src/process/log.ts'
import { createEncryption } from '../../src/storage/encryption.ts'
import { DEADLINE_MS } from '../../src/temporal/gateway.ts'
import { expectWhole, sessionsOf } from '../support/connections.ts'
import { eventually, type OwnInstance, startInstance, unique } from '../support/instance.ts'
import { type StoppablePostgres, startStoppablePostgres } from '../support/stopped-postgres.ts'

const STALL_MS = 15_000
/** A second round detects leftovers of the first. */
const ROUNDS = process.env.CHAOS === 'full' ? 2 : 1
const API = 20
const WORKER = 20 + 8
const LISTENING = 1

let postgres: StoppablePostgres
beforeAll(async () => {
  postgres = await startStoppablePostgres()
})
afterAll(() => postgres.stop())

/** Starts `work` every `pauseMs` milliseconds until `during` has finished. Returns the distinct outcomes. */
async function underLoad<T>(pauseMs: number, work: () => Promise<T>, during: () => Promise<void>) {
  const begun: Promise<T>[] = []
  const timer = setInterval(() => begun.push(work()), pauseMs)
  await during().finally(() => clearInterval(timer))
  return new Set(await Promise.all(begun))
}

/** Stops the server. Work that starts in this time must end before the server continues. */
async function stalled(work: () => Promise<unknown>): Promise<void> {
  await sleep(1_000)
  postgres.pause()
  try {
    const asked = Array.from({ length: 40 }, work)
    await Promise.all([...asked, sleep(STALL_MS)])
  } finally {
    postgres.continue()
  }
  await sleep(1_000)
}

/** Restarts the server after some work has started. */
async function restarted(): Promise<void> {
  await sleep(500)
  await postgres.restart()
}

describe('connections', () => {
  const db = () =>
    connectDatabase(postgres.url, createEncryption(newKeys()), createLogger('silent', 'test'), {
      connections: API,
    })
  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: unknown) => (isDatabaseUnavailable(error) ? 'away' : error),
    )

  test.each(['stopped', 'restarted'])(
    'are all available after PostgreSQL was %s under load',
    async (how) => {
      const pool = db()
      const work = () =>
        outcome(
          transaction(pool, async (tx) => {
            await tx.orm.execute(sql`SELECT ${1}::int`)
            await tx.orm.execute(sql`SELECT ${2}::int FROM pg_sleep(0.02)`)
          }),
        )
      for (let round = 0; round < ROUNDS; round++) {
        const during = how === 'stopped' ? () => stalled(work) : restarted
        expect(await underLoad(20, work, during)).toEqual(new Set(['done', 'away']))
        await expectWhole(pool, postgres.url, API)
      }
      await pool.end()
      await eventually(async () => expect(await sessionsOf(postgres.url)).toBe(0))
    },
    120_000,
  )
})

describe('an API and a worker', () => {
  let gatehouse: OwnInstance
  beforeAll(async () => {
    gatehouse = await startInstance({ databaseUrl: postgres.url, deadlineMs: DEADLINE_MS })
  })
  afterAll(() => gatehouse.stop())

  test('recover after PostgreSQL was stopped under load', async () => {
    const { api } = gatehouse
    const worker = await gatehouse.spawnWorker()
    const ids = await Promise.all(Array.from({ length: API }, () => api.createKyb()))
    const patch = { nature_of_business: { legal_company_name: 'Acme' } }
    const patchAll = () => Promise.all(ids.map((id) => api.patch(`/kyb/${id}`, patch)))
    let turn = 0
    const requests = [
      () => api.get(`/kyb/${ids[turn % ids.length]}`),
      () => api.patch(`/kyb/${ids[turn % ids.length]}`, patch),
      () => api.post('/kyb', { external_id: unique() }),
      () => api.get('/kyb'),
    ]
    const request = async () => (await requests[turn++ % requests.length]?.())?.status
    for (let round = 0; round < ROUNDS; round++) {
      expect(await underLoad(50, request, () => stalled(request))).toEqual(new Set([200, 201, 503]))
      // Temporal retries failed activities after a delay.
      await eventually(async () => {
        expect(new Set((await patchAll()).map(({ status }) => status))).toEqual(new Set([200]))
      }, 60_000)
      await expectWhole(gatehouse.db, postgres.url, API, API + WORKER + LISTENING)
      expect(worker.exitCode).toBeNull()
    }
  }, 240_000)
})
