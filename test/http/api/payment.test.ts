/** Tests simulated payments of the sandbox: responses, records, webhooks and the effect of a block. */
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { payments, webhookLogs } from '../../../drizzle/schema.ts'
import { publishEventBody } from '../../../src/contracts/event.ts'
import { eventBody } from '../../../src/domain/webhook/events.ts'
import { createImported } from '../../support/identification.ts'
import { addVault, eventually, sharedInstance } from '../../support/instance.ts'
import { startReceiver, verifies } from '../../support/receiver.ts'
import { secretOf } from '../../support/webhook.ts'

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

/** Waits until the only delivery for the payment is completed. Returns its log and the received request. */
async function deliveryOf(paymentId: string) {
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
  test('records a payment, returns it, and sends it by webhook', async () => {
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
    const { log, delivery } = await deliveryOf(body.data.id)
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

  test('records a failed payment and sends it as an error if the account is blocked', async () => {
    const { identificationId, accountId } = await openAccount()
    await gatehouse.api.post(`/identifications/${identificationId}/block`, { reason: 'client_request' })
    const { status, body } = await simulate(accountId, name, amount, currency)
    expect([status, body.data.status, body.data.reason_code]).toEqual([201, 'failed', 'account_blocked'])
    const { log, delivery } = await deliveryOf(body.data.id)
    const { data, error } = JSON.parse(delivery.body)
    expect(data).toBeUndefined()
    expect(error).toMatchObject({
      event: `${kind}_payment_failed`,
      attributes: { [`${kind}_payment_uuid`]: body.data.id, status: 'failed', message: expect.any(String) },
    })
    // The payload must satisfy the schema for published events.
    const published = { vault_id: gatehouse.vaultId, topic: `${kind}_payment`, ...error }
    const parsed = publishEventBody.parse(published)
    expect(eventBody({ name: parsed.event, attributes: parsed.attributes }, parsed.key)).toBe(log.payload)

    await gatehouse.api.post(`/identifications/${identificationId}/unblock`)
    expect((await simulate(accountId, name, amount, currency)).body.data.status).toBe('completed')
  })
})

test('fails only payments of the service that a case blocks', async () => {
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

test('sends card payments to the fiat URLs if no card URLs exist, and logs that topic', async () => {
  const { accountId } = await openAccount()
  const topicUsed = async () => {
    const { body } = await simulate(accountId, 'simulate_card_payment', '5', 'EUR')
    return (await deliveryOf(body.data.id)).log.topic
  }
  await route({ card_payment: [] })
  expect(await topicUsed()).toBe('fiat_payment')
  await route({ card_payment: [receiver.url] })
  expect(await topicUsed()).toBe('card_payment')
})

test('records the payment and sends nothing if no URLs exist', async () => {
  const { api, vaultId } = await addVault(gatehouse)
  const id = await createImported(api)
  const accountId = (await api.get(`/identifications/${id}`)).body.data.account_id
  expect((await simulate(accountId, 'simulate_incoming_fiat', '1', 'EUR', api)).status).toBe(201)
  expect(await gatehouse.db.orm.$count(payments, eq(payments.vaultId, vaultId))).toBe(1)
  const logs = await gatehouse.db.orm.select().from(webhookLogs).where(eq(webhookLogs.vaultId, vaultId))
  expect(new Set(logs.map(({ status }) => status))).toEqual(new Set(['failed']))
  await simulate(accountId, 'simulate_card_payment', '1', 'EUR', api)
  // Without fiat URLs, the topic remains card_payment.
  expect((await api.get('/webhook_logs?type=card_payment&status=failed')).body.data).toMatchObject([
    { event: 'card_payment' },
  ])
})

describe('a refused payment, which is not recorded,', () => {
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
  ])('returns 422 for the amount %j', (amount) =>
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
  ])('returns 422 for %s in %s', (name, currency) =>
    expectRefused(simulate(accountId, name, '1', currency), 422, 'currency invalid'),
  )
  test.each([
    ['1.001', 'EUR'],
    ['1.5', 'JPY'],
    ['1.2345', 'BHD'],
  ])('returns 422 for more decimals than the currency has: %s %s', (amount, currency) =>
    expectRefused(simulate(accountId, 'simulate_incoming_fiat', amount, currency), 422, 'amount invalid'),
  )
  test('returns 422 with all missing fields, and for unknown fields', async () => {
    const path = `/sandbox/accounts/${accountId}/simulate_incoming_fiat`
    await expectRefused(gatehouse.api.post(path), 422, 'amount required', 'currency required')
    const more = { amount: '1', currency: 'EUR', status: 'failed' }
    await expectRefused(gatehouse.api.post(path, more), 422, 'status unknown_field')
  })
  test('returns 500 if the event cannot be recorded', async () => {
    await gatehouse.asOwner('ALTER TABLE webhook_settings RENAME TO hidden')
    const { status } = await simulate(accountId, 'simulate_incoming_fiat', '1', 'EUR')
    await gatehouse.asOwner('ALTER TABLE hidden RENAME TO webhook_settings')
    expect(status).toBe(500)
    expect(await gatehouse.db.orm.$count(payments, eq(payments.accountId, accountId))).toBe(0)
  })
})

test('accepts the Caribbean guilder', async () => {
  const { accountId } = await openAccount()
  expect((await simulate(accountId, 'simulate_incoming_fiat', '10.50', 'XCG')).status).toBe(201)
})

test('returns the longest amount with all its digits', async () => {
  const { accountId } = await openAccount()
  const amount = `${'9'.repeat(18)}.${'9'.repeat(18)}`
  const { body } = await simulate(accountId, 'simulate_incoming_crypto', amount, 'USDC')
  expect(body.data.amount).toBe(amount)
  expect((await deliveryOf(body.data.id)).delivery.attributes.amount).toBe(amount)
})
