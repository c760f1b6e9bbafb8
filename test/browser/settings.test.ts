/** Tests the settings in a real browser, from a new vault to its API key and a new user, with their appearance. */
import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { missingBrowser } from '../../dev/browser.ts'
import { describeUnless } from '../support/available.ts'
import { expectRightLooks, SIZES, useBrowser } from '../support/browser-page.ts'
import { startInstance } from '../support/instance.ts'
import { logoPng } from '../support/logo.ts'
import { enterConsole } from '../support/operator-browser.ts'

// This test needs a separate instance, because administrators see every vault and user.
const gatehouse = await startInstance()
afterAll(() => gatehouse.stop())

const { baseUrl } = gatehouse
const BASE = `${baseUrl}/console/settings`

describeUnless(await missingBrowser(), 'in a browser', () => {
  const open = useBrowser()

  test('creates a vault with colours and a key on accessible pages that fit the screen', async () => {
    const page = await (await open({ viewport: SIZES.desk, reducedMotion: 'reduce' })).newPage()
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()
    await enterConsole(page, gatehouse, '/console/settings/vaults')
    await expectRightLooks(page, 'settings-vaults')
    await page.getByRole('link', { name: 'Create vault' }).click()
    await page.getByLabel('Name').fill('Analytical Engines')
    await page.getByLabel('Trading fee').fill('a lot')
    await press('Create vault')
    await page.getByRole('alert').getByRole('link', { name: 'Enter a number from 0 to 100' }).waitFor()
    await expectRightLooks(page, 'settings-vault-refused')
    await page.getByLabel('Trading fee').fill('1 %')
    await press('Create vault')
    await heading('Analytical Engines')
    const vault = page.url()

    await expectRightLooks(page, 'settings-vault')
    await page.getByRole('link', { name: 'Branding' }).click()
    const buffer = await logoPng()
    await page.getByLabel('Logo').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer })
    await page.getByText('logo.png').waitFor()
    await page.getByLabel('Accent colour', { exact: true }).fill('#ffff00')
    await page.getByText('Choose a darker one.').waitFor()
    await page.getByLabel('Accent colour', { exact: true }).fill('#7a1f5c')
    await page.getByText('2 changes not saved').waitFor()
    // The preview shows the colour and the logo before they are saved.
    const button = page.locator('.preview-company .button')
    const colorOf = () => button.evaluate((element) => getComputedStyle(element).backgroundColor)
    await page.waitForFunction(() => document.querySelectorAll('.preview-screen img').length === 1)
    await expect.poll(colorOf).toBe('rgb(122, 31, 92)')
    await page.getByText('Dark', { exact: true }).click()
    // The style sheet with the lightened accent arrives after the field has lost the focus.
    await expect.poll(colorOf).toBe('rgb(175, 121, 157)')
    await page.getByText('Person', { exact: true }).click()
    await page.locator('.preview-person .button').waitFor()
    await expectRightLooks(page, 'settings-preview')
    await press('Save changes')
    await page.getByAltText('Current logo').waitFor()
    await page.reload()
    await expectRightLooks(page, 'settings-branding')
    await expectSaveInView(page)

    await page.getByRole('link', { name: 'API keys' }).click()
    await page.getByLabel('Name').fill('Billing')
    await expectRightLooks(page, 'settings-new-key')
    await press('Create API key')
    const key = await page.getByLabel('API key').inputValue()
    await expectRightLooks(page, 'settings-key-made')
    await gatehouseUrls(key)
    await page.getByRole('link', { name: 'I have copied the key' }).click()
    await page.getByText(key.slice(0, 12)).first().waitFor()
    await expectRightLooks(page, 'settings-keys')
    await page.getByRole('link', { name: 'Webhooks' }).click()
    await page.getByText('Longer retries are on').waitFor()
    await expectRightLooks(page, 'settings-webhooks')
    await page.goto(`${vault}/emails`)
    await expectRightLooks(page, 'settings-emails')
    await page.goto(`${vault}/comment_templates`)
    await expectRightLooks(page, 'settings-templates')
    await page.goto(`${vault}/api_keys`)
    await page.getByRole('link', { name: 'Revoke key' }).click()
    await expectRightLooks(page, 'settings-revoke')
    await press('Revoke key')
    await page.getByText('revoked').first().waitFor()

    await page.goto(`${BASE}/users/new`)
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByLabel('Vault', { exact: true }).selectOption({ label: 'Analytical Engines' })
    await expectRightLooks(page, 'settings-new-user')
    for (const role of ['Read', 'Write']) await page.getByLabel(role, { exact: true }).check()
    await press('Create user')
    await page.getByLabel('One-time password').waitFor()
    await page.getByRole('link', { name: 'I have copied the password' }).click()
    await heading('ada@example.com')
    await expectRightLooks(page, 'settings-user')
    await page.goto(`${BASE}/users`)
    await expectRightLooks(page, 'settings-users')
    await expectWholeAddresses(page, '.row-link')
    await page.goto(`${BASE}/groups`)
    await page.getByText('No groups have roles yet').waitFor()
    await expectRightLooks(page, 'settings-groups')
    await page.goto(`${BASE}/erasures`)
    await heading('Due erasures')
    await expectRightLooks(page, 'settings-erasures')
    await page.goto(`${BASE}/audit`)
    await page.locator('td').getByText('Created API key').waitFor()
    await expectRightLooks(page, 'settings-audit')
    await expectWholeAddresses(page, 'td a[href*="actor="]')
  })

  /** Expects that each email address of a list is on one line, on a tablet and on a desk. */
  async function expectWholeAddresses(page: Page, selector: string): Promise<void> {
    for (const width of [768, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      const addresses = page.locator(selector).filter({ hasText: '@' })
      const broken = await addresses.evaluateAll((links) =>
        links.filter((link) => link.getClientRects().length > 1).map(({ textContent }) => textContent),
      )
      expect(await addresses.count()).toBeGreaterThan(0)
      expect(broken, String(width)).toEqual([])
    }
  }

  /** Expects that a phone shows the buttons below the focused field and next to the preview. */
  async function expectSaveInView(page: Page): Promise<void> {
    await page.setViewportSize(SIZES.phone)
    const edgeOf = async (name: string, edge: 'top' | 'bottom') =>
      page.locator(name).evaluate((element, side) => element.getBoundingClientRect()[side], edge)
    const bar = await edgeOf('.settings-foot', 'top')
    await page.getByLabel('Default language').focus()
    expect(await edgeOf('#default_language', 'bottom')).toBeLessThan(bar)
    await page.locator('.phone').scrollIntoViewIfNeeded()
    expect(await edgeOf('.settings-foot', 'top')).toBe(bar)
    // If both do not fit next to each other, the preview is below the title.
    for (const width of [390, 800, 1100]) {
      await page.setViewportSize({ width, height: 800 })
      const title = await edgeOf('.settings-content h1', 'bottom')
      expect(await edgeOf('.branding-preview', 'top'), String(width)).toBeGreaterThan(title)
    }
    await page.setViewportSize(SIZES.desk)
  }

  /** Sets the URLs as the client, with the new key. */
  async function gatehouseUrls(key: string): Promise<void> {
    const webhook_url = { identification: ['https://client.example/webhooks/gatehouse'] }
    await fetch(`${baseUrl}/v1/users/update_webhook`, {
      method: 'PUT',
      headers: { Authorization: key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ webhook_url, long_retries: true }),
    })
  }
})
