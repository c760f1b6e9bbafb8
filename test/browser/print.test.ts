/** Tests that printed pages show the content without navigation and controls. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { missingBrowser } from '../../dev/browser.ts'
import { describeUnless } from '../support/available.ts'
import { SIZES, signInTo, useBrowser } from '../support/browser-page.ts'
import { sharedInstance } from '../support/instance.ts'
import { completeSections } from '../support/kyb.ts'
import { enterCredentials } from '../support/operator-browser.ts'
import { expectPicture } from '../support/picture.ts'

const gatehouse = await sharedInstance({ worker: true })
const { api, baseUrl, credentials } = gatehouse

const ON_SCREEN_ONLY = ['.rail', '.console-rail', '.dock', '.progress', '.button', '.menu', '.tabs', '.skip']

describeUnless(await missingBrowser(), 'in a browser', () => {
  const open = useBrowser()

  async function expectRightPrint(page: Page, name: string): Promise<void> {
    await page.emulateMedia({ media: 'print', colorScheme: 'light' })
    const visible = page.locator(ON_SCREEN_ONLY.join()).filter({ visible: true })
    expect(await visible.evaluateAll((elements) => elements.map(({ className }) => className))).toEqual([])
    await expectPicture(page, name)
  }

  test('prints the details of a company', async () => {
    const { page, company, base } = await signInTo(gatehouse, await open({ viewport: SIZES.desk }))
    await api.patch(`/kyb/${company.id}`, completeSections())
    await page.goto(`${base}/check`)
    await expectRightPrint(page, 'print-check')
  })

  test('prints a case', async () => {
    const id = await api.createKyb()
    const page = await (await open({ viewport: SIZES.desk })).newPage()
    await page.goto(`${baseUrl}/console`)
    await enterCredentials(page, credentials.operator_email, credentials.operator_password)
    await page.waitForURL(`${baseUrl}/console`)
    await page.goto(`${baseUrl}/console/kyb/${id}`)
    await expectRightPrint(page, 'print-case')
  })
})
