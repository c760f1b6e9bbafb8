/** A person's hosted verification in a browser. */
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { PERSON } from './person-page.ts'
import { photograph } from './photo.ts'

/** Opens a person's link. */
export async function openPersonLink(context: BrowserContext, url: string) {
  const page = await context.newPage()
  await page.goto(url)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.waitForURL(/\/verify\/person\//)
  const base = page.url().replace(/\/consent$/, '')
  return { page, base, id: base.split('/').at(-1) ?? '' }
}

export const heading = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { name, level: 1 }).waitFor()

export async function agree(page: Page, base: string): Promise<void> {
  await page.goto(`${base}/consent`)
  await consent(page)
}

async function consent(page: Page): Promise<void> {
  await page.getByLabel(/^I agree/).check()
  await page.getByRole('button', { name: 'Continue' }).click()
  await heading(page, 'Personal details')
  // Otherwise, a test may stop the server before the scripts have arrived.
  await page.waitForLoadState()
}

export const field = (page: Page, name: string): Locator => page.locator(`[name="${name}"]`)

export async function enter(page: Page, values: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    const control = field(page, name)
    if (await control.evaluate(({ tagName }) => tagName === 'SELECT')) await control.selectOption(value)
    else await control.fill(value)
  }
}

export const photoOf = async (options: Parameters<typeof photograph>[0] = {}, name = 'picture.jpg') => ({
  name,
  mimeType: 'image/jpeg',
  buffer: await photograph(options),
})

/** Completes the pages from the consent to the outcome. `show` receives the page of each photo. */
export async function verify(
  page: Page,
  details: object,
  show: (page: Page) => Promise<void>,
): Promise<void> {
  await consent(page)
  await enter(page, { ...PERSON.details, ...details })
  await page.getByRole('button', { name: 'Save and continue' }).click()
  await heading(page, 'Identity document')
  await enter(page, PERSON.document)
  await page.getByRole('button', { name: 'Save and continue' }).click()
  for (const title of ['Front of the document', 'Back of the document', 'Photo of your face']) {
    await heading(page, title)
    await show(page)
  }
  await heading(page, 'Check your details')
  await page.getByRole('button', { name: 'Submit for verification' }).click()
}

export async function takePhoto(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Use camera' }).click()
  await page.getByRole('button', { name: 'Take photo' }).click()
  await page.getByRole('button', { name: 'Use this photo' }).click()
}
