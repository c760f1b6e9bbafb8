/** Actions of operators in the console in a browser. */
import type { Page } from 'playwright-core'

export const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click()

export async function enterCredentials(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await press(page, 'Sign in')
}

/** Enters a finding on a field, or on a document by its name. */
export async function enterFinding(page: Page, label: string, code: string, comment: string): Promise<void> {
  const finding = page.locator('details', { has: page.getByLabel(`Finding for ${label}`) })
  const tab = await finding.evaluate((place) => place.closest('[data-tabs]')?.getAttribute('data-tabs'))
  await page.locator(`.tabs a[href$="tab=${tab}"]`).click()
  await finding.locator('summary').click()
  await page.getByLabel(`Finding for ${label}`).selectOption(code)
  await page.getByLabel(`Comment on ${label}`).fill(comment)
}

export async function decide(page: Page, outcome: string, reason: string, comment: string): Promise<void> {
  await page.getByRole('link', { name: outcome, exact: true }).press('Enter')
  await page.getByRole('region', { name: 'Decision', exact: true }).getByLabel('Reason').selectOption(reason)
  await page.getByLabel('Comment for the client').fill(comment)
  await press(page, 'Submit decision')
}
