/**
 * Tests the API reference in a real browser: it shows every route, and sends requests only to its own origin.
 */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { missingBrowser, sharedBrowser } from '../../dev/browser.ts'
import type { OpenApiDocument } from '../../src/api/openapi/document.ts'
import { REFERENCE_FILES, referencePage } from '../../src/api/openapi/reference-page.ts'
import { describeUnless } from '../support/available.ts'
import { type OwnInstance, startInstance, unique } from '../support/instance.ts'

const BASES = ['/v1', '/operator/v1']

let gatehouse: OwnInstance
beforeAll(async () => {
  // The public address differs from the one at which the page is opened.
  gatehouse = await startInstance({ env: { PUBLIC_URL: 'https://onboarding.example.com' } })
  await gatehouse.startWorker()
})
afterAll(() => gatehouse.stop())

test('escapes the title of the page', () => {
  expect(referencePage('<script>')).not.toContain('<script>')
})

describe.each(BASES)('%s/docs', (base) => {
  const get = (path: string, options: RequestInit = {}) =>
    fetch(`${gatehouse.baseUrl}${base}${path}`, options)

  test('allows requests only to this origin', async () => {
    const policy = (await get('/docs')).headers.get('Content-Security-Policy') ?? ''
    for (const directive of ["default-src 'none'", "script-src 'self'", "connect-src 'self'"]) {
      expect(policy.split(';')).toContain(directive)
    }
  })

  test('redirects the path with a trailing slash to the page', async () => {
    const { url, status } = await get('/docs/')
    expect({ url, status }).toEqual({ url: `${gatehouse.baseUrl}${base}/docs`, status: 200 })
  })

  test('links to versioned files and lets browsers cache them', async () => {
    const page = await (await get('/docs')).text()
    const TYPES: Record<string, string> = { css: 'text/css', js: 'text/javascript', png: 'image/png' }
    for (const { name, href } of REFERENCE_FILES) {
      expect(page).toContain(`"${href}"`)
      const { status, headers } = await get(`/${href}`, { method: 'HEAD' })
      expect(status, name).toBe(200)
      expect(headers.get('Content-Type'), name).toContain(TYPES[name.split('.').at(-1) ?? ''])
      expect(headers.get('Cache-Control'), name).toContain('immutable')
      expect(headers.get('X-Content-Type-Options'), name).toBe('nosniff')
      const posted = await get(`/${href}`, { method: 'POST' })
      expect([posted.status, posted.headers.get('Allow')], name).toEqual([405, 'GET, HEAD'])
    }
    expect((await get('/docs/swagger-ui.js')).status).toBe(404)
  })
})

describeUnless(await missingBrowser(), 'in a browser', () => {
  /** Opens the page, and records the origins of its requests and the violations of its policy. */
  async function open(base: string, options: Parameters<Browser['newPage']>[0] = {}) {
    const page = await (await sharedBrowser()).newPage(options)
    page.setDefaultTimeout(120_000)
    const asked: string[] = []
    const complaints: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    page.on('pageerror', ({ message }) => complaints.push(message))
    await page.exposeFunction('complain', (complaint: string) => complaints.push(complaint))
    await page.addInitScript(
      `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
        complain(violatedDirective + ': ' + blockedURI))`,
    )
    await page.goto(`${gatehouse.baseUrl}${base}/docs`)
    await page.locator('.opblock').first().waitFor()
    return { page, asked, complaints }
  }

  const elsewhere = (asked: readonly string[]) =>
    asked.filter((url) => !url.startsWith(`${gatehouse.baseUrl}/`) && !url.startsWith('data:'))

  const operation = (page: Page, id: string) => page.locator(`.opblock[id$="-${id}"]`)

  async function authorize(page: Page, key: string) {
    await page.getByRole('button', { name: 'Authorize', exact: true }).click()
    const dialog = page.locator('.dialog-ux')
    await dialog.locator('input').first().fill(key)
    await dialog.getByRole('button', { name: 'Apply credentials' }).first().click()
    await dialog.getByRole('button', { name: 'Close' }).first().click()
  }

  /** Executes the request and returns the status of the response. */
  async function statusOf(page: Page, id: string) {
    await operation(page, id).getByRole('button', { name: 'Execute' }).click()
    return operation(page, id).locator('.live-responses-table .response .response-col_status').textContent()
  }

  async function tryOut(page: Page, id: string) {
    await operation(page, id).locator('.opblock-summary-control').click()
    await operation(page, id).getByRole('button', { name: 'Try it out' }).click()
  }

  test.each(BASES)('shows every route at %s/docs', async (base) => {
    const answer = await fetch(`${gatehouse.baseUrl}${base}/openapi.json`)
    const { paths, webhooks = {} } = (await answer.json()) as OpenApiDocument
    const routes = [...Object.entries(paths), ...Object.entries(webhooks)].flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const { page, asked, complaints } = await open(base)
    const shown = await page.locator('.opblock').evaluateAll((blocks) =>
      blocks.map((block) => {
        const text = (part: string) => block.querySelector(part)?.textContent?.replaceAll('\u200b', '')
        return `${text('.opblock-summary-method')} ${text('.opblock-summary-path')}`
      }),
    )
    expect(shown.sort()).toEqual(routes.sort())
    expect(elsewhere(asked)).toEqual([])
    expect(complaints).toEqual([])
    await page.close()
  })

  test('sends a request to the origin of the page, and does not store the key', async () => {
    const { page, asked, complaints } = await open('/v1')
    await authorize(page, gatehouse.credentials.api_key)
    await tryOut(page, 'listIdentifications')
    expect(await statusOf(page, 'listIdentifications')).toBe('200')
    expect(asked.at(-1)).toContain(`${gatehouse.baseUrl}/v1/identifications?`)
    expect(elsewhere(asked)).toEqual([])
    expect(complaints).toEqual([])
    const state = await page.context().storageState()
    expect(state).toEqual({ cookies: [], origins: [] })
    await page.close()
  })

  test('uploads a file from its form with an Idempotency-Key', async () => {
    const { body } = await gatehouse.api.post('/kyb', { external_id: unique() })
    const id = 'uploadKybFile'
    const { page } = await open('/v1')
    await authorize(page, gatehouse.credentials.api_key)
    await tryOut(page, id)
    const form = operation(page, id)
    await form.getByPlaceholder('id', { exact: true }).fill(body.data.id)
    await form.getByPlaceholder('Idempotency-Key').fill(unique())
    const file = { name: 'certificate.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7\n') }
    await form.locator('input[type="file"]').setInputFiles(file)
    await form.locator('[data-property-name="attribute"] select').selectOption('incorporation_certificates')
    expect(await statusOf(page, id)).toBe('201')
    await page.close()
  })

  test('follows the reader’s light or dark colour scheme', async () => {
    const { page } = await open('/v1', { colorScheme: 'dark' })
    const background = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
    await page.locator('html.dark-mode').waitFor()
    expect(await background()).toBe('rgb(28, 32, 34)')
    await page.emulateMedia({ colorScheme: 'light' })
    await page.locator('html:not(.dark-mode)').waitFor()
    expect(await background()).toBe('rgba(0, 0, 0, 0)')
    await page.close()
  })

  test.each([1280, 390])('cuts off nothing at a width of %i pixels', async (width) => {
    const { page } = await open('/v1', { viewport: { width, height: 800 } })
    for (const id of ['listIdentifications', 'updateKybApplication', 'uploadKybFile']) {
      await tryOut(page, id)
      await operation(page, id).locator('.responses-table').waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth'), id).toBe(width)
      const cells = operation(page, id).locator('td:visible, button:visible')
      const edges = await cells.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().right))
      expect(Math.max(...edges), id).toBeLessThanOrEqual(width)
    }
    await page.close()
  })
})
