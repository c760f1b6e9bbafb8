/** Tests the look of all components for applicants and operators, in each size and colour scheme. */
import { expect, test } from 'vitest'
import { missingBrowser } from '../../dev/browser.ts'
import { describeUnless } from '../support/available.ts'
import { findAccessibilityFaults, SIZES, useBrowser } from '../support/browser-page.ts'
import { sharedInstance } from '../support/instance.ts'
import { enterCredentials } from '../support/operator-browser.ts'
import { expectPicture } from '../support/picture.ts'

const { baseUrl, credentials } = await sharedInstance()

describeUnless(await missingBrowser(), 'in a browser', () => {
  const open = useBrowser()

  test('shows each component as in its reference picture', async () => {
    const context = await open()
    // Blocks the script that removes the toast after some time.
    await context.route(/\/toast\.js$/, (route) => route.abort())
    const page = await context.newPage()
    await page.goto(`${baseUrl}/console`)
    await enterCredentials(page, credentials.operator_email, credentials.operator_password)
    await page.waitForURL(`${baseUrl}/console`)
    for (const look of ['hosted', 'console']) {
      await page.goto(`${baseUrl}/console/gallery?look=${look}`)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        for (const [size, viewport] of Object.entries(SIZES)) {
          await page.setViewportSize(viewport)
          await expectPicture(page, `gallery-${look}-${size}-${colorScheme}`)
        }
        expect(await findAccessibilityFaults(page), `${look} ${colorScheme}`).toEqual([])
      }
    }
  })
})
