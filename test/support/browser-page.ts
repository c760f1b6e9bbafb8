/** Opens hosted pages in a browser, and checks their accessibility and size. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterEach, expect } from 'vitest'
import { sharedBrowser } from '../../dev/browser.ts'
import { beginCompany } from './hosted-page.ts'
import { type Instance, unique } from './instance.ts'
import { pdfOf } from './pdf.ts'
import { expectPicture } from './picture.ts'
import { PICTURED, PICTURED_IN_DARK } from './pictured.ts'

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
/** The folder for screenshots, if SCREENSHOTS is set. */
const FOLDER = process.env.SCREENSHOTS

export const SIZES = { phone: { width: 390, height: 844 }, desk: { width: 1366, height: 768 } } as const

export async function picture(page: Page, name: string): Promise<void> {
  if (FOLDER) await page.screenshot({ path: `${FOLDER}/${name}.png`, fullPage: true })
}

export const pdf = (name: string, buffer = pdfOf('Document')) => ({
  name,
  mimeType: 'application/pdf',
  buffer,
})

/** Opens contexts that close with each test. The test fails if a page violates its Content-Security-Policy. */
export function useBrowser() {
  const contexts: BrowserContext[] = []
  const violations: string[] = []
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()))
    expect(violations.splice(0)).toEqual([])
  })
  return async function open(options: Parameters<Browser['newContext']>[0] = {}) {
    const browser = await sharedBrowser()
    const context = await browser.newContext({
      viewport: SIZES.phone,
      locale: 'en-GB',
      // Axe must not measure colours during a transition.
      reducedMotion: 'reduce',
      ...options,
    })
    // A busy machine may take several times longer than an idle one.
    context.setDefaultTimeout(120_000)
    contexts.push(context)
    await context.exposeFunction('violated', (what: string) => violations.push(what))
    await context.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
        (globalThis as unknown as { violated: (what: string) => void }).violated(
          `${violatedDirective} ${blockedURI}`,
        ),
      )
    })
    return context
  }
}

/** Returns a function that limits uploads to these bytes per second. A value of -1 removes the limit. */
export async function limitUploads(page: Page) {
  const line = await page.context().newCDPSession(page)
  return (uploadThroughput: number) =>
    line.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 20,
      downloadThroughput: -1,
      uploadThroughput,
    })
}

/** Returns the row of a document list with this title. */
export const documentRow = (page: Page, title: string) =>
  page.locator('[data-documents]', { has: page.getByText(title, { exact: true }) })

type Begun = Pick<Instance, 'api' | 'baseUrl'>

/** Creates a company's form whose link has not been opened. */
export async function beginForm(gatehouse: Begun, baseUrl = gatehouse.baseUrl) {
  const externalId = unique()
  const { link, password } = await beginCompany(gatehouse, externalId)
  const { data } = (await gatehouse.api.get(`/kyb?external_id=${externalId}`)).body
  return { url: baseUrl + link, password, id: data[0].id as string }
}

/** Adds an address to the vault, so that pages show it with a button. */
export async function setSupportEmail({ operator, vaultId }: Instance): Promise<void> {
  const change = { support_email: 'help@vault.example' }
  expect((await (await operator()).patch(`/vaults/${vaultId}`, change)).status).toBe(200)
}

type Company = Awaited<ReturnType<typeof beginForm>>

export async function followLink(context: BrowserContext, company: Company) {
  const page = await context.newPage()
  await page.goto(company.url)
  await page.getByLabel('Password').fill(company.password)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.waitForURL(/\/verify\/kyb\//)
  return { page, company, base: page.url() }
}

export const signInTo = async (gatehouse: Begun, context: BrowserContext) =>
  followLink(context, await beginForm(gatehouse))

/**
 * Returns the problems that axe finds by the rules of WCAG 2.2 AA. The script is evaluated, because the
 * policy of the page refuses it.
 */
export async function findAccessibilityFaults(page: Page): Promise<string[]> {
  if (await page.evaluate(() => !('axe' in globalThis))) await page.evaluate(readFileSync(AXE, 'utf8'))
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run: (options: object) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
    }
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    const result = await axe.run({ runOnly: { type: 'tag', values: tags }, resultTypes: ['violations'] })
    return result.violations
  })
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

/** True for `npm run test:slow`, which checks each page in every size and colour scheme. */
const IS_FULL = process.env.LOOKS === 'all'

/** The part of a page that a phone shows with text at 200%. */
const ENLARGED = { width: 180, height: 400 }

const SEEN_IN = IS_FULL
  ? { enlarged: ENLARGED, small: { width: 320, height: 640 }, ...SIZES }
  : { enlarged: ENLARGED, desk: SIZES.desk }

const SCHEMES = IS_FULL ? (['light', 'dark'] as const) : (['light'] as const)

/** Axe checks only these looks, because colours do not depend on the size, nor the structure on the scheme. */
const LOOKED_THROUGH = { light: 'desk', dark: 'phone' }

/**
 * Checks that the page fits the screen, that axe finds no problem and that a pictured state looks as in its
 * pictures. Translations need axe only in the full run.
 */
export async function expectRightLooks(page: Page, state: string, isTranslation = false): Promise<void> {
  // After a click, texts may be visible before the style sheets have arrived.
  await page.waitForLoadState()
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme })
    for (const [size, viewport] of Object.entries(SEEN_IN)) {
      await page.setViewportSize(viewport)
      await picture(page, `${state}-${size}-${colorScheme}`)
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      expect(width, `${state} ${size}`).toBeLessThanOrEqual(viewport.width)
      if (size === LOOKED_THROUGH[colorScheme] && (IS_FULL || !isTranslation)) {
        // On a screen of the page's height, no bar covers a part of a control, which axe would find too small.
        const height = await page.evaluate(() => document.documentElement.scrollHeight)
        await page.setViewportSize({ ...viewport, height })
        expect(await findAccessibilityFaults(page), `${state} ${size} ${colorScheme}`).toEqual([])
      }
    }
  }
  const differing = PICTURED[state]
  if (differing === undefined) return
  for (const colorScheme of PICTURED_IN_DARK.has(state)
    ? (['dark', 'light'] as const)
    : (['light'] as const)) {
    await page.emulateMedia({ colorScheme })
    for (const [size, viewport] of Object.entries(SIZES)) {
      await page.setViewportSize(viewport)
      await expectPicture(page, `${state}-${size}${colorScheme === 'dark' ? '-dark' : ''}`, differing)
    }
  }
}
