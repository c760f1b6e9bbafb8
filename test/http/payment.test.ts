/** Payments that the sandbox simulates: what is answered, kept and sent, and what a block changes. */
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { payments, webhookLogs } from '../../drizzle/schema.ts'
import { publishEventBody } from '../../src/contracts/event.ts'
import { eventBody } from '../../src/domain/webhook/events.ts'
import { expectErrors } from '../support/checks.ts'
import { createImported } from '../support/identification.ts'
import { addVault, eventually, sharedInstance, unique } from '../support/instance.ts'
import { startReceiver, verifies } from '../support/receiver.ts'
import { secretOf } from '../support/webhook.ts'

const gatehouse = await sharedInstance({ worker: true })
const receiver = await startReceiver()
afterAll(() => receiver.stop())

const route = (more: Record<string, string[]>) =>
  gatehouse.api.put('/users/update_webhook', {
    webhook_url: { fiat_payment: [receiver.url], blockchain_payment: [receiver.url], ...more },
  })
await route({ card_payment: [receiver.url] })

async function openAccount() {
  const identificationId = await createImported(gatehouse.api)
  const { body } = await gatehouse.api.get(`/identifications/${identificationId}`)
  return { identificationId, accountId: body.data.account_id as string }
}

const simulate = (accountId: string, name: string, amount: unknown, currency: unknown, by = gatehouse.api) =>
  by.post(`/sandbox/accounts/${accountId}/${name}`, { amount, currency })

/** The one log that tells of the payment, once it was delivered, and what arrived. */
async function describeFinding(paymentId: string) {
  return eventually(async () => {
    const logs = await gatehouse.db.orm.select().from(webhookLogs)
    const own = logs.filter(({ payload }) => payload.includes(paymentId))
    const deliveries = receiver.received.filter(({ body }) => body.includes(paymentId))
    expect([own.map(({ status }) => status), deliveries.length]).toEqual([['completed'], 1])
    return { log: own[0] as (typeof own)[0], delivery: deliveries[0] as (typeof deliveries)[0] }
  })
}

const KINDS = [
  ['simulate_incoming_fiat', 'fiat', '250.50', 'EUR'],
  ['simulate_incoming_crypto', 'blockchain', '0.000000000000000001', 'ETH'],
  ['simulate_card_payment', 'card', '19', 'USD'],
] as const

describe.each(KINDS)('%s', (name, kind, amount, currency) => {
  test('records a payment, answers it, and sends that it was received', async () => {
    const { accountId } = await openAccount()
    const { status, body } = await simulate(accountId, name, amount, currency)
    expect(status).toBe(201)
    expect(body.data).toEqual({
      id: expect.any(String),
      account_id: accountId,
      kind,
      direction: 'incoming',
      amount,
      currency,
      status: 'completed',
      reason_code: null,
      created_at: expect.any(Number),
    })
    const { log, delivery } = await describeFinding(body.data.id)
    expect(log.topic).toBe(`${kind}_payment`)
    expect(verifies(await secretOf(gatehouse), delivery)).toBe(true)
    expect(JSON.parse(delivery.body)).toEqual({
      data: {
        event: `${kind}_payment_received`,
        attributes: {
          event_id: expect.any(String),
          occurred_at: expect.any(Number),
          [`${kind}_payment_uuid`]: body.data.id,
          amount,
          currency,
          status: 'completed',
          account_uuid: accountId,
          version: 1,
        },
      },
    })
  })

  test('to a blocked account, it is recorded as failed and told of under error', async () => {
    const { identificationId, accountId } = await openAccount()
    await gatehouse.api.post(`/identifications/${identificationId}/block`, { reason: 'client_request' })
    const { status, body } = await simulate(accountId, name, amount, currency)
    expect([status, body.data.status, body.data.reason_code]).toEqual([201, 'failed', 'account_blocked'])
    const { log, delivery } = await describeFinding(body.data.id)
    const { data, error } = JSON.parse(delivery.body)
    expect(data).toBeUndefined()
    expect(error).toMatchObject({
      event: `${kind}_payment_failed`,
      attributes: { [`${kind}_payment_uuid`]: body.data.id, status: 'failed', message: expect.any(String) },
    })
    // What Gatehouse sends is what the catalogue asks of others.
    const published = { vault_id: gatehouse.vaultId, topic: `${kind}_payment`, ...error }
    const parsed = publishEventBody.parse(published)
    expect(eventBody({ name: parsed.event, attributes: parsed.attributes }, parsed.key)).toBe(log.payload)

    await gatehouse.api.post(`/identifications/${identificationId}/unblock`)
    expect((await simulate(accountId, name, amount, currency)).body.data.status).toBe('completed')
  })
})

test('a case that blocks one service fails the payments of that service alone', async () => {
  const { identificationId, accountId } = await openAccount()
  const operator = await gatehouse.operator()
  const services = ['blockchain_payments']
  const opened = await operator.post(`/identifications/${identificationId}/cases`, {
    owner: 'transaction_monitoring',
    reason: 'aml_review',
    services,
  })
  expect(opened.status).toBe(201)
  const statuses = KINDS.map(async ([name, , amount, currency]) => {
    return (await simulate(accountId, name, amount, currency)).body.data.status
  })
  expect(await Promise.all(statuses)).toEqual(['completed', 'failed', 'completed'])
})

test('card payments go to fiat URLs while there are no card URLs, and the log says so', async () => {
  const { accountId } = await openAccount()
  const topicUsed = async () => {
    const { body } = await simulate(accountId, 'simulate_card_payment', '5', 'EUR')
    return (await describeFinding(body.data.id)).log.topic
  }
  await route({ card_payment: [] })
  expect(await topicUsed()).toBe('fiat_payment')
  await route({ card_payment: [receiver.url] })
  expect(await topicUsed()).toBe('card_payment')
})

test('with no URLs, the payment is recorded and nothing is sent', async () => {
  const { api, vaultId } = await addVault(gatehouse)
  const id = await createImported(api)
  const accountId = (await api.get(`/identifications/${id}`)).body.data.account_id
  expect((await simulate(accountId, 'simulate_incoming_fiat', '1', 'EUR', api)).status).toBe(201)
  expect(await gatehouse.db.orm.$count(payments, eq(payments.vaultId, vaultId))).toBe(1)
  const logs = await gatehouse.db.orm.select().from(webhookLogs).where(eq(webhookLogs.vaultId, vaultId))
  expect(new Set(logs.map(({ status }) => status))).toEqual(new Set(['failed']))
  await simulate(accountId, 'simulate_card_payment', '1', 'EUR', api)
  // Nothing stands in for a topic where that has no URLs either.
  expect((await api.get('/webhook_logs?type=card_payment&status=failed')).body.data).toMatchObject([
    { event: 'card_payment' },
  ])
})

describe('a request that is refused leaves no payment', () => {
  let accountId: string
  beforeAll(async () => {
    accountId = (await openAccount()).accountId
  })
  const expectRefused = async (answer: ReturnType<typeof simulate>, status: number, ...codes: string[]) => {
    const { status: came, body } = await answer
    expect([came, body.errors.map(({ code, field }: Record<string, string>) => `${field} ${code}`)]).toEqual([
      status,
      codes,
    ])
    expect(await gatehouse.db.orm.$count(payments, eq(payments.accountId, accountId))).toBe(0)
  }

  test.each([
    10.5,
    '0',
    '0.00',
    '-1',
    '+1',
    '1e3',
    '1,50',
    ' 1',
    '01',
    '.5',
    '5.',
    '',
    'NaN',
    null,
    `1${'0'.repeat(18)}`,
    `0.${'0'.repeat(18)}1`,
  ])('amount %j', (amount) =>
    expectRefused(simulate(accountId, 'simulate_incoming_crypto', amount, 'BTC'), 422, 'amount invalid'),
  )
  test.each([
    ['simulate_incoming_fiat', 'eur'],
    ['simulate_incoming_fiat', 'ABC'],
    ['simulate_incoming_fiat', 'XXX'],
    ['simulate_incoming_fiat', 'XAU'],
    ['simulate_incoming_fiat', 'BTC'],
    ['simulate_card_payment', 'USDT'],
    ['simulate_incoming_crypto', 'EUR'],
    ['simulate_incoming_crypto', 'btc'],
  ])('%s in %s', (name, currency) =>
    expectRefused(simulate(accountId, name, '1', currency), 422, 'currency invalid'),
  )
  test.each([
    ['1.001', 'EUR'],
    ['1.5', 'JPY'],
    ['1.2345', 'BHD'],
  ])('more decimals than the currency has: %s %s', (amount, currency) =>
    expectRefused(simulate(accountId, 'simulate_incoming_fiat', amount, currency), 422, 'amount invalid'),
  )
  test('what is missing is named, all at once, and what is too much', async () => {
    const path = `/sandbox/accounts/${accountId}/simulate_incoming_fiat`
    await expectRefused(gatehouse.api.post(path), 422, 'amount required', 'currency required')
    const more = { amount: '1', currency: 'EUR', status: 'failed' }
    await expectRefused(gatehouse.api.post(path, more), 422, 'status unknown_field')
  })
  test('a read-only key, another vault’s key, an account that is not there, an id that is none', async () => {
    const fiat = (id: string, by = gatehouse.api) => simulate(id, 'simulate_incoming_fiat', '1', 'EUR', by)
    const { api: other } = await addVault(gatehouse)
    expect((await fiat(accountId, gatehouse.reader)).status).toBe(403)
    for (const answer of [await fiat(accountId, other), await fiat(unique())]) {
      expect(answer.status).toBe(404)
      expectErrors(answer, 'not_found')
    }
    expect((await fiat('1')).status).toBe(400)
    expect(await gatehouse.db.orm.$count(payments, eq(payments.accountId, accountId))).toBe(0)
  })
  test('what cannot be told is not recorded either', async () => {
    await gatehouse.asOwner('ALTER TABLE webhook_settings RENAME TO hidden')
    const { status } = await simulate(accountId, 'simulate_incoming_fiat', '1', 'EUR')
    await gatehouse.asOwner('ALTER TABLE hidden RENAME TO webhook_settings')
    expect(status).toBe(500)
    expect(await gatehouse.db.orm.$count(payments, eq(payments.accountId, accountId))).toBe(0)
  })
})

test('the longest amount comes back digit by digit', async () => {
  const { accountId } = await openAccount()
  const amount = `${'9'.repeat(18)}.${'9'.repeat(18)}`
  const { body } = await simulate(accountId, 'simulate_incoming_crypto', amount, 'USDC')
  expect(body.data.amount).toBe(amount)
  expect((await describeFinding(body.data.id)).delivery.attributes.amount).toBe(amount)
})
