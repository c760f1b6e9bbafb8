/** Actions of operators in the console in a browser. */
import type { Page } from 'playwright-core'
import type { Instance } from './instance.ts'

export const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click()

export async function enterCredentials(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await press(page, 'Sign in')
}

/** Opens a page of the console, and signs in as the operator of the instance. */
export async function enterConsole(
  page: Page,
  { baseUrl, credentials }: Pick<Instance, 'baseUrl' | 'credentials'>,
  path = '/console',
): Promise<void> {
  await page.goto(baseUrl + path)
  await enterCredentials(page, credentials.operator_email, credentials.operator_password)
  await page.waitForURL(baseUrl + path)
}

/** Enters a finding on a field, or on a document by its name. */
export async function enterFinding(page: Page, label: string, code: string, comment: string): Promise<void> {
  const document = page.locator(`[data-film] [data-name="${label}"]`)
  const isDocument = (await document.count()) > 0
  const place = isDocument ? '[data-proof]:not([hidden])' : '.case-panel'
  const row = page.locator(`${place} [data-label="${label}"]`)
  if (isDocument) await document.click()
  else {
    const tab = await row.evaluate((element) => {
      element.closest('details')?.setAttribute('open', '')
      return element.closest('.case-panel')?.getAttribute('data-tabs')
    })
    await page.locator(`.tabs a[href$="tab=${tab}"]`).click()
  }
  await row.locator('[data-flag]').last().click()
  await row.getByLabel(`Finding for ${label}`).selectOption(code)
  await row.getByLabel(`Comment on ${label}`).fill(comment)
  await row.getByRole('button', { name: 'Save flag' }).click()
  await row.getByText(comment).waitFor()
}

/** Opens the drawer of a case with an outcome. */
export const openDecision = (page: Page, outcome: string): Promise<void> =>
  page.locator('[data-decide]', { hasText: outcome }).press('Enter')

/** Submits the decision of the drawer or of its own page. */
export const submitDecision = (page: Page): Promise<void> =>
  page.locator('#decision .drawer-foot button').first().click()

export async function decide(page: Page, outcome: string, reason: string, comment: string): Promise<void> {
  await openDecision(page, outcome)
  await page.locator(`[name="reason_code"][value="${reason}"]`).check()
  await page.getByLabel('Message').fill(comment)
  await submitDecision(page)
}
