/** Publishing by the platform: accepted events are durable, delivered, and exactly what was sent. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Api } from '../support/api.ts'
import { eventually, type Instance, sharedInstance, unique } from '../support/instance.ts'
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

  test('an event is answered 202 with its ids, logged, signed and delivered', async () => {
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

  test('five hundred in one call are answered in their order and all delivered', async () => {
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

  test('an event whose topic has no URLs is accepted and not sent', async () => {
    const { status, body } = await operator.post('/events', { ...ticket(), topic: 'manual_review' })
    expect([status, body.data.webhook_log_ids]).toEqual([202, []])
  })

  describe('under an id of the publisher’s own', () => {
    const named = (event_id: string, attributes: object = {}) => ({
      vault_id: gatehouse.vaultId,
      topic: 'ticket',
      event: 'ticket_created',
      event_id,
      attributes: { status: 'open', ...attributes },
    })
    const logsOf = async (text: string) =>
      (await gatehouse.api.get(`/webhook_logs?type=all&status=all&search=${text}`)).body.data

    test('it is published once, and answered as before, however it is sent again', async () => {
      const [id, mark] = [unique(), unique()]
      const event = named(id, { mark, list: [{ a: 1, b: 2 }] })
      const first = await operator.post('/events', event)
      expect([first.status, first.body.data]).toEqual([
        202,
        { event_id: id, webhook_log_ids: [expect.any(String)] },
      ])
      const { event_id: _, ...rest } = event
      const attributes = { list: [{ b: 2, a: 1 }], mark, event_id: id, status: 'open' }
      const again = [event, named(id.toUpperCase(), event.attributes), { ...rest, attributes }]
      for (const body of again) expect((await operator.post('/events', body)).body).toEqual(first.body)
      const { body } = await operator.post('/events', [event, named(unique(), { mark: 1 }), event])
      expect([body.data[0], body.data[2]]).toEqual([first.body.data, first.body.data])
      const logs = await logsOf(mark)
      expect(logs).toMatchObject([{ payload: { data: { attributes: { event_id: id, mark } } } }])
    })

    test('with another content it is refused, and nothing of the request is published', async () => {
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
    /** One id in one request, saying two things. */
    const twice = (mark: string) => {
      const id = unique()
      return [named(id, { mark, n: 1 }), named(id, { mark, n: 2 })]
    }

    test('it is of its vault; what was published to nobody stays so', async () => {
      const { body } = await operator.post('/vaults', { name: 'Third' })
      const silent = { ...named(unique()), vault_id: body.data.id }
      const first = await operator.post('/events', silent)
      expect(first.body.data.webhook_log_ids).toEqual([])
      expect((await operator.post('/events', silent)).body).toEqual(first.body)
      const ours = await operator.post('/events', { ...silent, vault_id: gatehouse.vaultId })
      expect(ours.body.data.webhook_log_ids).toHaveLength(1)
    })

    test('of many at once, in whatever order they come, each is published once', async () => {
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

    test('two ids for one event are refused', async () => {
      const { status, body } = await operator.post('/events', named(unique(), { event_id: unique() }))
      expect([status, body.errors]).toMatchObject([422, [{ code: 'invalid', field: 'event_id' }]])
      expect((await operator.post('/events', named('mine'))).status).toBe(422)
    })
  })

  test('a failure goes under the error key, with its message', async () => {
    const attributes = { message: 'no cover', status: 'failed', ticket_uuid: unique() }
    const { body } = await operator.post('/events', { ...ticket(), error: true, attributes })
    const { payload } = await readLog(gatehouse, body.data.webhook_log_ids[0])
    expect(JSON.parse(payload).error).toMatchObject({ event: 'ticket_created', attributes })
  })

  test('a failure without a message is refused', async () => {
    const { status, body } = await operator.post('/events', { ...ticket(), error: true })
    expect([status, body.errors]).toEqual([
      422,
      [{ code: 'required', field: 'attributes.message', message: expect.any(String) }],
    ])
  })

  test('one bad event of many refuses all of them, by its place, and nothing is logged', async () => {
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
  ])('%s is refused', async (_, body) => {
    const { status } = await operator.send('POST', '/events', body)
    expect([400, 422]).toContain(status)
  })

  test('a client cannot publish', async () => {
    const asClient = await fetch(`${gatehouse.baseUrl}/operator/v1/events`, {
      method: 'POST',
      headers: { Authorization: gatehouse.credentials.api_key, 'Content-Type': 'application/json' },
      body: JSON.stringify(ticket()),
    })
    expect(asClient.status).toBe(401)
  })

  test('events of several vaults in one call go to their own receivers', async () => {
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
