/** Tests that an operator can dismiss a screening hit in the console with a comment, and then approve the case. */
import { expect, test } from 'vitest'
import { missingBrowser } from '../../dev/browser.ts'
import { describeUnless } from '../support/available.ts'
import { expectRightLooks, useBrowser } from '../support/browser-page.ts'
import { createWaiting, untilStatus } from '../support/identification.ts'
import { sharedInstance } from '../support/instance.ts'
import { enterConsole, openDecision, submitDecision } from '../support/operator-browser.ts'

// The instance uses the invented list by default.
const gatehouse = await sharedInstance({ worker: true })

const { api, baseUrl, credentials } = gatehouse

describeUnless(await missingBrowser(), 'in a browser', () => {
  const open = useBrowser()

  test('a hit blocks an approval until it is dismissed', async () => {
    const given = { name: 'Zoltán', surname: 'Krumbiegel', birthdate: '1961-04-03', country: 'AT' }
    const id = await createWaiting(gatehouse, given)
    const page = await (await open({ viewport: { width: 1366, height: 768 } })).newPage()
    await enterConsole(page, gatehouse)
    await page.getByRole('link', { name: 'Screening hits' }).click()
    await expectRightLooks(page, 'console-queue-hits')
    await page.getByRole('row', { name: 'Krumbiegel' }).getByText('1 to decide').waitFor()
    await page.getByRole('link', { name: 'Zoltán Krumbiegel' }).click()
    const summary = page.getByRole('region', { name: 'Summary', exact: true })
    await summary.getByRole('link', { name: 'Possible match: Zoltán Krumbiegel' }).click()
    await page.getByRole('heading', { name: '1 screening hit to review' }).waitFor()
    await page.getByText('Invented sanctions · ID invented-1').waitFor()
    await page.getByText('Same date of birth').getByText('3 April 1961').waitFor()
    await page.waitForLoadState()
    const parts = page.locator('.hit-parts li')
    const starts = await parts.evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().x))
    expect([starts.length > 1, new Set(starts).size]).toEqual([true, 1])
    await expectRightLooks(page, 'console-hit')

    await page.setViewportSize({ width: 1366, height: 768 })
    await page.locator('#lock-note', { hasText: 'Screening is awaiting review' }).waitFor()
    await page.getByRole('textbox', { name: 'Internal note (optional)' }).fill('Born elsewhere.')
    await page.getByRole('button', { name: 'No, false positive' }).click()
    await page.getByText(`Decided by ${credentials.operator_email}`).waitFor()
    await page.getByRole('article').getByText('Born elsewhere.').waitFor()
    await expectRightLooks(page, 'console-hit-dismissed')
    await page.setViewportSize({ width: 1366, height: 768 })
    await openDecision(page, 'Approve')
    await submitDecision(page)
    await page.waitForURL(`${baseUrl}/console`)
    await untilStatus(api, id, 'approved')
  })
})
