/**
 * Tests the size of the scripts on applicants' pages, because phones can have a slow connection, and the lists that
 * scripts complete.
 */
import type { BrowserContext } from 'playwright-core'
import { expect, test } from 'vitest'
import { missingBrowser } from '../../dev/browser.ts'
import { describeUnless } from '../support/available.ts'
import { signInTo, useBrowser } from '../support/browser-page.ts'
import { eventually, sharedInstance } from '../support/instance.ts'
import { agree, openPersonLink } from '../support/person-browser.ts'
import { beginPerson } from '../support/person-page.ts'

const gatehouse = await sharedInstance({ worker: true })
const { baseUrl } = gatehouse

const SCRIPTS_LIMIT = 25_000

describeUnless(await missingBrowser(), 'in a browser', () => {
  const open = useBrowser()

  /** Returns the size in bytes of the scripts that each page loads without a cache. */
  async function weigh(context: BrowserContext, base: string, paths: readonly string[]) {
    const bytes: Record<string, number> = {}
    for (const path of paths) {
      const page = await context.newPage()
      const client = await context.newCDPSession(page)
      await client.send('Network.setCacheDisabled', { cacheDisabled: true })
      const scripts: Promise<Buffer>[] = []
      page.on('response', (response) => {
        if (response.request().resourceType() === 'script') scripts.push(response.body())
      })
      await page.goto(base + path, { waitUntil: 'networkidle' })
      bytes[path] = (await Promise.all(scripts)).reduce((sum, { length }) => sum + length, 0)
      await page.close()
    }
    return bytes
  }

  const tooLarge = (bytes: Record<string, number>) =>
    Object.entries(bytes).filter(([, sum]) => sum === 0 || sum > SCRIPTS_LIMIT)

  test('each page of a company’s form loads at most 25 kB of scripts', async () => {
    const context = await open()
    const { base } = await signInTo(gatehouse, context)
    const paths = ['/nature_of_business', '/usage_of_account', '/beneficiaries', '/business_files']
    expect(tooLarge(await weigh(context, base, paths))).toEqual([])
  })

  test.each([true, false])('all lists of countries are complete (scripts: %s)', async (javaScriptEnabled) => {
    const { page, base } = await signInTo(gatehouse, await open({ javaScriptEnabled }))
    await page.goto(`${base}/nature_of_business`)
    const lists = page.locator('select[data-countries]')
    for (const n of [0, 1, 2, 3])
      await lists.nth(n).locator('option[value=ZW]').waitFor({ state: 'attached' })
    expect(await lists.count()).toBe(4)
    for (const n of [0, 1, 2, 3]) expect(await lists.nth(n).inputValue()).toBe('')
  })

  test('a list that a script completes is used by keyboard, and keeps its value', async () => {
    const { page, company, base } = await signInTo(gatehouse, await open())
    await page.goto(`${base}/nature_of_business`)
    const list = page.getByRole('combobox', { name: 'Country of tax residence' })
    await list.fill('Germ')
    await list.press('Enter')
    await eventually(async () => {
      const { body } = await gatehouse.api.get(`/kyb/${company.id}`)
      expect(body.data.nature_of_business.tax_residency_country).toBe('DE')
    })
    await page.goto(`${base}/nature_of_business`)
    expect(await list.inputValue()).toBe('Germany')
    await list.fill('Austria')
    await list.press('Enter')
    expect(await list.inputValue()).toBe('Austria')
  })

  test('each page of a person’s verification loads at most 25 kB of scripts', async () => {
    const context = await open()
    const { page, base } = await openPersonLink(context, baseUrl + (await beginPerson(gatehouse)))
    await agree(page, base)
    expect(tooLarge(await weigh(context, base, ['/details', '/document_front', '/selfie']))).toEqual([])
  })
})
