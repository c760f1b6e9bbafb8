/** Tests the list of deliveries to a webhook URL: its filters, the names of cases, and how a delivery is sent now. */
import { eq } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { webhookAttempts, webhookLogs } from '../../../drizzle/schema.ts'
import { openConsole } from '../../support/console.ts'
import { addVault, sharedInstance, unique } from '../../support/instance.ts'
import { PASSWORD, signedIn } from '../../support/people.ts'
import { insertLogs, readLogs } from '../../support/webhook.ts'

const gatehouse = await sharedInstance()
const { baseUrl, db } = gatehouse
const [vault, other] = [await addVault(gatehouse), await addVault(gatehouse)]
const TARGET = 'https://own.example/hook'

type Browser = Awaited<ReturnType<typeof openConsole>>
const asUser = async (audience: 'client' | 'operator', roles: Parameters<typeof signedIn>[2]) => {
  const { email } = await signedIn(gatehouse, audience, roles)
  return openConsole(baseUrl, { email, password: PASSWORD })
}

let client: Browser
let auditor: Browser
let administrator: Browser
let id: string
beforeAll(async () => {
  const { vaultId } = vault
  client = await asUser('client', { vaults: [{ id: vaultId, roles: ['client_admin'] }] })
  auditor = await asUser('operator', { operator_grants: [{ role: 'auditor', vault_id: vaultId }] })
  administrator = await asUser('operator', {
    operator_grants: [{ role: 'administrator', vault_id: vaultId }],
  })
  await vault.api.put('/users/update_webhook', {
    webhook_url: { identification: [TARGET], ticket: [TARGET] },
  })
  ;[{ id }] = (await vault.api.get('/webhook_urls')).body.data
})

const forClient = () => `/console/client/${vault.vaultId}/webhooks/urls/${id}`
const forOperator = () => `/console/settings/vaults/${vault.vaultId}/webhooks/${id}`

const company = (name: string, by = vault.api) =>
  by.createKyb(unique(), { nature_of_business: { legal_company_name: name } })

/** Adds a failed delivery, and returns its ID. */
async function failed(attributes: object, more: Partial<Parameters<typeof insertLogs>[2]> = {}) {
  const { name = 'ticket_created', key = 'data', ...values } = more as { name?: string; key?: string }
  const payload = JSON.stringify({ [key]: { event: name, attributes } })
  const log = { topic: 'ticket' as const, status: 'failed' as const, urlsDestiny: [TARGET], payload }
  const [logId = ''] = await insertLogs(gatehouse, vault.vaultId, { ...log, ...values })
  const result = { statusCode: 503, error: 'HTTP status 503', durationMs: 5 }
  await db.orm
    .insert(webhookAttempts)
    .values({ webhookLogId: logId, round: 1, number: 1, url: TARGET, ...result })
  return logId
}

describe('the names of cases', () => {
  test('are those that the reader may see in this vault', async () => {
    await failed({ kyb_uuid: await company('Own Trading Ltd'), identification_uuid: 'ignored' })
    await failed({ kyb_uuid: await company('Second Trading Ltd') })
    await failed({ kyb_uuid: await company('Foreign Trading Ltd', other.api) })
    for (const uuid of ['no UUID', 5, null, { x: 1 }, "'; DROP TABLE x"]) await failed({ kyb_uuid: uuid })
    const seen = async (browser: Browser, path: string) => {
      const page = await browser.text(path)
      return ['Own Trading Ltd', 'Foreign Trading Ltd'].map((name) => page.includes(name))
    }
    expect(await seen(client, forClient())).toEqual([true, false])
    expect(await seen(auditor, forOperator())).toEqual([true, false])
    const { body } = await (await gatehouse.operator()).get(
      `/audit?action=case_names_read&vault_id=${vault.vaultId}`,
    )
    // Each company has an application and an identification, whose creations were delivered, too.
    expect(body.data).toMatchObject([{ count: 4 }])
    // This role cannot read cases.
    expect(await seen(administrator, forOperator())).toEqual([false, false])
  })
})

describe('the filters', () => {
  const rows = async (query: string, by = client, path = forClient()) =>
    ((await by.text(`${path}?${query}`)).match(/<tr/g)?.length ?? 1) - 1

  test('select an event, also one that reports a failure, and a day', async () => {
    const name = 'fiat_payment_failed'
    await failed({}, { name, key: 'error', createdAt: new Date('2026-03-05T12:00:00Z') } as object)
    await failed({}, { name, createdAt: new Date('2026-03-01T23:59:59Z') } as object)
    await failed({}, { name, createdAt: new Date('2026-03-02T00:00:00Z') } as object)
    expect(await rows(`event=${name}`)).toBe(3)
    expect(await rows(`event=${name}&show=failed&day=2026-03-05`)).toBe(1)
    expect(await rows('day=2026-03-01')).toBe(1)
    expect(await rows('day=2026-03-02', auditor, forOperator())).toBe(1)
    expect(await rows('event=identification_approved')).toBe(0)
    const page = await client.text(`${forClient()}?event=${name}&day=2026-03-01`)
    expect(page).toContain('show=failed&amp;event=fiat_payment_failed&amp;day=2026-03-01')
    expect(page).toContain('1\u00a0March\u00a02026')
  })

  test.each([
    '2026-02-30',
    '2026-13-01',
    'today',
    '-1',
    '275760-09-14',
    '0000-01-01',
    '9999-12-31',
    '',
    '%00',
    '2026-03-01&day=2026-03-02',
  ])('ignore the invalid day %s', async (day) => {
    const path = `/console/client/${vault.vaultId}/webhooks`
    for (const page of [forClient(), path])
      expect((await client.get(`${page}?day=${day}&event=%3Cb%3E&topic=x`)).status).toBe(200)
    expect(await rows(`day=${day}`)).toBeGreaterThan(3)
  })

  test('select a topic and a day in the log of the client', async () => {
    const path = `/console/client/${vault.vaultId}/webhooks`
    const table = async (query: string) =>
      (await client.text(`${path}?${query}`)).split('filter-chips')[1] ?? ''
    expect(await table('topic=ticket&day=2026-03-01')).toContain('fiat_payment_failed')
    expect(await table('topic=account&day=2026-03-01')).not.toContain('>fiat_payment_failed<')
    expect(await table('topic=ticket&day=2026-03-03')).not.toContain('>fiat_payment_failed<')
  })
})

test('a delivery whose next attempt is hours away can be sent now', async () => {
  const logId = await failed({}, { name: 'ticket_updated', status: 'processing' } as object)
  const shown = `${forClient()}?event=ticket_updated&show=waiting`
  expect(await client.text(shown)).not.toContain('Send now')
  const attempt = async () => /data-label="Attempt">([^<]*)/.exec(await client.text(shown))?.[1]
  expect(await attempt()).toBe('1 of 4')
  await vault.api.put('/users/update_webhook', { webhook_url: {}, long_retries: true })
  expect(await attempt()).toBe('1 of 9')
  await db.orm
    .update(webhookLogs)
    .set({ dueAt: new Date(Date.now() + 3_600_000) })
    .where(eq(webhookLogs.id, logId))
  expect(await client.text(shown)).toContain('Send now')
  expect(await client.text(`/console/client/${vault.vaultId}/webhooks/${logId}`)).toContain('Send now')
  expect((await client.post(forClient(), { act: 'retry', delivery: logId })).status).toBe(303)
  const [log] = await readLogs(gatehouse, [logId])
  expect(log).toMatchObject({ status: 'pending', round: 2, dueAt: null })
})

test('the page states when the vault has more deliveries than it reads', async () => {
  const sentence = 'newest 2,000 deliveries of the vault in each state'
  expect(await client.text(forClient())).not.toContain(sentence)
  const completed = { topic: 'ticket' as const, urlsDestiny: [TARGET] }
  await insertLogs(gatehouse, vault.vaultId, ...Array(2_000).fill(completed))
  expect(await client.text(forClient())).toContain(sentence)
  expect(await client.text(`${forClient()}?day=2026-03-01`)).not.toContain(sentence)
})
