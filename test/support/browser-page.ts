/** A hosted page in a browser: opened, looked at, and judged. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterEach, expect } from 'vitest'
import { sharedBrowser } from '../../dev/browser.ts'
import { beginCompany } from './hosted-page.ts'
import { type Instance, unique } from './instance.ts'

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
/** Left behind for whoever wants to look: SCREENSHOTS names a folder. */
const FOLDER = process.env.SCREENSHOTS

export const SIZES = { phone: { width: 390, height: 844 }, desk: { width: 1366, height: 768 } } as const

export async function picture(page: Page, name: string): Promise<void> {
  if (FOLDER) await page.screenshot({ path: `${FOLDER}/${name}.png`, fullPage: true })
}

export const pdf = (name: string, buffer = Buffer.from('%PDF-1.4\n%%EOF\n')) => ({
  name,
  mimeType: 'application/pdf',
  buffer,
})

/** Opens contexts that end with each test, which fails by what the pages' policy refuses. */
export function useBrowser() {
  const contexts: BrowserContext[] = []
  const violations: string[] = []
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()))
    expect(violations.splice(0)).toEqual([])
  })
  return async function open(options: Parameters<Browser['newContext']>[0] = {}) {
    const browser = await sharedBrowser()
    const context = await browser.newContext({ viewport: SIZES.phone, locale: 'en-GB', ...options })
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

type Begun = Pick<Instance, 'api' | 'baseUrl'>

/** A company's form, before its link was opened. */
export async function beginForm(gatehouse: Begun, baseUrl = gatehouse.baseUrl) {
  const { link, password } = await beginCompany(gatehouse, unique())
  const { data } = (await gatehouse.api.get('/kyb?per_page=1')).body
  return { url: baseUrl + link, password, id: data[0].id as string }
}

type Company = Awaited<ReturnType<typeof beginForm>>

export async function openLink(context: BrowserContext, company: Company) {
  const page = await context.newPage()
  await page.goto(company.url)
  await page.getByLabel('Password').fill(company.password)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.waitForURL(/\/verify\/kyb\//)
  return { page, company, base: page.url() }
}

export const signInTo = async (gatehouse: Begun, context: BrowserContext) =>
  openLink(context, await beginForm(gatehouse))

/** What axe finds, by the rules of WCAG 2.2 AA. The policy of the page keeps its script out, so it is evaluated. */
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

/** `npm run test:slow` looks at each page in every size and colour scheme. */
const IS_FULL = process.env.LOOKS === 'all'

/** As much as a phone shows of a page whose text is enlarged to twice its size. */
const ENLARGED = { width: 180, height: 400 }

const SEEN_IN = IS_FULL
  ? { enlarged: ENLARGED, small: { width: 320, height: 640 }, ...SIZES }
  : { enlarged: ENLARGED, desk: SIZES.desk }

const SCHEMES = IS_FULL ? (['light', 'dark'] as const) : (['light'] as const)

/** No colour depends on the size, and no structure on the colours. */
const LOOKED_THROUGH = { light: 'desk', dark: 'phone' }

/** The page is no wider than the screen, and axe finds nothing. A translation needs axe only with every size. */
export async function expectRightLooks(page: Page, state: string, isTranslation = false): Promise<void> {
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme })
    for (const [size, viewport] of Object.entries(SEEN_IN)) {
      await page.setViewportSize(viewport)
      await picture(page, `${state}-${size}-${colorScheme}`)
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      expect(width, `${state} ${size}`).toBeLessThanOrEqual(viewport.width)
      if (size === LOOKED_THROUGH[colorScheme] && (IS_FULL || !isTranslation))
        expect(await findAccessibilityFaults(page), `${state} ${size} ${colorScheme}`).toEqual([])
    }
  }
}
