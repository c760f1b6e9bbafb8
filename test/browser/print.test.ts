/** Tests that printed pages show the content without navigation and controls. */
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { missingBrowser } from '../../dev/browser.ts'
import { referenceOf } from '../../src/domain/entity/reference.ts'
import { describeUnless } from '../support/available.ts'
import { SIZES, signInTo, useBrowser } from '../support/browser-page.ts'
import { createWaiting } from '../support/identification.ts'
import { sharedInstance, unique } from '../support/instance.ts'
import { completeSections } from '../support/kyb.ts'
import { enterConsole } from '../support/operator-browser.ts'
import { expectPicture } from '../support/picture.ts'

const gatehouse = await sharedInstance({ worker: true })
const { api, baseUrl } = gatehouse

const ON_SCREEN_ONLY = [
  '.rail',
  '.console-rail',
  '.dock',
  '.progress',
  '.button',
  '.menu',
  '.tabs',
  '.skip',
  '.row-end',
]

describeUnless(await missingBrowser(), 'in a browser', () => {
  const open = useBrowser()

  async function expectRightPrint(page: Page, name: string): Promise<void> {
    await page.emulateMedia({ media: 'print', colorScheme: 'light' })
    const visible = page.locator(ON_SCREEN_ONLY.join()).filter({ visible: true })
    expect(await visible.evaluateAll((elements) => elements.map(({ className }) => className))).toEqual([])
    // Shows a sheet of A4, with the margins that browsers add only on paper.
    await page.setViewportSize({ width: 794, height: 1123 })
    await page.evaluate(() => {
      document.documentElement.style.padding = '15mm'
      document.body.dataset.print = '01234567 · 2\u00a0December\u00a02026'
    })
    await expectPicture(page, name)
  }

  /** Expects that each sheet shows the reference, the date and its number. */
  async function expectRightSheets(page: Page, reference: string): Promise<void> {
    const printed = await page.locator('body').getAttribute('data-print')
    expect(printed).toMatch(new RegExp(`^${reference} · \\d+\\s\\w+\\s20\\d\\d$`))
    const loading = getDocument({ data: new Uint8Array(await page.pdf({ format: 'A4' })) })
    const sheets = await loading.promise
    expect(sheets.numPages).toBeGreaterThan(1)
    for (let number = 1; number <= sheets.numPages; number += 1) {
      const { items } = await (await sheets.getPage(number)).getTextContent()
      const text = items.map((item) => ('str' in item ? item.str : '')).join('')
      expect(text.replaceAll(/\s/g, ' ')).toContain(printed?.replaceAll(/\s/g, ' '))
      expect(text).toContain(`${number} / ${sheets.numPages}`)
    }
    await loading.destroy()
  }

  test('prints the details of a company', async () => {
    const { page, company, base } = await signInTo(gatehouse, await open({ viewport: SIZES.desk }))
    await api.patch(`/kyb/${company.id}`, completeSections())
    await page.goto(`${base}/check`)
    await expectRightSheets(page, referenceOf(base))
    await expectRightPrint(page, 'print-check')
  })

  test('prints the open items of a person under a heading for readers of the file', async () => {
    const id = await createWaiting(gatehouse)
    const page = await (await open({ viewport: SIZES.desk })).newPage()
    await enterConsole(page, gatehouse, `/console/identifications/${id}`)
    await page.getByRole('heading', { name: 'Needs you', exact: true }).waitFor()
    await page.emulateMedia({ media: 'print' })
    await page.getByRole('heading', { name: 'Open items', exact: true }).waitFor()
  })

  test('prints a case', async () => {
    const { nature_of_business, beneficiaries, ...others } = completeSections()
    // Cases of earlier files must not have the same name, number or email.
    const email = `${unique()}@example.com`
    const own = { legal_company_name: 'Printing Press Ltd', company_registration_id: unique(), email }
    const people = beneficiaries.beneficiaries_list.map((person) => ({ ...person, email }))
    const id = await api.createKyb(undefined, {
      ...others,
      nature_of_business: { ...nature_of_business, ...own },
      beneficiaries: { ...beneficiaries, beneficiaries_list: people },
    })
    const page = await (await open({ viewport: SIZES.desk })).newPage()
    await enterConsole(page, gatehouse)
    await page.goto(`${baseUrl}/console/kyb/${id}?tab=company`)
    await expectRightSheets(page, referenceOf(id))
    await page.goto(`${baseUrl}/console/kyb/${id}`)
    await expectRightPrint(page, 'print-case')
    // The status of an owner is a word.
    await page.locator('.owners .glyph + span').filter({ visible: true }).waitFor()
    expect((await page.locator('.owners .glyph + span').boundingBox())?.width).toBeGreaterThan(20)
    // Each tab prints the same headings, which begin with the facts of the case.
    const headings = () => page.locator('h2').filter({ visible: true }).allInnerTexts()
    const printed = await headings()
    expect(printed.slice(0, 2)).toEqual(['About this case', 'Waiting on the client'])
    await page.goto(`${baseUrl}/console/kyb/${id}?tab=history`)
    await expect.poll(headings).toEqual(printed)
  })
})
