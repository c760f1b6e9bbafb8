/**
 * Tests an API and a worker whose connections to PostgreSQL are cut, refused or stalled. Afterwards, each
 * pool and listening connection works again.
 */
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../dev/launcher/ports.ts'
import { DEADLINE_MS } from '../../src/temporal/gateway.ts'
import { createApi } from '../support/api.ts'
import { eventually, type OwnInstance, startInstance, unique } from '../support/instance.ts'
import { createKey } from '../support/people.ts'
import { type Spawned, spawnProcess } from '../support/processes.ts'
import { type PostgresProxy, startProxy } from '../support/proxy.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { deliverTo } from '../support/webhook.ts'

/** The connections in the pools of an API and a worker, and their listening connections. */
const MOST_SESSIONS = 20 + 1 + (20 + 8 + 1)
/** The connections of the API that the instance itself runs. */
const OWN_SESSIONS = 20 + 1
const UNDER_FIRE_MS = 1_500

let gatehouse: OwnInstance
let proxy: PostgresProxy
let receiver: Receiver
let direct: postgres.Sql
let baseUrl: string
let api: ReturnType<typeof createApi>
let readyz: () => Promise<number[]>
const processes: Spawned[] = []

beforeAll(async () => {
  gatehouse = await startInstance({ deadlineMs: DEADLINE_MS })
  proxy = await startProxy(gatehouse.env.DATABASE_URL)
  receiver = await startReceiver()
  await deliverTo(gatehouse, receiver.url)
  direct = postgres(gatehouse.env.DATABASE_URL, { max: 1, connection: { application_name: 'counting' } })
  const [PORT, HEALTH_PORT] = [String(await freePort()), String(await freePort())]
  // The connections of the instance itself do not pass through the proxy and do not count.
  const env = { ...gatehouse.env, DATABASE_URL: proxy.url, PORT, HEALTH_PORT, LOG_LEVEL: 'info' }
  processes.push(spawnProcess('src/server.ts', env), spawnProcess('src/worker.ts', env))
  await Promise.all(processes.map((each) => each.ready()))
  baseUrl = `http://127.0.0.1:${PORT}/v1`
  api = createApi(baseUrl, gatehouse.credentials.api_key)
  const statusOf = async (port: string) => (await fetch(`http://127.0.0.1:${port}/readyz`)).status
  readyz = () => Promise.all([PORT, HEALTH_PORT].map(statusOf))
})
afterAll(async () => {
  await Promise.all(processes.map((each) => each.stop('SIGKILL')))
  await proxy.stop()
  await receiver.stop()
  await direct.end()
  await gatehouse.stop()
})

/** Returns the number of Gatehouse sessions, and how many of them are idle in a transaction. */
async function sessions() {
  const [row] = await direct<{ all: number; left: number }[]>`
    SELECT count(*)::int AS all, count(*) FILTER (WHERE state LIKE 'idle in transaction%')::int AS left
    FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'gatehouse'`
  return row ?? { all: 0, left: 0 }
}

/** Sends reads, creations and commands until `during` has finished. Returns the statuses of the responses. */
async function underFire(during: () => Promise<unknown>): Promise<Set<number>> {
  const statuses = new Set<number>()
  const id = await gatehouse.api.createKyb()
  const change = { nature_of_business: { legal_company_name: 'Acme' } }
  const requests = [
    () => api.get(`/kyb/${id}`),
    () => api.post('/kyb', { external_id: unique() }),
    () => api.patch(`/kyb/${id}`, change),
  ]
  let working = true
  const callers = requests.flatMap((request) =>
    [1, 2, 3].map(async () => {
      while (working) statuses.add((await request()).status)
    }),
  )
  await during()
  working = false
  await Promise.all(callers)
  return statuses
}

/** Checks that everything works immediately, without waiting for a fallback. */
async function expectNothingLeft(): Promise<void> {
  await eventually(async () => expect(await readyz()).toEqual([200, 200]))
  // A command passes through the API, Temporal and the worker.
  const id = await eventually(() => api.createKyb())
  const change = { nature_of_business: { legal_company_name: 'Whole' } }
  await eventually(async () => expect((await api.patch(`/kyb/${id}`, change)).status).toBe(200))
  // The worker receives notifications, so its first attempt begins.
  const { identification_id } = (await api.get(`/kyb/${id}`)).body.data
  await eventually(() =>
    expect(receiver.received.map(({ body }) => body).join()).toContain(identification_id),
  )
  // The API receives notifications, so it forgets a cached caller.
  const key = await createKey(gatehouse, { roles: ['api_read'] })
  const ofKey = createApi(baseUrl, key.key)
  expect((await ofKey.get('/kyb')).status).toBe(200)
  const operator = await gatehouse.operator()
  await operator.delete(`/api_keys/${key.id}`)
  const since = performance.now()
  let lastAccepted = since
  await eventually(async () => {
    const asked = performance.now()
    const { status } = await ofKey.get('/kyb')
    if (status === 200) lastAccepted = asked
    expect(status).toBe(401)
  })
  // Without a notification, the API forgets a caller after five seconds.
  if (process.env.CHAOS === 'full') expect(lastAccepted - since).toBeLessThan(4_000)
  await eventually(async () => {
    const { all, left } = await sessions()
    expect(all).toBeLessThanOrEqual(MOST_SESSIONS + OWN_SESSIONS)
    expect(left).toBe(0)
  })
  for (const { child, output } of processes) {
    expect(child.exitCode).toBeNull()
    expect(output()).not.toMatch(/uncaught error|UnhandledPromise/)
  }
}

const MOMENTS: readonly (readonly [text: string, when: 'asked' | 'answered'])[] = [
  ['BEGIN', 'asked'],
  ['BEGIN', 'answered'],
  ['COMMIT', 'asked'],
  ['COMMIT', 'answered'],
  ['select', 'asked'],
  ['insert', 'answered'],
  ['update', 'asked'],
  ['listen', 'answered'],
]
const SHORT = ['COMMIT answered', 'listen answered']
const CUTS = process.env.CHAOS === 'full' ? MOMENTS : MOMENTS.filter((cut) => SHORT.includes(cut.join(' ')))

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe('an outage', () => {
  test.each(CUTS)(
    'has no lasting effect if connections are cut when the statement %s is %s',
    async (text, when) => {
      const statuses = await underFire(async () => {
        await pause(200)
        proxy.cutAt(text, when)
        // The listening connection sends nothing after its start, so it is cut separately.
        proxy.cutAll()
        await pause(UNDER_FIRE_MS)
        proxy.heal()
      })
      expect([...statuses].filter((status) => ![200, 201, 503].includes(status))).toEqual([])
      await expectNothingLeft()
    },
  )

  test.each(['refuse', 'stall'] as const)(
    'has no lasting effect on requests after all connections had the fault %s',
    async (fault) => {
      await underFire(async () => {
        proxy[fault]()
        await eventually(async () => expect(await readyz()).toEqual([503, 503]))
        proxy.heal()
      })
      await expectNothingLeft()
    },
  )
})
