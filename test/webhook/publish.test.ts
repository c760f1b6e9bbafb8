/** Tests events that the platform publishes: durable, delivered and unchanged. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Api } from '../support/api.ts'
import { eventually, type Instance, sharedInstance, unique } from '../support/instance.ts'
import { signedIn } from '../support/people.ts'
import { type Receiver, startReceiver, verifies } from '../support/receiver.ts'
import { readLog, secretOf, settledLog } from '../support/webhook.ts'

describe('publishing', () => {
  let gatehouse: Instance
  let operator: Api
  let receiver: Receiver
  beforeAll(async () => {
    gatehouse = await sharedInstance({ worker: true })
    operator = await gatehouse.operator()
    receiver = await startReceiver()
    const topics = ['fiat_payment', 'ticket', 'account', 'daily_settlement']
    const webhook_url = Object.fromEntries(topics.map((topic) => [topic, [receiver.url]]))
    await gatehouse.api.put('/users/update_webhook', { webhook_url })
  })
  afterAll(() => receiver.stop())

  const ticket = (attributes: object = {}) => ({
    vault_id: gatehouse.vaultId,
    topic: 'ticket',
    event: 'ticket_created',
    attributes: { ticket_uuid: unique(), status: 'open', ...attributes },
  })

  test('returns 202 with the IDs, and logs, signs and delivers the event', async () => {
    const event = ticket({ subject: 'Übertrag' })
    const { status, body } = await operator.post('/events', event)
    expect([status, body]).toEqual([
      202,
      { data: { event_id: expect.any(String), webhook_log_ids: [expect.any(String)] } },
    ])
    const log = await settledLog(gatehouse, body.data.webhook_log_ids[0])
    expect([log.status, log.topic]).toEqual(['completed', 'ticket'])
    const delivery = receiver.received.find(({ body }) => body === log.payload)
    expect(delivery && verifies(await secretOf(gatehouse), delivery)).toBe(true)
    expect(JSON.parse(log.payload)).toEqual({
      data: {
        event: 'ticket_created',
        attributes: { ...event.attributes, event_id: body.data.event_id, occurred_at: expect.any(Number) },
      },
    })
  })

  test('is counted in the audit log for each operator, event and hour', async () => {
    const event = `ticket_${unique().replaceAll('-', '').slice(0, 12)}`
    const colleague = await signedIn(gatehouse, 'operator', { operator_roles: ['operator_admin'] })
    const publish = (by: Api, count: number) =>
      by.post('/events', Array<object>(count).fill({ ...ticket(), event }))
    await Promise.all([publish(operator, 2), publish(operator, 1), publish(colleague.api, 5)])
    const { body } = await operator.get('/audit?action=event_published&per_page=100')
    const counts = new Map<string, number>()
    for (const { actor, count, changes } of body.data)
      if (changes.event.to === event) counts.set(actor, (counts.get(actor) ?? 0) + count)
    expect([...counts.values()].sort()).toEqual([3, 5])
    expect(counts.get(`operator:${colleague.id}`)).toBe(5)
  })

  test('returns the results of 500 events in their order and delivers them all', async () => {
    const events = Array.from({ length: 500 }, (_, n) => ticket({ n }))
    const { status, body } = await operator.post('/events', events)
    expect([status, body.data.length]).toEqual([202, 500])
    const log = await readLog(gatehouse, body.data[321].webhook_log_ids[0])
    expect(JSON.parse(log.payload).data.attributes.n).toBe(321)
    const sent = new Set(events.map(({ attributes }) => attributes.ticket_uuid))
    await eventually(() =>
      expect(receiver.received.filter(({ attributes }) => sent.has(attributes.ticket_uuid))).toHaveLength(
        500,
      ),
    )
  })

  test('accepts an event whose topic has no URLs, without sending it', async () => {
    const { status, body } = await operator.post('/events', { ...ticket(), topic: 'manual_review' })
    expect([status, body.data.webhook_log_ids]).toEqual([202, []])
  })

  describe('with an ID of the publisher', () => {
    const named = (event_id: string, attributes: object = {}) => ({
      vault_id: gatehouse.vaultId,
      topic: 'ticket',
      event: 'ticket_created',
      event_id,
      attributes: { status: 'open', ...attributes },
    })
    const logsOf = async (text: string) =>
      (await gatehouse.api.get(`/webhook_logs?type=all&status=all&search=${text}`)).body.data

    test('publishes an event once and returns the same response to every repeated request', async () => {
      const [id, mark] = [unique(), unique()]
      const event = named(id, { mark, list: [{ a: 1, b: 2 }] })
      const first = await operator.post('/events', event)
      expect([first.status, first.body.data]).toEqual([
        202,
        { event_id: id, webhook_log_ids: [expect.any(String)] },
      ])
      const { event_id: _, ...rest } = event
      const attributes = { list: [{ b: 2, a: 1 }], mark, event_id: id, status: 'open' }
      const repeated = [event, named(id.toUpperCase(), event.attributes), { ...rest, attributes }]
      for (const body of repeated) expect((await operator.post('/events', body)).body).toEqual(first.body)
      const { body } = await operator.post('/events', [event, named(unique(), { mark: 1 }), event])
      expect([body.data[0], body.data[2]]).toEqual([first.body.data, first.body.data])
      const logs = await logsOf(mark)
      expect(logs).toMatchObject([{ payload: { data: { attributes: { event_id: id, mark } } } }])
    })

    test('refuses a request that reuses the ID with different content, and publishes none of it', async () => {
      const [id, mark] = [unique(), unique()]
      await operator.post('/events', named(id, { n: 1 }))
      const requests = [
        [named(id, { n: 2, mark }), 'event_id'],
        [[named(unique(), { mark }), { ...named(id, { n: 1 }), event: 'ticket_updated' }], '1.event_id'],
        [[named(unique(), { mark }), named(id, { n: 1 }), ...twice(mark)], '3.event_id'],
      ] as const
      for (const [body, field] of requests) {
        const answer = await operator.post('/events', body)
        expect([answer.status, answer.body.errors]).toEqual([
          422,
          [{ code: 'event_id_taken', field, message: expect.any(String) }],
        ])
      }
      expect(await logsOf(mark)).toEqual([])
    })
    /** Returns two events with one ID and different content. */
    const twice = (mark: string) => {
      const id = unique()
      return [named(id, { mark, n: 1 }), named(id, { mark, n: 2 })]
    }

    test('keeps the IDs of vaults apart, and does not publish again an event that had no receiver', async () => {
      const { body } = await operator.post('/vaults', { name: 'Third' })
      const silent = { ...named(unique()), vault_id: body.data.id }
      const first = await operator.post('/events', silent)
      expect(first.body.data.webhook_log_ids).toEqual([])
      expect((await operator.post('/events', silent)).body).toEqual(first.body)
      const ours = await operator.post('/events', { ...silent, vault_id: gatehouse.vaultId })
      expect(ours.body.data.webhook_log_ids).toHaveLength(1)
    })

    test('publishes each of many concurrent events once, in any order', async () => {
      const mark = unique()
      const events = Array.from({ length: 40 }, (_, n) => named(unique(), { mark, n }))
      const answers = await Promise.all(
        [events, events.toReversed(), events.slice(20), events].map((body, n) =>
          operator.send('POST', '/events', body, n % 2 ? { 'Idempotency-Key': unique() } : {}),
        ),
      )
      const ids = new Set(
        answers.flatMap(({ body }) =>
          body.data.flatMap((each: { webhook_log_ids: string[] }) => each.webhook_log_ids),
        ),
      )
      expect(ids.size).toBe(40)
      expect(await logsOf(mark)).toHaveLength(40)
    })

    test('refuses two IDs for one event', async () => {
      const { status, body } = await operator.post('/events', named(unique(), { event_id: unique() }))
      expect([status, body.errors]).toMatchObject([422, [{ code: 'invalid', field: 'event_id' }]])
      expect((await operator.post('/events', named('mine'))).status).toBe(422)
    })
  })

  test('puts a failure with its message under the error key', async () => {
    const attributes = { message: 'no cover', status: 'failed', ticket_uuid: unique() }
    const { body } = await operator.post('/events', { ...ticket(), error: true, attributes })
    const { payload } = await readLog(gatehouse, body.data.webhook_log_ids[0])
    expect(JSON.parse(payload).error).toMatchObject({ event: 'ticket_created', attributes })
  })

  test('refuses a failure without a message', async () => {
    const { status, body } = await operator.post('/events', { ...ticket(), error: true })
    expect([status, body.errors]).toEqual([
      422,
      [{ code: 'required', field: 'attributes.message', message: expect.any(String) }],
    ])
  })

  test('refuses all events and names the position if one is invalid, and logs nothing', async () => {
    const mark = unique()
    const bad = { ...ticket(), topic: 'tickets' }
    const { status, body } = await operator.post('/events', [ticket({ mark }), bad])
    expect([status, body.errors]).toMatchObject([422, [{ code: 'invalid', field: '1.topic' }]])
    const unknownVault = await operator.post('/events', [
      ticket({ mark }),
      { ...ticket(), vault_id: unique() },
    ])
    expect([unknownVault.status, unknownVault.body.errors]).toMatchObject([
      422,
      [{ code: 'invalid', field: '1.vault_id' }],
    ])
    const { body: logs } = await gatehouse.api.get(
      `/webhook_logs?type=ticket&status=completed&search=${mark}`,
    )
    expect(logs.data).toEqual([])
  })

  test.each([
    ['an empty list', []],
    ['more than 500', Array.from({ length: 501 }, () => ({}))],
    ['a text', 'ticket'],
  ])('refuses %s', async (_, body) => {
    const { status } = await operator.send('POST', '/events', body)
    expect([400, 422]).toContain(status)
  })

  test('refuses clients', async () => {
    const asClient = await fetch(`${gatehouse.baseUrl}/operator/v1/events`, {
      method: 'POST',
      headers: { Authorization: gatehouse.credentials.api_key, 'Content-Type': 'application/json' },
      body: JSON.stringify(ticket()),
    })
    expect(asClient.status).toBe(401)
  })

  test('sends events of several vaults to their own receivers', async () => {
    const { body } = await operator.post('/vaults', { name: 'Second' })
    const { body: published } = await operator.post('/events', [
      ticket(),
      { ...ticket(), vault_id: body.data.id },
    ])
    expect(published.data.map((each: { webhook_log_ids: string[] }) => each.webhook_log_ids.length)).toEqual([
      1, 0,
    ])
  })
})
