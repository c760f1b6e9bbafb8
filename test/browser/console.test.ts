/** Tests the console in a real browser: a request for changes by keyboard, concurrent decisions and appearance. */
import { afterAll, expect, test } from 'vitest'
import { missingBrowser } from '../../dev/browser.ts'
import { describeUnless } from '../support/available.ts'
import { expectRightLooks, SIZES, signInTo, useBrowser } from '../support/browser-page.ts'
import { untilWaitingOn } from '../support/identification.ts'
import { startInstance } from '../support/instance.ts'
import { completeSections } from '../support/kyb.ts'
import { decide, enterConsole, openDecision, submitDecision } from '../support/operator-browser.ts'
import { beginPerson, fillInPerson, openPerson, submitPerson } from '../support/person-page.ts'

const gatehouse = await startInstance()
await gatehouse.startWorker()
afterAll(() => gatehouse.stop())

const { api, baseUrl } = gatehouse

describeUnless(await missingBrowser(), 'in a browser', () => {
  const open = useBrowser()

  test('requests changes by keyboard, and shows them to the applicant next to the field', async () => {
    const applicant = await open()
    const { page: form, company, base } = await signInTo(gatehouse, applicant)
    await api.patch(`/kyb/${company.id}`, { nature_of_business: { legal_company_name: 'Engines Ltd' } })
    const page = await (await open({ viewport: { width: 1366, height: 768 } })).newPage()
    await enterConsole(page, gatehouse, `/console/kyb/${company.id}`)
    await page.getByRole('heading', { name: 'Engines Ltd', level: 1 }).waitFor()
    const label = 'Legal name of the company'
    await page.getByRole('link', { name: 'Company', exact: true }).click()
    await page.getByRole('link', { name: `Flag: ${label}` }).focus()
    await page.keyboard.press('f')
    await page.keyboard.type('The register says another name.')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Mismatch: The register says another name.').first().waitFor()
    await page.getByRole('button', { name: 'Request changes', exact: true }).focus()
    await page.keyboard.press('Enter')
    const drawer = page.getByRole('dialog', { name: 'Decide on Engines Ltd' })
    await drawer.getByText('Mismatch: The register says another name.').waitFor()
    await expectRightLooks(page, 'console-drawer')
    await drawer.getByRole('radio', { name: 'Information mismatch' }).press('Space')
    await drawer.getByLabel('Message').focus()
    await page.keyboard.type('Please look once more.')
    await drawer.getByRole('button', { name: 'Request 1 correction' }).press('Enter')
    await page.waitForURL(`${baseUrl}/console`)
    await form.goto(`${base}/nature_of_business`)
    const correction =
      'Correct this item. It does not match the other details. “The register says another name.”'
    await form.getByText(correction).first().waitFor()
  })

  test('sends a form again by reloading after the session has expired', async () => {
    const id = await api.createKyb()
    const context = await open()
    const page = await context.newPage()
    await enterConsole(page, gatehouse, `/console/kyb/${id}`)
    await page.getByRole('link', { name: 'History' }).click()
    await page.getByRole('textbox', { name: 'Internal note' }).fill('Typed before.')
    await context.clearCookies()
    await page.getByRole('button', { name: 'Add note' }).click()
    await page.getByRole('heading', { name: 'Entries not saved' }).waitFor()
    await enterConsole(await context.newPage(), gatehouse)
    await page.reload()
    await page.waitForURL(`${baseUrl}/console/kyb/${id}?tab=history#timeline-title`)
    await page.getByText('Typed before.').waitFor()
  })

  test('shows that a form is being sent, and then a notice with the name of the case', async () => {
    const name = { nature_of_business: { legal_company_name: 'Named Engines Ltd' } }
    const id = await api.createKyb(undefined, name)
    const page = await (await open()).newPage()
    await enterConsole(page, gatehouse, `/console/kyb/${id}`)
    await page.getByRole('link', { name: 'History' }).click()
    await page.evaluate(() =>
      window.addEventListener('submit', ({ submitter }) =>
        sessionStorage.setItem('busy', submitter?.getAttribute('aria-busy') ?? ''),
      ),
    )
    await page.getByRole('textbox', { name: 'Internal note' }).fill('Read twice.')
    await page.getByRole('button', { name: 'Add note' }).click()
    await page.getByRole('status').getByText('Note added: Named Engines Ltd').waitFor()
    expect(await page.evaluate(() => sessionStorage.getItem('busy'))).toBe('true')
  })

  test('shows the second of two operators that the case has changed, and keeps the typed text', async () => {
    const id = await api.createKyb()
    const [first, second] = await Promise.all([1, 2].map(async () => (await open()).newPage()))
    if (!first || !second) throw new Error('two pages were to be opened')
    for (const page of [first, second]) await enterConsole(page, gatehouse, `/console/kyb/${id}`)
    await decide(first, 'Request changes', 'other', 'The first.')
    await first.waitForURL(`${baseUrl}/console`)
    await decide(second, 'Request changes', 'other', 'The second.')
    await second.getByRole('alert').getByText('The case has changed').waitFor()
    expect(await second.getByLabel('Message').inputValue()).toBe('The second.')
    await second.getByText('The first.').first().waitFor()
    await expectRightLooks(second, 'console-decision-refused')
    await submitDecision(second)
    await second.waitForURL(`${baseUrl}/console`)
  })

  test('has accessible pages that fit the screen', async () => {
    const person = await openPerson(baseUrl, await beginPerson(gatehouse))
    await fillInPerson(person)
    await submitPerson(person)
    await untilWaitingOn(gatehouse, person.id, 'operator')
    const kybId = await api.createKyb(undefined, completeSections())
    const page = await (await open()).newPage()
    await page.goto(`${baseUrl}/console`)
    await expectRightLooks(page, 'console-sign-in')
    await enterConsole(page, gatehouse)
    await expectRightLooks(page, 'console-queue')
    for (const [name, path] of [
      ['cases', '/console/cases'],
      ['cases-empty', '/console/cases?status=closed'],
      ['missing', `/console/kyb/${person.id}`],
      ['search', '/console/search'],
      ['kyb', `/console/kyb/${kybId}`],
      ['company', `/console/kyb/${kybId}?tab=company`],
      ['documents', `/console/kyb/${kybId}?tab=documents`],
      ['history', `/console/kyb/${kybId}?tab=history`],
      ['person', `/console/identifications/${person.id}`],
    ] as const) {
      await page.goto(baseUrl + path)
      await expectRightLooks(page, `console-${name}`)
    }
    // Between a desk and a phone, the photos keep the space next to the summary.
    await page.setViewportSize({ width: 1024, height: 768 })
    expect((await page.locator('.case-compare').boundingBox())?.width).toBeGreaterThan(500)
    await page.setViewportSize(SIZES.desk)
    const storageState = await page.context().storageState()
    const german = await (await open({ locale: 'de', storageState })).newPage()
    for (const [name, path] of [
      ['queue', '/console'],
      ['kyb', `/console/kyb/${kybId}`],
      ['settings', `/console/settings/vaults/${gatehouse.vaultId}/pages`],
    ] as const) {
      await german.goto(baseUrl + path)
      await expectRightLooks(german, `console-${name}-de`, true)
    }
    // An approval requires the answer that the photos show the same person.
    const question = page.getByRole('region', { name: 'Photos' })
    const approve = page.locator('#case-actions [data-decide="approved"]')
    await page.locator('#lock-note').getByRole('link', { name: 'Photos not compared' }).click()
    await expect.poll(() => approve.getAttribute('aria-disabled')).toBe('true')
    // The link focuses the answers. The other rows can be accepted together, which answers no question.
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.closest('.same-person') !== null))
      .toBe(true)
    const counts = ['#typed-count', '#identity-count']
    const expectCounts = (...texts: string[]) =>
      expect.poll(() => Promise.all(counts.map((id) => page.locator(id).textContent()))).toEqual(texts)
    await expectCounts('0 of 10 checked', '0 of 5 checked')
    await page.getByRole('button', { name: 'Accept all 5' }).click()
    await expectCounts('0 of 10 checked', '5 of 5 checked')
    await page.getByRole('button', { name: 'Accept all 10' }).click()
    await expectCounts('10 of 10 checked', '5 of 5 checked')
    await page.locator('#lock-note', { hasText: 'Photos not compared' }).waitFor()
    await question.getByRole('link', { name: /^No/ }).click()
    await question.getByRole('button', { name: 'Save flag' }).click()
    await page.locator('#lock-note', { hasText: 'Photo of the person flagged' }).waitFor()
    expect(await approve.getAttribute('aria-disabled')).toBe('true')
    await question.getByRole('button', { name: /^Yes/ }).click()
    await expect.poll(() => approve.getAttribute('aria-disabled')).toBeNull()
    await openDecision(page, 'Approve')
    expect(await page.getByRole('radio', { name: 'Approve' }).isChecked()).toBe(true)
    await page.goto(`${baseUrl}/console/kyb/${kybId}`)
    const chevron = page.locator('details[open] > .need > .row-end')
    expect(await chevron.evaluate((icon) => getComputedStyle(icon).rotate)).toBe('180deg')
    await openDecision(page, 'Request changes')
    await page.getByLabel('Message').waitFor()
    await expectRightLooks(page, 'console-decision')
    await page.goto(`${baseUrl}/console/search`)
    await page.getByLabel('Search term').fill('Ada Lovelace')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor()
    await expectRightLooks(page, 'console-found')
    await page.getByLabel('Search term').fill('Charles Babbage')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByText('No case matches your search').waitFor()
    await expectRightLooks(page, 'console-not-found')
    await page.locator('summary', { hasText: 'Your account' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })
})
