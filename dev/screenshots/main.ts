/** Command: `npm run screenshots`. Writes the screenshots of README.md to `docs/images/`. */
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { BrowserContext, Page } from 'playwright-core'
import sharp from 'sharp'
import { drawInInter, sharedBrowser } from '../browser.ts'
import { DOCUMENTS, type Document } from '../demo/company.ts'
import { createFilledKyb, createFormUrl, uploadDocument } from '../demo/filled-application.ts'
import { startTemporaryInstance } from '../temporary-instance.ts'

const FOLDER = fileURLToPath(new URL('../../docs/images/', import.meta.url))
const SCHEMES = ['light', 'dark'] as const
const DESK = { width: 1366, height: 900 }
const PHONE = { width: 390, height: 844 }

const say = (line: string) => console.log(line)

say('Starting an instance ...')
const { instance, stop } = await startTemporaryInstance()
try {
  const origin = new URL(instance.base_url).origin
  const { id, password } = await createFilledKyb(instance, 'lindenhof-1')
  const [first, ...others] = DOCUMENTS as readonly [Document, ...Document[]]
  const shownFile = await uploadDocument(instance, id, first)
  mkdirSync(FOLDER, { recursive: true })

  const applicant = await openContext(PHONE)
  const form = await applicant.newPage()
  await form.goto(await createFormUrl(instance, id))
  await form.locator('[name=password]').fill(password)
  await form.locator('button[type=submit]').click()
  await form.waitForURL(/\/verify\/kyb\//)
  await save(form, 'applicant')

  // Puts the application in the operators' queue.
  for (const document of others) await uploadDocument(instance, id, document)
  const operator = await openContext(DESK)
  const page = await operator.newPage()
  await page.goto(instance.console_url)
  await page.locator('[name=email]').fill(instance.operator_email)
  await page.locator('[name=password]').fill(instance.operator_password)
  await page.locator('button[type=submit]').click()
  await page.waitForLoadState('networkidle')
  await page.goto(`${origin}/console/kyb/${id}?document=${shownFile}`)
  await page.locator('canvas').first().waitFor()
  await save(page, 'console')
  await (await sharedBrowser()).close()
} finally {
  await stop()
}
process.exit()

async function openContext(viewport: { width: number; height: number }): Promise<BrowserContext> {
  const browser = await sharedBrowser()
  return browser.newContext({ viewport, locale: 'en-GB', deviceScaleFactor: 1.5 })
}

/** Writes one image per colour scheme, with a palette to keep the files small. */
async function save(page: Page, name: string): Promise<void> {
  await drawInInter(page)
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // Removes the focus ring.
    await page.evaluate('document.activeElement.blur()')
    await page.waitForLoadState('networkidle')
    const file = `${FOLDER}${name}-${colorScheme}.png`
    const { size } = await sharp(await page.screenshot())
      .png({ palette: true, colours: 128, effort: 10 })
      .toFile(file)
    say(`${file} (${Math.round(size / 1024)} kB)`)
  }
}
