/** Tests single sign-on in a browser, with an OpenID provider in this process. */
import { afterAll, expect, test } from 'vitest'
import { missingBrowser } from '../../dev/browser.ts'
import { BY_COMMAND_LINE } from '../../src/domain/access/audit.ts'
import { grantsOfNames } from '../../src/domain/access/grant.ts'
import { changeGroup } from '../../src/use-cases/access/operator-groups.ts'
import { describeUnless } from '../support/available.ts'
import { useBrowser } from '../support/browser-page.ts'
import { press } from '../support/operator-browser.ts'
import { startWithProvider } from '../support/sso.ts'

const { gatehouse, provider, addPerson, stop } = await startWithProvider()
afterAll(stop)
const { baseUrl, db } = gatehouse
await changeGroup(
  { db },
  BY_COMMAND_LINE,
  'administrators',
  grantsOfNames(['operator_review', 'operator_admin']),
)

describeUnless(await missingBrowser(), 'in a browser', () => {
  const open = useBrowser()

  test.each([true, false])('signs in and out at the provider with scripts: %s', async (javaScriptEnabled) => {
    const email = `${addPerson(['administrators'])}@example.com`
    const page = await (await open({ javaScriptEnabled })).newPage()
    await page.goto(`${baseUrl}/console/settings/single_sign_on`)
    await press(page, 'Sign in with single sign-on')
    await press(page, email)
    await page.waitForURL(`${baseUrl}/console/settings/single_sign_on`)
    await page.getByText(provider.issuer).waitFor()
    await page.getByText('Available', { exact: true }).waitFor()
    expect(await page.getByLabel('Redirect URI', { exact: true }).inputValue()).toBe(
      `${baseUrl}/console/sso/callback`,
    )
    await page.locator('summary.rail-tool').click()
    await press(page, 'Sign out')
    await press(page, 'Sign out')
    await page.waitForURL(`${baseUrl}/console/sign_in`)
    await page.goto(`${baseUrl}/console`)
    await page.waitForURL(/\/console\/sign_in\?next=/)
  })

  test('explains that a person without a known group has no access', async () => {
    const email = `${addPerson(['chess'])}@example.com`
    const page = await (await open()).newPage()
    await page.goto(`${baseUrl}/console/sign_in`)
    await press(page, 'Sign in with single sign-on')
    await press(page, email)
    await page.getByRole('heading', { name: 'No access to Gatehouse' }).waitFor()
    await page.getByRole('link', { name: 'Back to sign-in' }).click()
    await page.waitForURL(`${baseUrl}/console/sign_in`)
  })
})
