/** Tests the event feed: its order, its cursors, waiting for events, and its bounds. */
import { and, eq, isNotNull, sql } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { freePort } from '../../dev/launcher/ports.ts'
import { apiKeys, eventFeeds, feedEvents } from '../../drizzle/schema.ts'
import { transaction } from '../../src/db/connection/database.ts'
import { placeEvents, selectPlacedEvents } from '../../src/db/webhooks/event-feed.ts'
import { deleteOldWebhookLogs } from '../../src/db/webhooks/housekeeping.ts'
import { insertWebhookLogRows } from '../../src/db/webhooks/outbox.ts'
import type { Api } from '../support/api.ts'
import { expectErrors } from '../support/checks.ts'
import { addVault, eventually, startInstance } from '../support/instance.ts'
import { createKey } from '../support/people.ts'
import { spawnProcess } from '../support/processes.ts'
import { nodesOf, openPlanned } from '../support/query-plan.ts'
import { startReceiver } from '../support/receiver.ts'
import { insertLogs, publish } from '../support/webhook.ts'

const gatehouse = await startInstance()
const operator = await gatehouse.operator()
afterAll(() => gatehouse.stop())

let api: Api
let vaultId: string
const { wait } = gatehouse.feedWatch
const waits = vi.spyOn(gatehouse.feedWatch, 'wait')
/** Waits that do not end by themselves, so that only an event, a signal or the end of the process ends them. */
const waitWithoutEnd: typeof wait = (after, _ms, signal) => wait(after, 600_000, signal)
beforeEach(async () => {
  waits.mockReset()
  waits.mockImplementation(wait)
  ;({ api, vaultId } = await addVault(gatehouse))
})

/** Waits until requests have begun to wait for events this number of times. */
const begunWaits = (count: number) =>
  eventually(() => expect(waits.mock.calls.length).toBeGreaterThanOrEqual(count))

interface Event {
  readonly id: string
  readonly topic: string
  readonly event: string
  readonly payload: object
}

async function read(query: Record<string, string | number> = {}, by = api) {
  const { status, body } = await by.get(`/events?${new URLSearchParams(query as Record<string, string>)}`)
  expect(status).toBe(200)
  return body as { data: Event[]; cursor: string; has_more: boolean }
}

/** Reads pages until the feed has no more. */
async function readAll(query: Record<string, string | number> = {}) {
  const events: Event[] = []
  let after: string | undefined
  for (;;) {
    const page = await read({ ...query, ...(after && { after }) })
    events.push(...page.data)
    after = page.cursor
    if (!page.has_more) return { events, cursor: after }
  }
}

async function expectRefusal(query: string, status: number, problem: { code: string; field: string }) {
  const answer = await api.get(`/events?${query}`)
  expect(answer.status).toBe(status)
  expectErrors(answer, problem)
}

const publishTo = (topic: string, count = 1) => publish(operator, vaultId, topic, count)
const rowOf = (name: string) => ({
  id: newId(),
  vaultId,
  topic: 'ticket' as const,
  payload: JSON.stringify({ data: { event: name, attributes: { event_id: newId() } } }),
  traceparent: null,
})
const namesOf = ({ data }: { data: Event[] }) => data.map(({ event }) => event)

describe('the order', () => {
  test('contains every event once, also without URLs, with the body and the ID of its webhooks', async () => {
    const receiver = await startReceiver((res) => res.writeHead(200).end())
    await api.put('/users/update_webhook', { webhook_url: { fiat_payment: [receiver.url] } })
    const worker = await gatehouse.startWorker()
    await api.createKyb()
    await publishTo('card_payment')
    await publishTo('ticket', 2)
    const { events } = await readAll()
    expect(events.map(({ topic, event }) => [topic, event])).toEqual([
      ['identification', 'identification_created'],
      ['account', 'account_created'],
      ['card_payment', 'card_payment_made'],
      ['ticket', 'ticket_made'],
      ['ticket', 'ticket_made'],
    ])
    expect(new Set(events.map(({ id }) => id)).size).toBe(5)
    const [sent] = await eventually(() => {
      expect(receiver.received).toHaveLength(1)
      return receiver.received
    })
    const card = events[2]
    expect(JSON.stringify(card?.payload)).toBe(sent?.body)
    expect(card?.id).toBe(sent?.attributes.event_id)
    await worker.stop()
    await receiver.stop()
  })

  test('returns pages with a cursor, and the events of one topic', async () => {
    for (const topic of ['ticket', 'account', 'ticket', 'ticket']) await publishTo(topic)
    const first = await read({ limit: 3 })
    expect(first).toMatchObject({ has_more: true, data: { length: 3 } })
    const second = await read({ limit: 3, after: first.cursor })
    expect(second).toMatchObject({ has_more: false, data: { length: 1 } })
    expect(await read({ after: second.cursor })).toEqual({ data: [], cursor: second.cursor, has_more: false })
    const tickets = await readAll({ topic: 'ticket', limit: 1 })
    expect(tickets.events.map(({ topic }) => topic)).toEqual(['ticket', 'ticket', 'ticket'])
    expect(tickets.cursor).toBe(second.cursor)
  })

  test('does not pass an event that is committed later, and repeats none', async () => {
    let commit = () => {}
    const held = new Promise<void>((resolve) => {
      commit = resolve
    })
    let slow = Promise.resolve()
    await new Promise<void>((inserted) => {
      slow = transaction(gatehouse.db, async (tx) => {
        await insertWebhookLogRows(tx, [rowOf('slow')])
        inserted()
        await held
      })
    })
    await insertWebhookLogRows(gatehouse.db, [rowOf('fast')])
    const first = await read()
    expect(namesOf(first)).toEqual(['fast'])
    const waiting = read({ after: first.cursor, wait: 10 })
    await insertWebhookLogRows(gatehouse.db, [rowOf('faster')])
    const second = await waiting
    expect(namesOf(second)).toEqual(['faster'])
    commit()
    await slow
    const third = await read({ after: second.cursor })
    expect(namesOf(third)).toEqual(['slow'])
    expect((await readAll()).events.map(({ event }) => event)).toEqual(['fast', 'faster', 'slow'])
  })

  test('contains nothing of a transaction that is rolled back', async () => {
    const undone = transaction(gatehouse.db, async (tx) => {
      await insertWebhookLogRows(tx, [rowOf('undone')])
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(await read()).toMatchObject({ data: [], has_more: false })
  })

  test('is the same for concurrent readers', async () => {
    await Promise.all(Array.from({ length: 20 }, () => publishTo('ticket', 20)))
    const orders = await Promise.all(Array.from({ length: 10 }, (_, n) => readAll({ limit: 7 + n * 13 })))
    const ids = orders.map(({ events }) => events.map(({ id }) => id))
    expect(new Set(ids[0]).size).toBe(400)
    for (const each of ids) expect(each).toEqual(ids[0])
  })

  test('ends a page with many large bodies early', async () => {
    const text = 'x'.repeat(60_000)
    await insertLogs(gatehouse, vaultId, ...Array.from({ length: 80 }, () => ({ text })))
    const page = await read({ limit: 500 })
    expect(page.has_more).toBe(true)
    expect(page.data.length).toBeLessThan(40)
    expect((await readAll({ limit: 500 })).events).toHaveLength(80)
  })
})

describe('waiting', () => {
  test('returns a new event at once, and an empty page after the time to wait', async () => {
    const { cursor } = await read()
    waits.mockImplementation(waitWithoutEnd)
    const waiting = read({ after: cursor, wait: 20 })
    await begunWaits(1)
    await publishTo('ticket')
    expect((await waiting).data).toHaveLength(1)
    waits.mockImplementation(wait)
    expect(await read({ topic: 'account', wait: 1 })).toMatchObject({ data: [], has_more: false })
  })

  test('waits for the topic, whatever other events come', async () => {
    waits.mockImplementation(waitWithoutEnd)
    const waiting = read({ topic: 'account', wait: 30 })
    await begunWaits(1)
    await publishTo('ticket', 3)
    await begunWaits(2)
    await publishTo('account')
    expect(namesOf(await waiting)).toEqual(['account_made'])
  })

  test('holds no database connection and no slot, even for a hundred requests', async () => {
    waits.mockImplementation(waitWithoutEnd)
    const waiting = Promise.all(Array.from({ length: 100 }, () => read({ wait: 30 })))
    waiting.catch(() => {})
    await begunWaits(100)
    expect(gatehouse.db.usage()).toMatchObject({ waiting: 0 })
    // Responds while the others still wait.
    expect(await Promise.race([waiting, api.get('/users/settings')])).toMatchObject({ status: 200 })
    const refused = await api.get('/events?wait=1')
    expect(refused.status).toBe(503)
    expect(refused.body.errors[0].message).toContain('wait for events')
    expect(refused.headers.get('Retry-After')).toBe('1')
    await publishTo('ticket')
    for (const each of await waiting) expect(each.data).toHaveLength(1)
  })

  test('ends when the client disconnects', async () => {
    const gone = new AbortController()
    const key = (await createKey(gatehouse, { roles: ['api_read'] }, vaultId)).key
    const ask = () =>
      fetch(`${gatehouse.baseUrl}/v1/events?wait=30`, {
        headers: { Authorization: key },
        signal: gone.signal,
      })
    waits.mockImplementation(waitWithoutEnd)
    const waiting = Promise.allSettled(Array.from({ length: 100 }, ask))
    await begunWaits(100)
    waits.mockImplementation(wait)
    gone.abort()
    await waiting
    await eventually(async () => expect((await api.get('/events?wait=1')).status).toBe(200))
  })

  test('ends at once when the process is asked to stop', async () => {
    const port = await freePort()
    const server = spawnProcess('src/server.ts', { ...gatehouse.env, PORT: String(port), HOST: '127.0.0.1' })
    await server.ready()
    const { id, key } = await createKey(gatehouse, { roles: ['api_read'] }, vaultId)
    const ask = () => fetch(`http://127.0.0.1:${port}/v1/events?wait=30`, { headers: { Authorization: key } })
    const waiting = ask()
    const used = and(eq(apiKeys.id, id), isNotNull(apiKeys.lastUsedAt))
    await eventually(async () => expect(await gatehouse.db.orm.$count(apiKeys, used)).toBe(1))
    // The process closes connections that still wait after a few seconds. It serves new requests for two seconds.
    const [stopped, late] = [server.stop(), ask()]
    expect((await waiting).status).toBe(200)
    expect((await late).status).toBe(200)
    await stopped
  })

  test('returns nothing to a key that was revoked in the meantime', async () => {
    const { id, api: own } = await createKey(gatehouse, { roles: ['api_read'] }, vaultId)
    const waiting = read({ wait: 10 }, own)
    await begunWaits(1)
    expect((await operator.delete(`/api_keys/${id}`)).status).toBe(200)
    await publishTo('ticket')
    expect(await waiting).toMatchObject({ data: [], has_more: false })
    expect((await own.get('/events')).status).toBe(401)
  })
})

describe('a request', () => {
  test.each([
    ['after=abc', 400, 'malformed_request', 'after'],
    ['after=', 400, 'malformed_request', 'after'],
    ['limit=0', 422, 'invalid', 'limit'],
    ['limit=501', 422, 'invalid', 'limit'],
    ['limit=many', 400, 'malformed_request', 'limit'],
    ['wait=31', 422, 'invalid', 'wait'],
    ['wait=-1', 422, 'invalid', 'wait'],
    ['wait=1.5', 400, 'malformed_request', 'wait'],
    ['topic=unknown', 422, 'invalid', 'topic'],
    ['cursor=abc', 422, 'unknown_field', 'cursor'],
  ])('with %s is refused', async (query, status, code, field) => {
    await expectRefusal(query, status, { code, field })
  })

  test('with a cursor of another vault is refused, even if it was forged', async () => {
    const { cursor } = await read({}, (await addVault(gatehouse)).api)
    await expectRefusal(`after=${cursor}`, 422, { code: 'invalid', field: 'after' })
  })

  test('with a changed cursor gets events of its own vault, or a refusal', async () => {
    await publishTo('ticket', 3)
    const { cursor } = await read()
    const bytes = Buffer.from(cursor, 'base64url')
    for (let n = 0; n < bytes.length; n += 1) {
      const changed = Buffer.from(bytes)
      changed[n] = (changed[n] ?? 0) ^ 1
      const { status } = await api.get(`/events?after=${changed.toString('base64url')}`)
      expect([400, 410, 422]).toContain(status)
    }
  })
})

describe('the bounds', () => {
  const OLD = new Date(Date.now() - 100 * 86_400_000)
  const expired = (after: string) =>
    expectRefusal(`after=${after}`, 410, { code: 'cursor_expired', field: 'after' })

  test('refuse a cursor whose next events were deleted, and begin at the oldest event that is left', async () => {
    const start = (await read()).cursor
    await insertLogs(gatehouse, vaultId, { createdAt: OLD, name: 'old' }, { createdAt: OLD, name: 'older' })
    const first = await read({ limit: 1 })
    const second = await read()
    await insertLogs(gatehouse, vaultId, { name: 'new' })
    await deleteOldWebhookLogs(gatehouse.db, 90)
    await expired(start)
    await expired(first.cursor)
    expect(namesOf(await read({ after: second.cursor }))).toEqual(['new'])
    expect((await readAll()).events.map(({ event }) => event)).toEqual(['new'])
  })

  test('refuse a cursor if unread events were deleted', async () => {
    await insertLogs(gatehouse, vaultId, { createdAt: OLD })
    const { cursor } = await read()
    await insertLogs(gatehouse, vaultId, { createdAt: OLD }, { createdAt: OLD })
    await deleteOldWebhookLogs(gatehouse.db, 90)
    await expired(cursor)
    const { data, cursor: next } = await read()
    expect(data).toEqual([])
    await insertLogs(gatehouse, vaultId, { name: 'new' })
    expect(namesOf(await read({ after: next }))).toEqual(['new'])
  })

  test('keep the cursor of a reader who has read everything, however old it is', async () => {
    await insertLogs(gatehouse, vaultId, { createdAt: OLD })
    const { cursor } = await read()
    await deleteOldWebhookLogs(gatehouse.db, 90)
    expect(await read({ after: cursor })).toMatchObject({ data: [], has_more: false })
    await insertLogs(gatehouse, vaultId, { name: 'new' })
    expect(namesOf(await read({ after: cursor }))).toEqual(['new'])
  })

  test('refuse a cursor from after a backup that was restored, also when the positions are taken again', async () => {
    await publishTo('ticket', 2)
    const kept = await read()
    await publishTo('ticket', 2)
    const lost = await read()
    // Restores the content of a backup without the last two events.
    const newer = sql`vault_id = ${vaultId} AND position > 2`
    const ids = sql`SELECT webhook_log_id FROM feed_events WHERE ${newer}`
    await gatehouse.db.orm.execute(sql`DELETE FROM webhook_logs WHERE id IN (${ids})`)
    await gatehouse.db.orm.delete(feedEvents).where(newer)
    await gatehouse.db.orm.update(eventFeeds).set({ lastPosition: 2 }).where(eq(eventFeeds.vaultId, vaultId))
    await expired(lost.cursor)
    await publishTo('ticket', 5)
    expect((await read({ after: kept.cursor })).data).toHaveLength(5)
    await expired(lost.cursor)
  })
})

test('the plan reads only the page, in a vault with many events of many topics', async () => {
  await gatehouse.db.orm.execute(sql`
    INSERT INTO webhook_logs (id, vault_id, topic, status, payload, urls_destiny, indexed)
    SELECT uuidv7(), ${vaultId}, CASE WHEN n % 1000 = 0 THEN 'account' ELSE 'ticket' END, 'completed',
      '{"data":{"event":"e","attributes":{"event_id":"' || uuidv7() || '"}}}', '{}', true
    FROM generate_series(1, 20000) AS n`)
  for (let n = 0; n < 20; n += 1) await placeEvents(gatehouse.db, vaultId)
  await gatehouse.asOwner('VACUUM ANALYZE webhook_logs')
  await gatehouse.asOwner('VACUUM ANALYZE feed_events')
  // Otherwise, the plan depends on whether PostgreSQL has already analysed this table.
  await gatehouse.asOwner('VACUUM ANALYZE event_feeds')
  const { client, planned, plansOf } = openPlanned(gatehouse.config.DATABASE_URL, gatehouse.db.encryption)
  const after = { vaultId, position: 5_000, logId: null }
  for (const topic of [undefined, 'account'] as const) {
    const plans = await plansOf(() =>
      planned.orm.execute(selectPlacedEvents({ vaultId, after, topic, limit: 10 })),
    )
    // PostgreSQL reads this table at once, because it has one row for each vault and therefore one page.
    const scans = plans.flatMap(nodesOf).filter((node) => node['Relation Name'] !== 'event_feeds')
    expect(scans.some((node) => node['Relation Name'] === 'feed_events')).toBe(true)
    expect(scans.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([])
    expect(Math.max(...scans.map((node) => node['Rows Removed by Filter'] ?? 0))).toBeLessThan(20)
  }
  await client.end({ timeout: 1 })
})
