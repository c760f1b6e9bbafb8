/** Tests that the pages before a session are accessible and fit the screen: the sign-in, the code and an expired link. */
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { missingBrowser } from '../../dev/browser.ts'
import { verificationLinks } from '../../drizzle/schema.ts'
import { describeUnless } from '../support/available.ts'
import { beginForm, expectRightLooks, setSupportEmail, useBrowser } from '../support/browser-page.ts'
import { type OwnInstance, startInstance } from '../support/instance.ts'

let gatehouse: OwnInstance
beforeAll(async () => {
  // The pages offer codes if emails are on. This test sends none.
  const env = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'no-reply@onboarding.example.com' }
  gatehouse = await startInstance({ env })
  await setSupportEmail(gatehouse)
  const change = { emails: true, languages: ['en', 'de', 'pl'] }
  const changed = await (await gatehouse.operator()).patch(`/vaults/${gatehouse.vaultId}`, change)
  expect(changed.status).toBe(200)
})
afterAll(() => gatehouse.stop())

describeUnless(await missingBrowser(), 'in a browser', () => {
  const open = useBrowser()

  test.each([
    ['en', 'en-GB'],
    ['de', 'de-DE'],
    ['pl', 'pl-PL'],
  ])('a link is accessible and fits the screen in %s', async (language, locale) => {
    const page = await (await open({ locale })).newPage()
    const { url } = await beginForm(gatehouse)
    const look = async (state: string, address: string) => {
      await page.goto(address)
      await expectRightLooks(page, `entry-${state}-${language}`, language !== 'en')
    }
    await look('password', url)
    await look('code', `${url}?by=code`)
    await gatehouse.db.orm.update(verificationLinks).set({ expiresAt: sql`clock_timestamp()` })
    await look('expired', url)
  })
})
