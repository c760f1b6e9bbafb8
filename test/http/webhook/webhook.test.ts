/** Tests webhook settings and delivery logs. */
import { and, eq } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { webhookLogs } from '../../../drizzle/schema.ts'
import { lowestIdAt } from '../../../src/db/connection/id-time.ts'
import { TOPICS } from '../../../src/domain/base/topics.ts'
import { LOG_STATUSES } from '../../../src/domain/webhook/events.ts'
import type { Api } from '../../support/api.ts'
import { expectErrors } from '../../support/checks.ts'
import { addVault, startInstance, unique } from '../../support/instance.ts'
import { insertLogs, type LogValues } from '../../support/webhook.ts'

const gatehouse = await startInstance({ env: { WEBHOOK_ALLOW_PRIVATE: 'false' } })
const { api } = gatehouse
const operator = await gatehouse.operator()
afterAll(() => gatehouse.stop())

const settingsOf = async (by: Api) => (await by.get('/users/settings')).body.data
const update = (by: Api, webhook_url: unknown) => by.put('/users/update_webhook', { webhook_url })
const URL = 'https://receiver.example/hook'

describe('GET /users/settings', () => {
  test('returns every specified field with the ID of the vault', async () => {
    const { api: own, vaultId } = await addVault(gatehouse)
    expect(await settingsOf(own)).toEqual({
      id: vaultId,
      otp_required_for_login: false,
      redirect_url: null,
      trading_fee: 0,
      webhook_url_list: {},
      failing_webhook_urls: [],
      long_retries: false,
      webhook_secret: expect.stringMatching(/^whsec_\w{48}$/),
      secret_key_present: true,
      previous_secret_expires_at: null,
    })
  })
  test('shows how long the earlier secret signs after a rotation with an overlap', async () => {
    const { api: own } = await addVault(gatehouse)
    const { body } = await own.post('/users/rotate_webhook_secret', { overlap_hours: 1 })
    expect((await settingsOf(own)).previous_secret_expires_at).toBe(body.data.previous_secret_expires_at)
    await own.post('/users/rotate_webhook_secret')
    expect((await settingsOf(own)).previous_secret_expires_at).toBeNull()
  })
  test('returns a separate secret per vault, and the same settings for a read-only key', async () => {
    const { api: other } = await addVault(gatehouse)
    const settings = await settingsOf(api)
    expect((await settingsOf(other)).webhook_secret).not.toBe(settings.webhook_secret)
    expect(await settingsOf(gatehouse.reader)).toEqual(settings)
  })
})

describe('PUT /users/update_webhook', () => {
  test('changes only the sent topics, and stops a topic’s deliveries if its list is empty', async () => {
    const { api: own } = await addVault(gatehouse)
    const answer = await update(own, { identification: [URL], account: [URL, `${URL}/2`] })
    expect(answer).toMatchObject({ status: 200, body: { message: expect.any(String) } })
    await update(own, { account: [], ticket: [URL] })
    expect((await settingsOf(own)).webhook_url_list).toEqual({
      identification: [URL],
      account: [],
      ticket: [URL],
    })
    await update(own, {})
    expect((await settingsOf(own)).webhook_url_list).toMatchObject({ identification: [URL] })
  })

  test('logs an event with all URLs of its topic, or as failed if there are none', async () => {
    const { api: own, vaultId } = await addVault(gatehouse)
    const ofTopic = and(eq(webhookLogs.vaultId, vaultId), eq(webhookLogs.topic, 'identification'))
    const logs = () => gatehouse.db.orm.select().from(webhookLogs).where(ofTopic).orderBy(webhookLogs.id)
    const kept = { status: 'failed', urlsDestiny: [], failReason: 'no URL was registered for the topic' }
    const sent = { status: 'pending', urlsDestiny: [URL, `${URL}/2`], failReason: null }
    await own.createKyb()
    expect(await logs()).toMatchObject([kept])
    await update(own, { identification: sent.urlsDestiny })
    await own.createKyb()
    expect(await logs()).toMatchObject([kept, sent])
    await update(own, { identification: [] })
    await own.createKyb()
    expect(await logs()).toMatchObject([kept, sent, kept])
  })

  test('keeps long_retries off until it is set, keeps it if it is not sent, and records the change', async () => {
    const { api: own } = await addVault(gatehouse)
    const set = (body: object) => own.put('/users/update_webhook', { webhook_url: {}, ...body })
    expect((await set({ long_retries: true })).status).toBe(200)
    await set({})
    expect((await settingsOf(own)).long_retries).toBe(true)
    const [entry] = (await operator.get('/audit?action=webhook_urls_changed&per_page=1')).body.data
    expect(entry.changes).toEqual({ long_retries: { from: false, to: true } })
    await set({ long_retries: false })
    expect((await settingsOf(own)).long_retries).toBe(false)
    expectErrors(await set({ long_retries: 'yes' }), { code: 'invalid', field: 'long_retries' })
  })

  test('accepts a URL in any script, and returns it unchanged', async () => {
    const { api: own } = await addVault(gatehouse)
    const account = ['https://bücher.example/ü/{id}']
    expect((await update(own, { account })).status).toBe(200)
    expect((await settingsOf(own)).webhook_url_list).toMatchObject({ account })
  })

  test('stores equivalent URLs once, in the first form', async () => {
    const { api: own } = await addVault(gatehouse)
    const same = [
      'HTTPS://receiver.example/x',
      'https://RECEIVER.example:443/y/../x',
      'https://receiver.example/./x',
    ]
    const account = [`${URL}/a`, ...same, `${URL}/X`]
    expect((await update(own, { account })).status).toBe(200)
    const kept = [`${URL}/a`, same[0], `${URL}/X`]
    expect((await settingsOf(own)).webhook_url_list).toMatchObject({ account: kept })
  })

  test('does not affect another vault', async () => {
    const [{ api: one }, { api: other }] = [await addVault(gatehouse), await addVault(gatehouse)]
    await update(one, { account: [URL] })
    expect((await settingsOf(other)).webhook_url_list).toEqual({})
  })

  test.each([
    ['an unknown topic', { payments: [URL] }, [{ code: 'unknown_topic', field: 'webhook_url.payments' }]],
    ['http', { account: ['http://receiver.example'] }, [{ code: 'invalid', field: 'webhook_url.account.0' }]],
    [
      'a private address over http',
      { account: ['http://127.0.0.1'] },
      [{ code: 'invalid', field: 'webhook_url.account.0' }],
    ],
    [
      'a URL without slashes',
      { account: ['https:receiver.example'] },
      [{ code: 'invalid', field: 'webhook_url.account.0' }],
    ],
    ['a malformed URL', { account: ['receiver'] }, [{ code: 'invalid', field: 'webhook_url.account.0' }]],
    [
      'a URL with a password',
      { account: ['https://u:p@receiver.example'] },
      [{ code: 'invalid', field: 'webhook_url.account.0' }],
    ],
    [
      'a URL with a NUL character',
      { account: [`${URL}\u0000`] },
      [{ code: 'invalid', field: 'webhook_url.account.0' }],
    ],
    [
      'a URL with whitespace',
      { account: ['https://recei\tver.example', `${URL}/\nx`, `${URL} `] },
      [0, 1, 2].map((n) => ({ code: 'invalid', field: `webhook_url.account.${n}` })),
    ],
    [
      'eleven URLs',
      { account: Array.from({ length: 11 }, (_, n) => `${URL}/${n}`) },
      [{ code: 'too_many', field: 'webhook_url.account' }],
    ],
    ['a string instead of a list', { account: URL }, [{ code: 'invalid', field: 'webhook_url.account' }]],
    ['null instead of a list', { account: null }, [{ code: 'invalid', field: 'webhook_url.account' }]],
    ['a list instead of topics', [], [{ code: 'invalid', field: 'webhook_url' }]],
    ['nothing', undefined, [{ code: 'required', field: 'webhook_url' }]],
    [
      'a mixture of invalid topics and a valid one',
      { ticket: [URL], account: ['x', 'y'], nothing: [], manual_review: 5 },
      [
        { code: 'invalid', field: 'webhook_url.account.0' },
        { code: 'invalid', field: 'webhook_url.account.1' },
        { code: 'unknown_topic', field: 'webhook_url.nothing' },
        { code: 'invalid', field: 'webhook_url.manual_review' },
      ],
    ],
  ])('returns 422 for %s, and changes nothing', async (_, webhook_url, problems) => {
    await update(api, { account: [URL] })
    const before = await settingsOf(api)
    const answer = await update(api, webhook_url)
    expect(answer.status).toBe(422)
    expectErrors(answer, ...problems)
    expect(await settingsOf(api)).toEqual(before)
  })
})

test('refuses a test event to a URL that cannot be registered', async () => {
  for (const url of ['https://10.0.0.1', 'https://localhost', 'http://receiver.example'])
    expectErrors(await api.post('/users/test_webhook', { url }), { code: 'invalid', field: 'url' })
})

describe('GET /webhook_logs', () => {
  async function vaultWithLogs(...logs: LogValues[]) {
    const { api: own, vaultId } = await addVault(gatehouse)
    const ids = await insertLogs(gatehouse, vaultId, ...logs)
    const list = async (query: string, by = own) => (await by.get(`/webhook_logs?${query}`)).body
    const found = async (query: string) =>
      (await list(`type=account&status=completed&${query}`)).data.map(({ id }: { id: string }) => id)
    return { own, vaultId, ids, list, found }
  }

  test('returns every specified field', async () => {
    const { ids, list } = await vaultWithLogs({ status: 'failed', failReason: 'HTTP status 500', text: 'x' })
    expect((await list('type=account&status=failed')).data).toEqual([
      {
        id: ids[0],
        event: 'account',
        status: 'failed',
        fail_reason: 'HTTP status 500',
        payload: {
          data: { event: 'account_created', attributes: { event_id: expect.any(String), text: 'x' } },
        },
        retries: 2,
        urls_destiny: ['https://receiver.example/hook'],
        created_at: expect.any(Number),
      },
    ])
  })

  test('filters by type and status together, and returns nothing without both', async () => {
    const every = TOPICS.flatMap((topic) => LOG_STATUSES.map((status) => ({ topic, status })))
    const { list } = await vaultWithLogs(...every)
    for (const { topic, status } of every) {
      expect((await list(`type=${topic}&status=${status}`)).data).toMatchObject([{ event: topic, status }])
    }
    for (const query of ['', 'type=account', 'status=completed', 'search=account']) {
      expect(await list(query)).toEqual({
        data: [],
        pagination: { current_page: 1, per_page: 80, total_pages: 1, total_count: 0 },
      })
    }
  })

  test('accepts all as type and status, also within a time range', async () => {
    const at = (hours: number) => Date.UTC(2026, 0, 1, hours) / 1_000
    const every = TOPICS.flatMap((topic) => LOG_STATUSES.map((status) => ({ topic, status })))
    const logs = every.map((log, n) => ({ ...log, text: 'needle', createdAt: new Date(at(n) * 1_000) }))
    const { ids, list } = await vaultWithLogs(...logs)
    const newest = ids.toReversed()
    const found = async (query: string) => {
      const { data, pagination } = await list(`${query}&per_page=100`)
      expect(pagination.total_count).toBe(data.length)
      return data.map(({ id }: { id: string }) => id)
    }
    const matching = (isMeant: (log: (typeof every)[number], n: number) => boolean) =>
      ids.filter((_, n) => isMeant(every[n] as (typeof every)[number], n)).toReversed()
    expect(await found('type=all&status=all')).toEqual(newest)
    expect(await found('type=ticket&status=all')).toEqual(matching(({ topic }) => topic === 'ticket'))
    expect(await found('type=all&status=failed')).toEqual(matching(({ status }) => status === 'failed'))
    expect(await found(`type=all&status=all&from=${at(7)}&to=${at(9)}`)).toEqual(
      matching((_, n) => n >= 7 && n <= 9),
    )
    expect(await found(`type=all&status=failed&to=${at(20)}`)).toEqual(
      matching(({ status }, n) => status === 'failed' && n <= 20),
    )
    expect(await found(`type=ticket&status=all&search=needle&from=${at(0)}`)).toEqual(
      matching(({ topic }) => topic === 'ticket'),
    )
    expect(await found('type=all&status=all&search=needle')).toEqual(newest)
    expect(await found('type=all&status=all&search=ed')).toEqual(newest)
    const page = await list('type=all&status=all&per_page=10&page=3')
    expect(page.data.map(({ id }: { id: string }) => id)).toEqual(newest.slice(20, 30))
    expect(page.pagination).toMatchObject({ total_count: every.length, total_pages: 6 })
    for (const query of ['type=all', 'status=all', `from=${at(0)}`, 'status=all&search=needle'])
      expect(await found(query)).toEqual([])
  })

  test('filters by the time of the delivery, not by the time in its ID', async () => {
    const at = Date.UTC(2026, 0, 1) / 1_000
    const createdAt = new Date(at * 1_000)
    const idOf = (ms: number) =>
      lowestIdAt(new Date(createdAt.getTime() + ms)).slice(0, 14) + unique().slice(14)
    const early = { id: idOf(-20), createdAt, text: 'needle' }
    const late = { id: idOf(20), createdAt: new Date(createdAt.getTime() - 1), text: 'needle' }
    const { list } = await vaultWithLogs(early, late)
    for (const more of ['', '&search=needle']) {
      const found = async (time: string) => {
        const { data, pagination } = await list(`type=account&status=completed&${time}${more}`)
        expect(pagination.total_count).toBe(data.length)
        return data.map(({ id }: { id: string }) => id)
      }
      expect(await found(`from=${at}`)).toEqual([early.id])
      expect(await found(`to=${at - 1}`)).toEqual([late.id])
      expect(await found(`from=${at - 1}&to=${at}`)).toEqual([late.id, early.id])
    }
  })

  test('searches for literal text with any characters', async () => {
    const texts = [
      '100% sure',
      '100 sure',
      'under_score',
      'underXscore',
      'back\\slash',
      "quote'd",
      'Zürich',
      'say "it"\nC:\\',
    ]
    const { ids, found } = await vaultWithLogs(...texts.map((text) => ({ text })))
    const search = async (text: string) =>
      (await found(`search=${encodeURIComponent(text)}`)).map((id: string) => texts[ids.indexOf(id)])
    expect(await search('100%')).toEqual(['100% sure'])
    expect(await search('%')).toEqual(['100% sure'])
    expect(await search('r_s')).toEqual(['under_score'])
    expect(await search("quote'd")).toEqual(["quote'd"])
    expect(await search('Zürich')).toEqual(['Zürich'])
    // JSON escapes these characters.
    for (const part of ['say "it"', 'it"\nC', 'C:\\']) expect(await search(part)).toEqual(['say "it"\nC:\\'])
    expect(await search('"text":"under_')).toEqual(['under_score'])
    expect(await search('account_created')).toHaveLength(texts.length)
    expect(await search('nothing has this')).toEqual([])
  })

  test('lists the newest first, in pages of 80', async () => {
    const { ids, list, found } = await vaultWithLogs(...Array.from({ length: 82 }, () => ({})))
    const newest = ids.toReversed()
    expect(await found('')).toEqual(newest.slice(0, 80))
    expect(await found('page=2')).toEqual(newest.slice(80))
    expect(await found('per_page=2&page=3')).toEqual(newest.slice(4, 6))
    expect((await list('type=account&status=completed')).pagination).toEqual({
      current_page: 1,
      per_page: 80,
      total_pages: 2,
      total_count: 82,
    })
  })

  test('accepts the caller’s own vault_id in any case, and returns 404 for another vault', async () => {
    const { own, vaultId, ids, found } = await vaultWithLogs({})
    expect(await found(`vault_id=${vaultId}`)).toEqual(ids)
    expect(await found(`vault_id=${vaultId.toUpperCase()}`)).toEqual(ids)
    for (const id of [gatehouse.vaultId, unique()]) {
      const answer = await own.get(`/webhook_logs?type=account&status=completed&vault_id=${id}`)
      expect(answer.status).toBe(404)
      expectErrors(answer, 'not_found')
    }
    const { data } = (await api.get('/webhook_logs?type=account&status=completed')).body
    expect(data.map(({ id }: { id: string }) => id)).not.toContain(ids[0])
  })

  test.each([
    ['type=nothing&status=completed', 422],
    ['type=account&status=done', 422],
    ['vault_id=abc', 400],
    ['page=abc', 400],
    ['page=0', 422],
    ['search=%00', 422],
    [`search=${'x'.repeat(501)}`, 422],
    ['more=1', 422],
  ])('responds to %s with %i', async (query, status) => {
    expect((await api.get(`/webhook_logs?${query}`)).status).toBe(status)
  })
})
