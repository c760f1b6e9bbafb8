/** Tests the queue of the console in a browser: updates, keyboard shortcuts and appearance. */
import { sql } from 'drizzle-orm'
import type { Page } from 'playwright-core'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { missingBrowser } from '../../dev/browser.ts'
import { describeUnless } from '../support/available.ts'
import { expectRightLooks, useBrowser } from '../support/browser-page.ts'
import { waitingFor } from '../support/console.ts'
import { startInstance } from '../support/instance.ts'
import { enterConsole } from '../support/operator-browser.ts'
import { signedIn } from '../support/people.ts'

// These tests need a separate instance, because the queue shows all vaults.
const gatehouse = await startInstance()
await gatehouse.startWorker()
afterAll(() => gatehouse.stop())

const { baseUrl, db } = gatehouse
const other = await signedIn(gatehouse, 'operator', { operator_roles: ['operator_review'] })
const waiting = (hours: number, nature_of_business: object = {}) =>
  waitingFor(gatehouse, hours, gatehouse.api, { nature_of_business })
beforeEach(async () => {
  await db.orm.execute(sql`UPDATE kyb_applications SET waiting_on = 'client'`)
})

describeUnless(await missingBrowser(), 'in a browser', () => {
  const open = useBrowser()

  async function signIn(viewport = { width: 1366, height: 768 }): Promise<Page> {
    const page = await (await open({ viewport })).newPage()
    await page.clock.install()
    await enterConsole(page, gatehouse)
    return page
  }
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('href'))
  const isOpen = (page: Page) => page.getByRole('dialog').isVisible()

  test('does not report a case as closed if it moved to the previous page', async () => {
    const ids: string[] = []
    for (let n = 0; n < 53; n += 1) ids.push(await waiting(100 - n))
    const page = await signIn()
    await page.goto(`${baseUrl}/console?waiting_on=operator&page=2`)
    await db.orm.execute(sql`UPDATE kyb_applications SET waiting_on = 'client' WHERE id = ${ids[0]}`)
    await db.orm.execute(sql`UPDATE kyb_applications SET waiting_on = 'client' WHERE id = ${ids[52]}`)
    await page.clock.fastForward(15_000)
    const row = (n: number) => page.locator(`tr[data-id="${ids[n]}"]`)
    await row(52).getByText('no longer in this list').waitFor()
    await row(50).getByText('on another page').waitFor()
    expect(await page.locator('tr.gone').count()).toBe(2)
    // No other entry of the page remains, so the script does not know whether this entry has moved.
    await db.orm.execute(sql`UPDATE kyb_applications SET waiting_on = 'client' WHERE id = ${ids[51]}`)
    await page.clock.fastForward(15_000)
    await row(51).getByText('or no longer in this list').waitFor()
  })

  test('shows the actions of other operators without moving entries', async () => {
    const [first, second, third] = [await waiting(5), await waiting(4), await waiting(3)]
    const page = await signIn()
    await page.evaluate(() => Object.assign(globalThis, { stayed: true }))
    const row = (id: string) => page.locator(`tr[data-id="${id}"]`)
    await row(third).getByRole('link').focus()
    await row(third).getByRole('checkbox').check()
    await row(third).getByRole('link').focus()
    await other.api.put(`/kyb/${second}/assignment`, {})
    const decision = { outcome: 'revision_requested', reason_code: 'other', client_comment: 'Once more.' }
    expect((await other.api.post(`/kyb/${first}/decision`, decision)).status).toBe(200)
    const newest = await waiting(1)
    await page.clock.fastForward(15_000)
    await row(first).getByText('no longer in this list').waitFor()
    expect(await row(second).getByTitle(other.email).count()).toBe(1)
    expect(await page.locator('tbody tr').count()).toBe(3)
    await expect.poll(() => focused(page)).toBe(`/console/kyb/${third}`)
    const all = page.getByRole('link', { name: 'All 3' })
    await all.waitFor()
    await page.getByRole('status').getByRole('button', { name: 'Show new cases (1)' }).press('Enter')
    await expect.poll(() => focused(page)).toBe(`/console/kyb/${newest}`)
    expect(await page.locator('tbody tr').count()).toBe(3)
    expect(await row(third).getByRole('checkbox').isChecked()).toBe(true)
    // The waiting times update by themselves.
    const age = row(newest).locator('[data-since]')
    expect(await age.textContent()).toBe('1 hr')
    await page.clock.fastForward('01:01:00')
    await age.getByText('2 hr').waitFor()
    expect(await page.evaluate(() => 'stayed' in globalThis)).toBe(true)
    await page.context().clearCookies()
    await page.clock.fastForward(15_000)
    await page.getByRole('status').getByText('You are signed out').waitFor()
  })

  test('selects all cases of the page and shows their number', async () => {
    const ids = [
      await waiting(5, { legal_company_name: 'Example Trading GmbH', country_of_incorporation: 'DE' }),
      await waiting(4, { legal_company_name: 'Example Logistics Ltd', country_of_incorporation: 'GB' }),
      await waiting(3, { legal_company_name: 'Ateliers Exemple SAS', country_of_incorporation: 'FR' }),
    ]
    const page = await signIn()
    const all = page.getByRole('checkbox', { name: 'Select all cases on this page' })
    const box = page.locator(`tr[data-id="${ids[0]}"]`).getByRole('checkbox')
    const checked = () => page.locator('tbody input:checked').count()
    await all.check()
    await page.getByText('3 selected').waitFor()
    expect(await checked()).toBe(3)
    await box.uncheck()
    await page.getByText('2 selected').waitFor()
    expect(await all.evaluate((input: HTMLInputElement) => [input.checked, input.indeterminate])).toEqual([
      false,
      true,
    ])
    await expectRightLooks(page, 'console-queue-selected')
    await page.getByRole('button', { name: 'Clear selection' }).click()
    expect(await checked()).toBe(0)
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await all.isVisible()).toBe(false)
  })

  test('assigns a case from its row, and leads to the previous and the next case by keyboard', async () => {
    const [first, second] = [await waiting(5), await waiting(4)]
    const page = await signIn()
    const { keyboard } = page
    await page.locator(`tr[data-id="${second}"]`).getByRole('link').focus()
    await keyboard.press('m')
    await page.getByRole('status').getByText('Assigned to you').waitFor()
    await page.locator(`tr[data-id="${second}"]`).getByRole('link').press('Enter')
    await page.getByText('Assigned to: You').waitFor()
    await page.waitForLoadState()
    await keyboard.press(',')
    await page.waitForURL(`${baseUrl}/console/kyb/${first}`)
    await page.waitForLoadState()
    await keyboard.press('.')
    await page.waitForURL(`${baseUrl}/console/kyb/${second}`)
  })

  test('leads from the queue to a case, a decision and the next case by keyboard', async () => {
    const [first, second, third] = [await waiting(5), await waiting(4), await waiting(3)]
    const page = await signIn()
    const { keyboard } = page
    await keyboard.press('j')
    await expect.poll(() => focused(page)).toBe(`/console/kyb/${first}`)
    await keyboard.press('ArrowDown')
    await expect.poll(() => focused(page)).toBe(`/console/kyb/${second}`)
    await keyboard.press('k')
    await keyboard.press('Enter')
    await page.waitForURL(`${baseUrl}/console/kyb/${first}`)
    await keyboard.press('m')
    await page.getByText('Assigned to: You').waitFor()
    // The shortcuts of the new page work once its scripts have arrived.
    await page.waitForLoadState()
    await keyboard.press('a')
    await keyboard.press('v')
    const revision = page.getByRole('radio', { name: 'Request changes' })
    await expect.poll(() => revision.isChecked()).toBe(true)
    // In a text field, letters do not act as shortcuts.
    await page.getByLabel('Message').focus()
    await keyboard.type('narrr?')
    expect(await page.getByLabel('Message').inputValue()).toBe('narrr?')
    expect(await revision.isChecked()).toBe(true)
    expect(page.url()).toBe(`${baseUrl}/console/kyb/${first}`)
    await page.getByRole('radio', { name: 'Information mismatch' }).press('Space')
    await keyboard.press('Control+Enter')
    await page.waitForURL(`${baseUrl}/console`)
    await page.getByRole('status').getByText('Decision recorded').waitFor()
    await keyboard.press('n')
    await page.waitForURL(`${baseUrl}/console/kyb/${second}`)
    await page.getByText('Assigned to: You').waitFor()
    await keyboard.press('n')
    await page.waitForURL(`${baseUrl}/console/kyb/${third}`)
    // Keys pressed while the page loads have no effect.
    let come = () => {}
    const awaited = new Promise<void>((resolve) => {
      come = resolve
    })
    await page.route('**/console/search', async (route) => {
      await awaited
      await route.continue()
    })
    await keyboard.press('/')
    await keyboard.press('n')
    // In browsers, Escape also stops loading. The shortcuts of the current page then work again.
    await keyboard.press('Escape')
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Page.stopLoading')
    await keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await keyboard.press('Escape')
    await keyboard.press('/')
    await keyboard.press('n')
    come()
    await page.waitForURL(`${baseUrl}/console/search`)
    await page.locator('#q:focus').waitFor()
    await keyboard.type('j/n')
    expect(await page.getByLabel('Search term').inputValue()).toBe('j/n')
  })

  test('lists keyboard shortcuts and can switch them off permanently', async () => {
    const id = await waiting(1)
    const page = await signIn()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await expectRightLooks(page, 'console-keys')
    await page.getByLabel('Use single-key shortcuts in this browser').uncheck()
    await page.keyboard.press('Escape')
    for (const key of ['j', '?', 'n', '/']) await page.keyboard.press(key)
    expect([await focused(page), await isOpen(page), page.url()]).toEqual([null, false, `${baseUrl}/console`])
    await page.reload()
    await page.keyboard.press('?')
    expect([await isOpen(page), page.url()]).toEqual([false, `${baseUrl}/console`])
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
    await page.getByLabel('Use single-key shortcuts in this browser').check()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.keyboard.press('j')
    await expect.poll(() => focused(page)).toBe(`/console/kyb/${id}`)
  })

  test('is accessible and fits the screen if it contains every type of entry', async () => {
    const page = await signIn()
    await expectRightLooks(page, 'console-queue-empty')
    const [old] = [await waiting(80), await waiting(30), await waiting(1)]
    await gatehouse.api.patch(`/kyb/${old}`, {
      nature_of_business: {
        legal_company_name: 'The Analytical Engine and Difference Company of London Ltd',
        country_of_incorporation: 'DE',
      },
    })
    await db.orm.execute(sql`UPDATE kyb_applications SET waiting_on = 'operator',
      waiting_since = now() - interval '80 hours' WHERE id = ${old}`)
    await other.api.put(`/kyb/${old}/assignment`, {})
    await page.goto(`${baseUrl}/console?kind=kyb`)
    await page.getByLabel('Save filter as').fill('Companies of ours')
    await page.getByRole('button', { name: 'Save filter' }).click()
    await page.getByRole('link', { name: 'Companies of ours 3' }).waitFor()
    await page.getByText('More', { exact: true }).click()
    await expectRightLooks(page, 'console-queue-full')
    // The chips for a risk and a country work by keyboard, and only one of them is open.
    await page.goto(`${baseUrl}/console?waiting_on=operator`)
    const chip = (text: string) => page.locator('summary', { hasText: text })
    await chip('Country').press('Enter')
    await chip('Risk').press('Enter')
    await page.getByRole('link', { name: 'Low' }).press('Enter')
    await chip('Risk: Low').waitFor()
    await chip('Country').press('Enter')
    await page.getByRole('link', { name: 'Germany' }).press('Enter')
    await chip('Country: Germany').press('Enter')
    await page.getByRole('link', { name: 'Any', exact: true }).waitFor()
    await page.locator('tbody tr').waitFor()
    await expectRightLooks(page, 'console-queue-narrowed')
  })
})
