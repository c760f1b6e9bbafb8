/** Command: `npm run screenshots`. Writes the screenshots of README.md to `docs/images/`. */
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { BrowserContext, Page } from 'playwright-core'
import sharp from 'sharp'
import { sharedBrowser } from '../browser.ts'
import { DOCUMENTS, type Document, SECTIONS } from '../demo/company.ts'
import type { Instance } from '../instance.ts'
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
  const { id, password } = await createApplication(instance)
  const [first, ...others] = DOCUMENTS as readonly [Document, ...Document[]]
  const shownFile = await upload(instance, id, first)
  mkdirSync(FOLDER, { recursive: true })

  const applicant = await openContext(PHONE)
  const form = await applicant.newPage()
  await form.goto(origin + (await createFormPath(instance, id)))
  await form.locator('[name=password]').fill(password)
  await form.locator('button[type=submit]').click()
  await form.waitForURL(/\/verify\/kyb\//)
  await save(form, 'applicant')

  // Puts the application in the operators' queue.
  for (const document of others) await upload(instance, id, document)
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
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme })
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

/** Creates the application of the company in `npm run demo`, without documents. */
async function createApplication(of: Instance): Promise<{ id: string; password: string }> {
  const { data, generated_password: password } = await call<{
    data: { id: string }
    generated_password: string
  }>(of, 'POST', '/kyb', { external_id: 'lindenhof-1' })
  for (const section of SECTIONS) await call(of, 'PATCH', `/kyb/${data.id}`, section)
  return { id: data.id, password }
}

async function createFormPath(of: Instance, id: string): Promise<string> {
  const { data } = await call<{ data: { url: string } }>(of, 'POST', `/kyb/${id}/form_link`, {})
  return new URL(data.url).pathname
}

/** Returns the ID of the file. */
async function upload(of: Instance, id: string, document: Document): Promise<string> {
  const { attribute, name, type, bytes, email } = document
  const form = new FormData()
  form.set('attribute', attribute)
  if (email) form.set('email', email)
  form.set('file', new File([new Uint8Array(bytes)], name, { type }))
  return (await call<{ id: string }>(of, 'POST', `/kyb/upload_file/${id}`, form)).id
}

async function call<T>(of: Instance, method: string, path: string, body: object): Promise<T> {
  const isForm = body instanceof FormData
  const response = await fetch(of.base_url + path, {
    method,
    headers: { Authorization: of.api_key, ...(!isForm && { 'Content-Type': 'application/json' }) },
    body: isForm ? body : JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}`)
  return (await response.json()) as T
}
