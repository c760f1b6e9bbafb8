/** Tests a PostgreSQL that refuses writes, like a former primary, or refuses connections. */
import { setTimeout as sleep } from 'node:timers/promises'
import { eq } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { webhookLogs } from '../../drizzle/schema.ts'
import { asAdmin } from '../support/database.ts'
import { eventually, startInstance, unique } from '../support/instance.ts'
import { startReceiver } from '../support/receiver.ts'
import { deliverTo } from '../support/webhook.ts'

/** Responses that the test sends later. */
let held: (() => void)[] = []
let isHolding = false
const receiver = await startReceiver((res) => (isHolding ? held.push(() => res.end()) : res.end()))
const gatehouse = await startInstance()
await deliverTo(gatehouse, receiver.url)
await gatehouse.startWorker()
afterAll(async () => {
  await gatehouse.stop()
  await receiver.stop()
})

const name = new URL(gatehouse.config.DATABASE_URL).pathname.slice(1)
const set = (statement: string) => asAdmin(`ALTER DATABASE ${name} ${statement}`)
/** Ends all connections, because open ones keep the earlier setting. */
const disconnect = () =>
  asAdmin(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`)
const readiness = async () => (await fetch(`${gatehouse.baseUrl}/readyz`)).json()

describe.each([
  ['refuses changes', 'SET default_transaction_read_only = on', 'RESET default_transaction_read_only'],
  ['refuses connections', 'ALLOW_CONNECTIONS false', 'ALLOW_CONNECTIONS true'],
])('PostgreSQL that %s', (_state, begin, end) => {
  test('causes 503 responses, no repeated delivery, and no lasting effect', async () => {
    const before = receiver.received.length
    const completed = () => gatehouse.db.orm.$count(webhookLogs, eq(webhookLogs.status, 'completed'))
    const completedBefore = await completed()
    isHolding = true
    for (const externalId of [unique(), unique(), unique()]) await gatehouse.api.createKyb(externalId)
    await eventually(() => expect(held).toHaveLength(3))
    await set(begin)
    await disconnect()
    await eventually(async () => expect(await readiness()).toEqual({ status: 'database_away' }))
    const created = await gatehouse.api.post('/kyb', { external_id: unique() })
    expect([created.status, created.headers.get('Retry-After')]).toEqual([503, '1'])
    // A request in several parts may have completed one of them.
    expect(created.body.errors[0].message).toContain('may have been made')
    expect((await gatehouse.api.get('/kyb')).status).not.toBe(500)
    isHolding = false
    for (const answer of held) answer()
    held = []
    // The worker retries to record the results in this period.
    await sleep(1_500)
    await set(end)
    await eventually(async () => expect(await readiness()).toEqual({ status: 'ok' }))
    await eventually(async () => expect(await completed()).toBe(completedBefore + 3))
    // On a busy machine, the time limit of the first attempt may have passed.
    const attempts = receiver.received
      .slice(before)
      .map(({ headers, attributes }) => `${attributes.event_id} ${headers['gatehouse-attempt']}`)
    expect(attempts).toEqual([...new Set(attempts)])
  })
})
