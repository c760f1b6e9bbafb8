/** Tests the page of a webhook URL in a real browser: options, deliveries and catching up, for clients and operators. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { missingBrowser } from '../../dev/browser.ts'
import { webhookAttempts } from '../../drizzle/schema.ts'
import { describeUnless } from '../support/available.ts'
import { expectRightLooks, SIZES, useBrowser } from '../support/browser-page.ts'
import { awayFromMidnight } from '../support/day.ts'
import { addVault, startInstance, unique } from '../support/instance.ts'
import { enterCredentials, press } from '../support/operator-browser.ts'
import { PASSWORD, signedIn } from '../support/people.ts'
import { startReceiver } from '../support/receiver.ts'
import { insertLogs, readLogs } from '../support/webhook.ts'
import { vaultWith } from '../support/webhook-url.ts'

await awayFromMidnight()
const gatehouse = await startInstance()
const { baseUrl, db } = gatehouse
afterAll(() => gatehouse.stop())

const SECOND = 1_000
const URL = 'https://api.nordlicht.example/hooks/gatehouse'
const EVENTS = [
  'identification_approved',
  'identification_rejected',
  'kyb_revision_requested',
  'kyb_processed',
]

const vault = await addVault(gatehouse)
let email: string
let id: string
beforeAll(async () => {
  ;({ email } = await signedIn(gatehouse, 'client', {
    vaults: [{ id: vault.vaultId, roles: ['client_admin'] }],
  }))
  await vault.api.put('/users/update_webhook', { webhook_url: { identification: [URL], ticket: [URL] } })
  ;[{ id }] = (await vault.api.get('/webhook_urls')).body.data
  await vault.api.patch(`/webhook_urls/${id}`, {
    name: 'Case updates',
    events: EVENTS,
    headers: { Authorization: 'Bearer hidden', 'X-Tenant': 'hidden' },
    max_per_second: 20,
  })
  const results = [200, 201, null, 503, 200, 200] as const
  const now = Date.now()
  const kyb_uuid = await vault.api.createKyb(unique(), {
    nature_of_business: { legal_company_name: 'Example Logistics Ltd' },
  })
  for (const [n, statusCode] of results.entries()) {
    const isAccepted = statusCode !== null && statusCode < 300
    const createdAt = new Date(now - (n + 1) * SECOND)
    const [logId = ''] = await insertLogs(gatehouse, vault.vaultId, {
      topic: 'identification',
      status: isAccepted ? 'completed' : 'failed',
      payload: JSON.stringify({ data: { event: EVENTS[n % EVENTS.length], attributes: { kyb_uuid } } }),
      urlsDestiny: [URL],
      createdAt,
    })
    await db.orm.insert(webhookAttempts).values({
      webhookLogId: logId,
      round: 1,
      number: isAccepted ? 1 : 4,
      url: URL,
      statusCode,
      error: isAccepted
        ? null
        : statusCode === null
          ? 'no complete response within 10 seconds'
          : `HTTP status ${statusCode}`,
      durationMs: statusCode === null ? 10_004 : 96 + n,
      createdAt,
    })
  }
})

describeUnless(await missingBrowser(), 'in a browser', () => {
  const open = useBrowser()

  async function signIn(user: { email: string; password: string }, language = 'en') {
    const page = await (
      await open({ viewport: SIZES.desk, reducedMotion: 'reduce', locale: language })
    ).newPage()
    await page.goto(`${baseUrl}/console`)
    const isGerman = language === 'de'
    if (!isGerman) await enterCredentials(page, user.email, user.password)
    else {
      await page.locator('[name=email]').fill(user.email)
      await page.locator('[name=password]').fill(user.password)
      await page.locator('main form button').first().click()
    }
    await page.waitForURL(/\/console(\/client\/.*)?$/)
    return page
  }
  const forClient = () => `${baseUrl}/console/client/${vault.vaultId}/webhooks/urls/${id}`

  test('shows and changes the options of a URL to a client', async () => {
    const page = await signIn({ email, password: PASSWORD })
    await page.goto(forClient())
    await page.getByRole('heading', { name: 'Case updates' }).waitFor()
    await page.getByText('Set by API key').first().waitFor()
    await page.getByText('4 of 6 deliveries arrived in the last 7 days').waitFor()
    await page.getByText('Highest in the last 7 days: 1', { exact: true }).waitFor()
    await expectRightLooks(page, 'client-webhook-url')
    await page.getByText('Edit: Maximum rate').click()
    await page.getByLabel('Requests per second').fill('0')
    await page.getByRole('button', { name: 'Save changes' }).locator('visible=true').click()
    await page.getByRole('alert').waitFor()
    await expectRightLooks(page, 'client-webhook-url-refused')
    await page.getByLabel('Requests per second').fill('30')
    await page.getByRole('button', { name: 'Save changes' }).locator('visible=true').click()
    await page.getByText('30 per second').waitFor()
    await page.getByText('Certificates (').click()
    await page.getByText('Edit: Certificate authorities').click()
    const file = { name: 'ca.pem', mimeType: 'application/x-pem-file', buffer: Buffer.from('from a file') }
    await page.getByLabel('Or choose a file').locator('visible=true').setInputFiles(file)
    await expect.poll(() => page.locator('#ca').inputValue()).toBe('from a file')
    await press(page, 'Pause')
    await page.getByText('Paused').first().waitFor()
    await press(page, 'Resume')
    await page.getByRole('link', { name: 'Failed 2', exact: true }).click()
    const rows = page.locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(2)
    expect(await rows.first().textContent()).toContain('Example Logistics Ltd')
    const filters = page.getByRole('navigation', { name: 'Filters' })
    await filters.getByText('Event', { exact: true }).click()
    await filters.getByRole('link', { name: 'kyb_processed', exact: true }).click()
    await filters.getByRole('link', { name: 'Failed 1', exact: true }).waitFor()
    expect(await rows.count()).toBe(1)
    await page.goto(forClient().replace(/\/urls.*/, ''))
    await expectRightLooks(page, 'client-webhooks')
  })

  test('is in German', async () => {
    const page = await signIn({ email, password: PASSWORD }, 'de')
    await page.goto(forClient())
    await page.getByText('Maximale Rate').first().waitFor()
    await expectRightLooks(page, 'client-webhook-url-de', true)
  })

  test('sends 2,000 failed deliveries again, over the kill of a worker, until an operator stops it', async () => {
    const receiver = await startReceiver()
    const own = await vaultWith(gatehouse, receiver.url)
    const member = await signedIn(gatehouse, 'client', {
      vaults: [{ id: own.vaultId, roles: ['client_admin'] }],
    })
    const failed = { topic: 'ticket' as const, status: 'failed' as const, urlsDestiny: [receiver.url] }
    const ids = await insertLogs(gatehouse, own.vaultId, ...Array(2_000).fill(failed))
    const killed = await gatehouse.spawnWorker()
    const { operator_email, operator_password } = gatehouse.credentials
    const client = await signIn({ email: member.email, password: PASSWORD })
    const operator = await signIn({ email: operator_email, password: operator_password })
    const path = `/webhooks/${own.idOf(receiver.url)}/resend`
    await client.goto(
      `${baseUrl}/console/client/${own.vaultId}${path.replace('/webhooks/', '/webhooks/urls/')}`,
    )
    await client.getByLabel('Deliveries per second').fill('100')
    await press(client, 'Send failed deliveries again')
    const progress = client.locator('progress')
    const sent = async () => Number(await progress.getAttribute('value'))
    await expect.poll(sent).toBeGreaterThan(200)
    killed.kill('SIGKILL')
    // Nothing is sent during these checks.
    await expectRightLooks(client, 'client-webhook-resend')
    const before = receiver.received.length
    await gatehouse.spawnWorker()
    await operator.goto(`${baseUrl}/console/settings/vaults/${own.vaultId}${path}`)
    await expect.poll(() => receiver.received.length).toBeGreaterThan(before + 200)
    await press(operator, 'Stop sending')
    await operator.getByText(/^Stopped: .* of 2,000/).waitFor()
    await client.getByText(/^Stopped: .* of 2,000/).waitFor()
    expect(await sent()).toBeLessThan(2_000)
    expect(await client.getByLabel('Deliveries per second').inputValue()).toBe('100')
    await press(client, 'Send failed deliveries again')
    const all = async () => new Set(receiver.received.map(({ attributes }) => attributes.event_id)).size
    await expect.poll(all).toBe(ids.length)
    await expect
      .poll(async () => (await readLogs(gatehouse, ids)).filter(({ status }) => status !== 'completed'))
      .toEqual([])
    await receiver.stop()
  })

  test('shows the same page to operators', async () => {
    const { operator_email, operator_password } = gatehouse.credentials
    const page = await signIn({ email: operator_email, password: operator_password })
    await page.goto(`${baseUrl}/console/settings/vaults/${vault.vaultId}/webhooks/${id}`)
    await page.getByRole('heading', { name: 'Case updates' }).waitFor()
    await expectRightLooks(page, 'settings-webhook-url')
  })
})
