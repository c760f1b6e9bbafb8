/** Tests the look of all components for applicants and operators, in each size and colour scheme. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { missingBrowser } from '../../dev/browser.ts'
import { galleryApp } from '../../dev/gallery/app.tsx'
import { describeUnless } from '../support/available.ts'
import { findAccessibilityFaults, SIZES, useBrowser } from '../support/browser-page.ts'
import { expectPicture } from '../support/picture.ts'

describeUnless(await missingBrowser(), 'in a browser', () => {
  const open = useBrowser()

  test('shows each component as in its reference picture', async () => {
    const server = galleryApp().listen(0)
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const context = await open()
    // Blocks the script that removes the toast after some time.
    await context.route(/\/toast\.js$/, (route) => route.abort())
    const page = await context.newPage()
    for (const look of ['hosted', 'console']) {
      await page.goto(`http://localhost:${port}/${look}`)
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
