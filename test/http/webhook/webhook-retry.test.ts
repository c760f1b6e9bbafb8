/** Tests retries of one or many deliveries and the list of attempts over HTTP, without a worker. */
import { and, eq, gt } from 'drizzle-orm'
import postgres from 'postgres'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { idempotencyKeys, webhookAttempts, webhookLogs } from '../../../drizzle/schema.ts'
import { sealedFor } from '../../../src/db/connection/sealed.ts'
import type { Api } from '../../support/api.ts'
import { expectErrors } from '../../support/checks.ts'
import { addVault, eventually, startInstance, unique } from '../../support/instance.ts'
import { insertLogs, readLog } from '../../support/webhook.ts'

const URL = 'https://receiver.example/now'
const now = () => Math.floor(Date.now() / 1000)
const HOUR = 3_600
const RUN_AGAIN = gt(idempotencyKeys.run, 1)

let api: Api
let vaultId: string
const gatehouse = await startInstance()
beforeEach(async () => {
  ;({ api, vaultId } = await addVault(gatehouse))
  await register({ account: [URL] })
})
afterAll(() => gatehouse.stop())

const register = (webhook_url: Record<string, string[]>) => api.put('/users/update_webhook', { webhook_url })
const insert = (...logs: Parameters<typeof insertLogs>[2][]) => insertLogs(gatehouse, vaultId, ...logs)
const insertOne = async (log: Parameters<typeof insertLogs>[2]) => (await insert(log))[0] ?? ''
const retry = (id: string, by = api, body?: object) => by.post(`/webhook_logs/${id}/retry`, body)
const statuses = async (ids: readonly string[]) => {
  const rows = await gatehouse.db.orm.select().from(webhookLogs)
  const byId = new Map(rows.map(({ id, status }) => [id, status]))
  return ids.map((id) => byId.get(id))
}

describe('POST /webhook_logs/{id}/retry', () => {
  test.each(['completed', 'partial', 'failed'] as const)(
    'sets a %s delivery to pending with the same payload, a new round and the current URLs',
    async (status) => {
      const id = await insertOne({ status, failReason: 'HTTP status 500', text: 'x' })
      await gatehouse.db.orm
        .update(webhookLogs)
        .set({ batchId: unique(), indexed: true })
        .where(eq(webhookLogs.id, id))
      const { payload, createdAt } = await readLog(gatehouse, id)
      const answer = await retry(id)
      expect([answer.status, answer.body.data]).toEqual([
        200,
        {
          id,
          event: 'account',
          status: 'pending',
          fail_reason: null,
          payload: JSON.parse(payload),
          retries: 0,
          urls_destiny: [URL],
          created_at: Math.floor(createdAt.getTime() / 1000),
        },
      ])
      expect(await readLog(gatehouse, id)).toMatchObject({ payload, createdAt, round: 2, batchId: null })
    },
  )

  test('sends an event to the current URLs if its topic had none before', async () => {
    await register({ account: [] })
    await api.createKyb()
    const [kept] = (await api.get('/webhook_logs?type=account&status=failed')).body.data
    expectErrors(await retry(kept.id), 'no_urls_configured')
    await register({ account: [URL] })
    expect((await retry(kept.id)).body.data).toMatchObject({ status: 'pending', urls_destiny: [URL] })
  })

  test.each(['pending', 'processing'] as const)(
    'refuses a %s delivery, and changes nothing',
    async (status) => {
      const id = await insertOne({ status })
      const before = await readLog(gatehouse, id)
      const answer = await retry(id)
      expect(answer.status).toBe(422)
      expectErrors(answer, 'delivery_in_progress')
      expect(await readLog(gatehouse, id)).toEqual(before)
    },
  )

  test('refuses a retry if the topic has no URLs, and changes nothing', async () => {
    await register({ account: [], ticket: [URL] })
    const id = await insertOne({ status: 'failed' })
    const before = await readLog(gatehouse, id)
    const answer = await retry(id)
    expect(answer.status).toBe(422)
    expectErrors(answer, 'no_urls_configured')
    expect(await readLog(gatehouse, id)).toEqual(before)
  })

  test('starts one round for several concurrent retries', async () => {
    const id = await insertOne({ status: 'failed' })
    const answers = await Promise.all(Array.from({ length: 12 }, () => retry(id)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(422)])
    expect((await readLog(gatehouse, id)).round).toBe(2)
  })

  test('sends a card event to the card URLs, or to the fiat URLs if there are none', async () => {
    const card = { topic: 'card_payment', name: 'card_payment_received', status: 'failed' } as const
    const id = await insertOne(card)
    await register({ fiat_payment: [`${URL}/fiat`] })
    expect((await retry(id)).body.data).toMatchObject({
      event: 'fiat_payment',
      urls_destiny: [`${URL}/fiat`],
    })
    await register({ card_payment: [`${URL}/card`] })
    await gatehouse.db.orm.update(webhookLogs).set({ status: 'failed' }).where(eq(webhookLogs.id, id))
    expect((await retry(id)).body.data).toMatchObject({
      event: 'card_payment',
      urls_destiny: [`${URL}/card`],
    })
    // This event is logged under the fiat topic, so a retry of many deliveries finds it by that topic.
    const before = await insertOne({ ...card, topic: 'fiat_payment', eventTopic: 'card_payment' })
    await register({ fiat_payment: [] })
    const all = { type: 'fiat_payment', status: 'failed', from: 0, to: now() + HOUR }
    expect((await api.post('/webhook_logs/retry', all)).body.data).toEqual({ count: 1 })
    expect((await readLog(gatehouse, before)).urlsDestiny).toEqual([`${URL}/card`])
    await register({ fiat_payment: [`${URL}/fiat`] })
    const fiat = await insertOne({ ...card, topic: 'fiat_payment', name: 'fiat_payment_received' })
    expect((await retry(fiat)).body.data).toMatchObject({ event: 'fiat_payment' })
  })

  test('chooses the URLs in the same way for a card event that an operator published', async () => {
    const operator = await gatehouse.operator()
    const goesTo = async (id: string) => {
      await gatehouse.db.orm.update(webhookLogs).set({ status: 'failed' }).where(eq(webhookLogs.id, id))
      return (await retry(id)).body.data.event
    }
    const fiat = { fiat_payment: [`${URL}/fiat`], card_payment: [] }
    const card = { fiat_payment: [], card_payment: [`${URL}/card`] }
    await register(fiat)
    const refunded = {
      vault_id: vaultId,
      topic: 'card_payment',
      event: 'card_payment_refunded',
      attributes: { status: 'refunded' },
    }
    const published = await operator.post('/events', refunded)
    const [id] = published.body.data.webhook_log_ids
    expect((await readLog(gatehouse, id)).topic).toBe('fiat_payment')
    for (const urls of [fiat, card, fiat, card]) {
      await register(urls)
      expect(await goesTo(id)).toBe(urls === fiat ? 'fiat_payment' : 'card_payment')
    }
  })
})

describe('only_failed', () => {
  const urls = ['good', 'bad', 'gone'].map((name) => `${URL}/${name}`)
  const [good = '', bad = '', gone = ''] = urls
  /** Inserts attempts of a round. Those at `good` are accepted, and all others fail. */
  const attempted = (webhookLogId: string, round: number, ...at: string[]) =>
    gatehouse.db.orm.insert(webhookAttempts).values(
      at.map((url) => ({
        ...{ webhookLogId, round, number: 1, url, durationMs: 1 },
        error: url === good ? null : 'HTTP status 500',
      })),
    )
  async function partial(): Promise<string> {
    const id = await insertOne({ status: 'partial', createdAt: new Date(Date.now() - 60_000) })
    await gatehouse.db.orm.update(webhookLogs).set({ urlsDestiny: urls }).where(eq(webhookLogs.id, id))
    await attempted(id, 1, ...urls)
    return id
  }
  const onlyFailed = { only_failed: true }

  test('sends only to failed URLs that are still registered, in each round', async () => {
    const id = await partial()
    await register({ account: [good, bad, `${URL}/new`] })
    expect((await retry(id, api, onlyFailed)).body.data).toMatchObject({
      status: 'pending',
      urls_destiny: [bad],
    })
    await attempted(id, 2, bad)
    const end = () =>
      gatehouse.db.orm.update(webhookLogs).set({ status: 'failed' }).where(eq(webhookLogs.id, id))
    await end()
    expect((await retry(id, api, onlyFailed)).body.data.urls_destiny).toEqual([bad])
    await end()
    expect((await retry(id, api, { only_failed: false })).body.data.urls_destiny).toEqual([
      good,
      bad,
      `${URL}/new`,
    ])
  })

  test('returns an error and changes nothing if no failed URL is still registered', async () => {
    const id = await partial()
    const before = await readLog(gatehouse, id)
    await register({ account: [good, `${URL}/new`] })
    const answer = await retry(id, api, onlyFailed)
    expect(answer.status).toBe(422)
    expectErrors(answer, 'no_failed_urls')
    await register({ account: [] })
    expectErrors(await retry(id, api, onlyFailed), 'no_urls_configured')
    expectErrors(await retry(id, api, { only_failed: 'yes' }), { code: 'invalid', field: 'only_failed' })
    expect(await readLog(gatehouse, id)).toEqual(before)
  })

  test('selects from a range only deliveries with a failed URL that is still registered', async () => {
    const [one, other] = [await partial(), await partial()]
    const [range] = await Promise.all([
      { type: 'account', status: 'partial', from: now() - HOUR, to: now(), ...onlyFailed },
      register({ account: [gone] }),
    ])
    await gatehouse.db.orm
      .update(webhookLogs)
      .set({ urlsDestiny: [good] })
      .where(eq(webhookLogs.id, other))
    expect((await api.post('/webhook_logs/retry', range)).body).toEqual({ data: { count: 1 } })
    expect(await readLog(gatehouse, one)).toMatchObject({ status: 'pending', urlsDestiny: [gone] })
    expect((await readLog(gatehouse, other)).status).toBe('partial')
  })
})

describe('POST /webhook_logs/retry', () => {
  const range = (more = {}) => ({ type: 'account', status: 'failed', from: now() - HOUR, to: now(), ...more })
  const ago = (seconds: number) => new Date((now() - seconds) * 1000)

  test('sets all matching deliveries to pending, and no others', async () => {
    const failed = await insert(
      ...Array.from({ length: 2_345 }, () => ({ status: 'failed', createdAt: ago(60) }) as const),
    )
    const others = await insert(
      { status: 'partial', createdAt: ago(60) },
      { status: 'completed', createdAt: ago(60) },
      { status: 'failed', topic: 'ticket', createdAt: ago(60) },
      { status: 'failed', createdAt: ago(HOUR + 60) },
    )
    const strangers = await insertLogs(gatehouse, gatehouse.vaultId, { status: 'failed', createdAt: ago(60) })
    const before = await statuses([...others, ...strangers])
    const answer = await api.post('/webhook_logs/retry', range())
    expect([answer.status, answer.body]).toEqual([202, { data: { count: failed.length } }])
    expect(new Set(await statuses(failed))).toEqual(new Set(['pending']))
    expect(await statuses([...others, ...strangers])).toEqual(before)
    expect((await api.post('/webhook_logs/retry', range())).body.data).toEqual({ count: 0 })
  })

  test('includes both ends of the range, which can extend into the future', async () => {
    const ids = await insert(
      ...[9, 8, 7, 6].map((s) => ({ status: 'partial', createdAt: ago(s * 100) }) as const),
    )
    const times = await Promise.all(ids.map((id) => readLog(gatehouse, id)))
    const [, from = 0, to = 0] = times.map(({ createdAt }) => createdAt.getTime() / 1000)
    expect(
      (await api.post('/webhook_logs/retry', range({ status: 'partial', from, to }))).body.data.count,
    ).toBe(2)
    expect(await statuses(ids)).toEqual(['partial', 'pending', 'pending', 'partial'])
    const rest = range({ status: 'partial', from: 0, to: now() + HOUR })
    expect((await api.post('/webhook_logs/retry', rest)).body.data.count).toBe(2)
  })

  test('sets each delivery to pending only once if calls are concurrent', async () => {
    const ids = await insert(
      ...Array.from({ length: 1_500 }, () => ({ status: 'failed', createdAt: ago(60) }) as const),
    )
    const answers = await Promise.all([1, 2, 3].map(() => api.post('/webhook_logs/retry', range())))
    expect(answers.reduce((sum, { body }) => sum + body.data.count, 0)).toBe(ids.length)
    const rows = await gatehouse.db.orm.select().from(webhookLogs).where(eq(webhookLogs.vaultId, vaultId))
    expect(new Set(rows.map(({ round }) => round))).toEqual(new Set([2]))
  })

  describe('for more deliveries than one transaction retries, with an Idempotency-Key,', () => {
    const locking = postgres(gatehouse.env.DATABASE_URL, { max: 2 })
    afterAll(() => locking.end({ timeout: 1 }))
    /** Locks the delivery until the returned function is called. */
    const lock = async (id = '') => {
      const tx = await locking.reserve()
      await tx`BEGIN`
      await tx`SELECT FROM webhook_logs WHERE id = ${id} FOR UPDATE`
      return async () => {
        await tx`COMMIT`
        tx.release()
      }
    }
    afterEach(() => gatehouse.db.orm.delete(idempotencyKeys))
    const leaseEnds = () => gatehouse.db.orm.update(idempotencyKeys).set({ leaseExpiresAt: new Date(0) })
    /** Starts a retry that waits at one delivery of the second transaction and one of the third. */
    async function begun() {
      const ids = await insert(
        ...Array.from({ length: 450 }, () => ({ status: 'failed', createdAt: ago(60) }) as const),
      )
      const sorted = ids.toSorted()
      const [second, third] = [await lock(sorted[300]), await lock(sorted[449])]
      const [body, headers] = [range(), { 'Idempotency-Key': unique() }]
      const ask = () => api.send('POST', '/webhook_logs/retry', body, headers)
      const first = ask()
      const sent = (count: number) =>
        eventually(async () => {
          const pending = and(eq(webhookLogs.vaultId, vaultId), eq(webhookLogs.status, 'pending'))
          expect(await gatehouse.db.orm.$count(webhookLogs, pending)).toBe(count)
        })
      await sent(200)
      return { first, ask, sent, second, third }
    }
    const onceEach = async () => {
      const rows = await gatehouse.db.orm.select().from(webhookLogs).where(eq(webhookLogs.vaultId, vaultId))
      expect(new Set(rows.map(({ round }) => round))).toEqual(new Set([2]))
    }

    test('renews its lease in each transaction, so that a second request is refused', async () => {
      const { first, ask, sent, second, third } = await begun()
      await leaseEnds()
      await second()
      await sent(400)
      expectErrors(await ask(), 'idempotency_key_in_progress')
      await third()
      expect((await first).body.data).toEqual({ count: 450 })
      expect((await ask()).body.data).toEqual({ count: 450 })
      await onceEach()
    })

    test('stops if another request, which completes the rest, has taken over', async () => {
      const { first, ask, second, third } = await begun()
      await leaseEnds()
      const other = ask()
      await eventually(async () => expect(await gatehouse.db.orm.$count(idempotencyKeys, RUN_AGAIN)).toBe(1))
      await Promise.all([second(), third()])
      const overtaken = await first
      expectErrors(overtaken, 'idempotency_key_in_progress')
      expect(overtaken.headers.get('retry-after')).toBe('1')
      expect((await other).body.data).toEqual({ count: 250 })
      await onceEach()
    })
  })

  test('returns an error and changes nothing if the topic has no URLs', async () => {
    await register({ account: [] })
    const ids = await insert({ status: 'failed', createdAt: ago(60) })
    const answer = await api.post('/webhook_logs/retry', range())
    expect(answer.status).toBe(422)
    expectErrors(answer, 'no_urls_configured')
    expect(await statuses(ids)).toEqual(['failed'])
  })

  test.each([
    [{ type: 'nothing' }, { code: 'invalid', field: 'type' }],
    [{ status: 'completed' }, { code: 'invalid', field: 'status' }],
    [{ from: undefined }, { code: 'required', field: 'from' }],
    [{ to: '5' }, { code: 'invalid', field: 'to' }],
    [{ to: -1 }, { code: 'invalid', field: 'to' }],
    [{ more: 1 }, { code: 'unknown_field', field: 'more' }],
  ])('returns 422 for %j', async (wrong, problem) => {
    const answer = await api.post('/webhook_logs/retry', range(wrong))
    expect(answer.status).toBe(422)
    expectErrors(answer, problem)
  })
  test('returns 404 for a vault_id of another vault', async () => {
    const answer = await api.post('/webhook_logs/retry', range({ vault_id: gatehouse.vaultId }))
    expect(answer.status).toBe(404)
  })
})

describe('GET /webhook_logs/{id}/attempts', () => {
  const attempt = (webhookLogId: string, round: number, number: number, url = URL) => ({
    webhookLogId,
    round,
    number,
    url,
    statusCode: 500,
    error: 'HTTP status 500',
    durationMs: 12,
    excerpt: gatehouse.db.encryption.seal('sorry', sealedFor('webhook_attempts.excerpt', webhookLogId)),
  })

  test('returns every attempt at every URL, oldest first', async () => {
    const id = await insertOne({ status: 'failed' })
    const other = `${URL}/2`
    await gatehouse.db.orm
      .insert(webhookAttempts)
      .values([attempt(id, 2, 1), attempt(id, 1, 2), attempt(id, 1, 1, other), attempt(id, 1, 1)])
    const { status, body } = await api.get(`/webhook_logs/${id}/attempts`)
    expect(status).toBe(200)
    expect(body.data[0]).toEqual({
      round: 1,
      number: 1,
      url: URL,
      status_code: 500,
      error: 'HTTP status 500',
      duration_ms: 12,
      excerpt: 'sorry',
      created_at: expect.any(Number),
    })
    const order = body.data.map(({ round, number, url }: Record<string, unknown>) => [round, number, url])
    expect(order).toEqual([
      [1, 1, URL],
      [1, 1, other],
      [1, 2, URL],
      [2, 1, URL],
    ])
    const page = await api.get(`/webhook_logs/${id}/attempts?per_page=3&page=2`)
    expect(page.body).toMatchObject({ data: [{ round: 2 }], pagination: { total_count: 4, total_pages: 2 } })
  })
})

describe('access to deliveries', () => {
  test('returns 404 for another vault, and lets a read-only key read attempts but not retry', async () => {
    const [id = ''] = await insertLogs(gatehouse, gatehouse.vaultId, { status: 'failed' })
    expect((await retry(id)).status).toBe(404)
    expect((await api.get(`/webhook_logs/${id}/attempts`)).status).toBe(404)
    expect((await gatehouse.reader.get(`/webhook_logs/${id}/attempts`)).status).toBe(200)
    expectErrors(await retry(id, gatehouse.reader), 'insufficient_role')
    expect((await retry(unique())).status).toBe(404)
    expect((await retry('no-id')).status).toBe(400)
    expect(await statuses([id])).toEqual(['failed'])
  })
})
