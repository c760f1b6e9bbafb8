/** Tests the reports in a real browser, in each size and colour scheme, with and without data. */
import { afterAll, expect, test } from 'vitest'
import { missingBrowser } from '../../dev/browser.ts'
import { describeUnless } from '../support/available.ts'
import { expectRightLooks, useBrowser } from '../support/browser-page.ts'
import { awayFromMidnight } from '../support/day.ts'
import { seedFigures } from '../support/figures.ts'
import { addVault, startInstance } from '../support/instance.ts'
import { enterConsole } from '../support/operator-browser.ts'

await awayFromMidnight()
const gatehouse = await startInstance()
afterAll(() => gatehouse.stop())
const { baseUrl, vaultId } = gatehouse

describeUnless(await missingBrowser(), 'in a browser', () => {
  const open = useBrowser()

  test('shows figures as charts and tables, filters them and exports files', async () => {
    await seedFigures(gatehouse, vaultId)
    await gatehouse.api.put('/users/update_webhook', {
      webhook_url: { account: ['https://hooks.example/gatehouse'] },
    })
    const { vaultId: empty } = await addVault(gatehouse)
    const page = await (await open()).newPage()
    await enterConsole(page, gatehouse)
    await page.getByRole('link', { name: 'Reports' }).click()
    const plots = page.getByRole('img')
    await page.getByRole('img', { name: '15 cases received, 11 decided' }).waitFor()
    await page.getByRole('img', { name: '5 deliveries, 3 delivered' }).waitFor()
    // Reasons and ages are lists with bars, not images.
    expect(await plots.count()).toBe(3)
    expect(await page.locator('.bar-list').count()).toBe(2)
    // A chart without its style sheet is black.
    await page.waitForLoadState()
    const bar = page.locator('.plot rect').first()
    expect(await bar.evaluate((element) => getComputedStyle(element).fill)).not.toBe('rgb(0, 0, 0)')
    await expectRightLooks(page, 'figures')
    for (const summary of await page.locator('.figure summary').all()) await summary.click()
    await page.getByRole('cell', { name: '5 hr' }).first().waitFor()
    await expectRightLooks(page, 'figures-tables')
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download “New cases” as CSV' }).click(),
    ])
    expect(file.suggestedFilename()).toMatch(/^applications-\d{4}-\d\d-\d\d\.csv$/)
    await page.getByText('Last 30 days').first().click()
    await page.getByRole('link', { name: 'Last 365 days' }).click()
    await page.getByText('Companies and people').first().click()
    await page.getByRole('link', { name: 'Companies', exact: true }).click()
    await page.getByRole('img', { name: '14 cases received, 11 decided' }).waitFor()
    expect(new URL(page.url()).search).toBe('?period=365&kind=kyb')
    await expectRightLooks(page, 'figures-year')
    await page.goto(`${baseUrl}/console/figures?vault=${empty}`)
    await page.getByRole('heading', { name: 'No new cases in this period' }).waitFor()
    expect(await plots.count()).toBe(0)
    await expectRightLooks(page, 'figures-empty')
    await page.goto(`${baseUrl}/console/figures?language=de`)
    await page.getByRole('heading', { name: 'Berichte' }).waitFor()
    await expectRightLooks(page, 'figures-de')
  })
})
