/** Tests that pages do not jump while they save, and that bars do not cover the focused field. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { missingBrowser } from '../../dev/browser.ts'
import { describeUnless } from '../support/available.ts'
import { signInTo, useBrowser } from '../support/browser-page.ts'
import { sharedInstance } from '../support/instance.ts'
import { completeSections } from '../support/kyb.ts'

const gatehouse = await sharedInstance({ worker: true })

describeUnless(await missingBrowser(), 'in a browser', () => {
  const open = useBrowser()

  test.each([
    [320, 640, 'de'],
    [390, 844, 'de'],
    [390, 844, 'pl'],
    [768, 1024, 'de'],
    [1366, 768, 'de'],
    [1366, 768, 'en'],
  ])('%i × %i pixels in %s', async (width, height, language) => {
    const { page, company, base } = await signInTo(gatehouse, await open({ viewport: { width, height } }))
    await gatehouse.api.patch(`/kyb/${company.id}`, completeSections())
    await page.goto(`${base}/nature_of_business?language=${language}`)
    await page.evaluate(() => {
      for (const group of document.querySelectorAll<HTMLDetailsElement>('main details')) group.open = true
    })
    const headerHeight = () =>
      page.locator('.hosted-bar').evaluate((bar) => bar.getBoundingClientRect().height)
    const before = await headerHeight()
    const heights = new Set<number>()
    await page.locator('[id="nature_of_business.legal_company_name"]').fill('Difference Engines Ltd')
    await page.keyboard.press('Tab')
    await expect.poll(async () => heights.add(await headerHeight()) && (await savedText())).not.toBe('')
    heights.add(await headerHeight())
    expect([...heights]).toEqual([before])

    // Each field that receives the focus is between the bars.
    const bottomOfForm = page.locator('main button[type=submit]:visible').last()
    for (let n = 0; n < 60; n += 1) {
      await page.keyboard.press('Tab')
      const { isVisible, name } = await findFocus(page)
      expect(isVisible, `${name} is covered`).toBe(true)
      if (await bottomOfForm.evaluate((button) => button === document.activeElement)) return
    }
    expect.fail('the form has no end')

    async function savedText() {
      return (await page.locator('.saving').allTextContents()).join('').trim()
    }
  })
  test('the tall dock of a locked form covers no focus', async () => {
    const viewport = { width: 320, height: 640 }
    const { page, company, base } = await signInTo(gatehouse, await open({ viewport }))
    await gatehouse.api.patch(`/kyb/${company.id}`, completeSections())
    await page.goto(`${base}/check?language=de`)
    const covered: string[] = []
    for (let n = 0; n < 60; n += 1) {
      await page.keyboard.press('Tab')
      const { isVisible, isEnd, name } = await findFocus(page)
      if (isEnd) {
        expect(n).toBeGreaterThan(10)
        return expect(covered).toEqual([])
      }
      if (!isVisible) covered.push(name)
    }
    expect.fail('the page has no end')
  })
})

/** Returns the focused element, and whether a bar covers it. */
const findFocus = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLElement
    const { top, bottom, left, right } = element.getBoundingClientRect()
    const at = document.elementFromPoint((left + right) / 2, (Math.max(top, 0) + bottom) / 2)
    const isOf = at !== null && (element.contains(at) || at.contains(element) || at.closest('label') !== null)
    return {
      isVisible: element.closest('.hosted-bar, .dock, footer') !== null || isOf,
      isEnd: element === document.body,
      name: element.id || element.textContent,
    }
  })
