/** Tests the branding of hosted pages: validation, and the result that applicants see. */
import { readdirSync, readFileSync } from 'node:fs'
import sharp from 'sharp'
import { beforeEach, describe, expect, test } from 'vitest'
import { expectErrors } from '../../support/checks.ts'
import { beginCompany, sendForm, startForm } from '../../support/hosted-page.ts'
import { addVault, sharedInstance, unique } from '../../support/instance.ts'
import { hugePng, logoPng } from '../../support/logo.ts'

const gatehouse = await sharedInstance()

const { baseUrl, vaultId, config } = gatehouse
const operator = await gatehouse.operator()
const path = `/vaults/${vaultId}`
const set = (changes: object) => operator.patch(path, changes)

const PLAIN = {
  logo: null,
  accent_color: null,
  accent_color_dark: null,
  support_email: null,
  privacy_url: null,
  languages: ['en', 'de'],
  default_language: 'en',
}
const BRAND = {
  accent_color: '#7a1f5c',
  accent_color_dark: '#f0a6d4',
  support_email: 'help@example.com',
  privacy_url: 'https://example.com/privacy?of=us&more',
  languages: ['de'],
  default_language: 'de',
}
beforeEach(async () => {
  expect((await set(PLAIN)).status).toBe(200)
})

const base64 = (bytes: Buffer) => bytes.toString('base64')
const LOGO = base64(await logoPng())

const { link } = await beginCompany(gatehouse, unique())
const page = async (headers: Record<string, string> = {}, at = link) =>
  (await sendForm(baseUrl + at, undefined, headers)).text()
const pathIn = (html: string, file: string) =>
  new RegExp(`(?:href|src)="([^"]+/${file})"`).exec(html)?.[1] ?? ''

describe('branding settings', () => {
  test('are returned, and kept until they change', async () => {
    const { status, body } = await set({ ...BRAND, logo: LOGO })
    expect(status).toBe(200)
    const logo_url = expect.stringMatching(
      `^${config.PUBLIC_URL}/verify/vaults/${vaultId}/[0-9a-f]{16}/logo.png$`,
    )
    expect(body.data).toMatchObject({ ...BRAND, logo_url })
    expect(body.data).not.toHaveProperty('logo')
    expect((await set({ name: 'Renamed' })).body.data).toEqual({ ...body.data, name: 'Renamed' })
    const { logo: _, ...cleared } = PLAIN
    expect((await set(PLAIN)).body.data).toMatchObject({ ...cleared, logo_url: null })
  })
  test('are accepted for a new vault', async () => {
    const { status, body } = await operator.post('/vaults', { name: 'New', ...BRAND, logo: LOGO })
    expect(status).toBe(201)
    expect(body.data).toMatchObject({ ...BRAND, logo_url: expect.stringContaining(body.data.id) })
    const plain = await operator.post('/vaults', { name: 'Plain' })
    const { logo: _, ...preset } = PLAIN
    expect(plain.body.data).toMatchObject({ ...preset, logo_url: null })
    const german = await operator.post('/vaults', { name: 'German', languages: ['de', 'en'] })
    expect(german.body.data).toMatchObject({ languages: ['de', 'en'], default_language: 'de' })
  })
})

describe('validation', () => {
  test.each([
    ['accent_color', '#7a1f5', 'invalid', '#rrggbb'],
    ['accent_color', 'red', 'invalid', '#rrggbb'],
    ['accent_color', '#7a1f5c;}', 'invalid', '#rrggbb'],
    ['accent_color', 7, 'invalid', 'text'],
    // The contrast is 4.54:1 on white, but 4.27:1 on the page.
    ['accent_color', '#767676', 'invalid', 'is 4.27:1 with the page (#f7f8fa). '],
    [
      'accent_color',
      '#ffff00',
      'invalid',
      '1.01:1 with the page (#f7f8fa), and 1.07:1 with the card and the button text',
    ],
    ['accent_color_dark', '#7a1f5c', 'invalid', 'the button text (#0b0f19)'],
    // The contrast is sufficient on the page and for the text of buttons.
    ['accent_color_dark', '#7c7c7c', 'invalid', 'is 4.17:1 with the card (#141a27). '],
    ['support_email', 'help', 'invalid', 'email address'],
    ['support_email', 'a@example.com?cc=b@example.com', 'invalid', 'email address'],
    ['privacy_url', 'http://example.com', 'invalid', 'https'],
    ['privacy_url', 'javascript:alert(1)', 'invalid', 'https'],
    ['privacy_url', 'https:client.example.com/privacy', 'invalid', 'https'],
    ['privacy_url', 'https:///client.example.com', 'invalid', 'https'],
    ['languages', [], 'invalid', 'at least one'],
    ['languages', ['en', 'en'], 'invalid', 'once'],
    ['languages', null, 'invalid', 'array'],
    ['default_language', 'fr', 'invalid', 'en, de'],
    ['default_language', null, 'invalid', 'en, de'],
    ['logo', 'not base64!', 'invalid', 'base64'],
    ['logo', `data:image/png;base64,${LOGO}`, 'invalid', 'base64'],
    ['logo', '', 'required', ''],
  ])('refuses %s: %j', async (field, value, code, words) => {
    const answer = await set({ [field]: value })
    expect(answer.status).toBe(422)
    expectErrors(answer, { code, field })
    expect(answer.body.errors[0].message).toContain(words)
  })
  test('names every invalid field at once', async () => {
    const wrong = { accent_color: '#ffff00', support_email: 'x', privacy_url: 'x', languages: [] }
    expectErrors(await set(wrong), ...Object.keys(wrong).map((field) => ({ code: 'invalid', field })))
  })
  test('names the position of an unknown language', async () => {
    expectErrors(await set({ languages: ['en', 'fr'] }), { code: 'invalid', field: 'languages.1' })
  })
  test('refuses a default language that is not one of the languages', async () => {
    const refused = { code: 'invalid', field: 'default_language' }
    expectErrors(await set({ languages: ['de'] }), refused)
    expectErrors(await set({ languages: ['de'], default_language: 'en' }), refused)
    expectErrors(
      await operator.post('/vaults', { name: 'X', languages: ['de'], default_language: 'en' }),
      refused,
    )
    expect((await set({ languages: ['de'], default_language: 'de' })).status).toBe(200)
    expectErrors(await set({ default_language: 'en' }), refused)
    expect((await set({ languages: ['en', 'de'] })).body.data.default_language).toBe('de')
  })
  test('returns 404 if the vault does not exist', async () => {
    expect((await operator.patch(`/vaults/${unique()}`, BRAND)).status).toBe(404)
  })
})

describe('the logo', () => {
  const shown = async () => {
    const answer = await fetch(baseUrl + pathIn(await page(), 'logo.png'))
    return { answer, bytes: Buffer.from(await answer.arrayBuffer()) }
  }
  test('is re-encoded as a PNG of 480 by 120 pixels without metadata', async () => {
    const original = await logoPng()
    expect(original.includes('made by somebody')).toBe(true)
    expect((await set({ logo: base64(original) })).status).toBe(200)
    const { answer, bytes } = await shown()
    expect(answer.headers.get('Content-Type')).toBe('image/png')
    const { format, width, height, exif, hasAlpha } = await sharp(bytes).metadata()
    expect([format, width, height, exif, hasAlpha]).toEqual(['png', 480, 120, undefined, true])
    expect(bytes.includes('made by somebody')).toBe(false)
  })
  test('can be a JPEG, and is not enlarged', async () => {
    const jpeg = await sharp(await logoPng(200, 40))
      .flatten()
      .jpeg()
      .toBuffer()
    expect((await set({ logo: base64(jpeg) })).status).toBe(200)
    const { format, width, height } = await sharp((await shown()).bytes).metadata()
    expect([format, width, height]).toEqual(['png', 200, 40])
  })
  test('can have exactly 200 kB, but not one byte more', async () => {
    // Decoders ignore bytes after the end of a PNG.
    const logo = await logoPng()
    const filled = (size: number) => Buffer.concat([logo, Buffer.alloc(size - logo.length)])
    expect((await set({ logo: base64(filled(204_800)) })).status).toBe(200)
    const answer = await set({ logo: base64(filled(204_801)) })
    expect(answer.status).toBe(422)
    expectErrors(answer, { code: 'too_long', field: 'logo' })
  })

  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="9" height="9"/></svg>'
  test.each<[string, () => Buffer | Promise<Buffer>]>([
    ['SVG', () => Buffer.from(svg)],
    [
      'WebP',
      async () =>
        sharp(await logoPng())
          .webp()
          .toBuffer(),
    ],
    [
      'GIF',
      async () =>
        sharp(await logoPng())
          .gif()
          .toBuffer(),
    ],
    [
      'TIFF',
      async () =>
        sharp(await logoPng(100, 20))
          .tiff()
          .toBuffer(),
    ],
    ['a PDF', () => Buffer.from('%PDF-1.4\n%%EOF\n')],
    ['only the signature of a PNG', () => Buffer.from('89504e470d0a1a0a', 'hex')],
    ['a truncated PNG', async () => (await logoPng()).subarray(0, 400)],
    ['a PNG with bytes changed', async () => (await logoPng()).fill(0x55, 300, 340)],
    ['a small file of a PNG of 20,000 by 20,000 pixels', () => hugePng(20_000)],
  ])('stays the same if the new file is hostile or invalid: %s', async (_, make) => {
    const before = (await set({ logo: LOGO })).body.data.logo_url
    const bytes = await make()
    expect(bytes.length).toBeLessThan(204_800)
    const answer = await set({ logo: base64(bytes), name: 'Never' })
    expect(answer.status).toBe(422)
    expectErrors(answer, { code: 'invalid', field: 'logo' })
    const { data } = (await set({})).body
    expect([data.logo_url, data.name]).toEqual([before, expect.not.stringContaining('Never')])
  })
})

describe('hosted pages', () => {
  test('show the vault’s name if no branding is set', async () => {
    const html = await page()
    expect(html).toMatch(/<span class="vault">.*?<\/span>[^<]+<\/span>/)
    expect(html).not.toMatch(/brand\.css|<img|mailto:|target=/)
  })
  test('show the branding, and load nothing from other origins', async () => {
    await set({ ...BRAND, logo: LOGO, name: 'Engines & "Co"' })
    const html = await page()
    expect(html).toMatch(
      new RegExp(
        `<img class="logo" src="/verify/vaults/${vaultId}/\\w+/logo.png" alt="Engines &amp; &quot;Co&quot;"`,
      ),
    )
    expect(html).toContain('<a href="mailto:help@example.com">help@example.com</a>')
    expect(html).toContain(
      'href="https://example.com/privacy?of=us&amp;more" target="_blank" rel="noopener noreferrer"',
    )
    const loaded = [...html.matchAll(/<(?:link|img)[^>]*(?:href|src)="([^"]+)"/g)].map(
      ([, each = '']) => each,
    )
    expect(loaded.every((each) => each.startsWith('/verify/'))).toBe(true)
    expect(loaded).toHaveLength(5)
    const { headers } = await sendForm(baseUrl + link)
    expect(headers.get('Content-Security-Policy')).toContain("default-src 'none'")
    expect(headers.get('Content-Security-Policy')).toContain("img-src 'self'")
  })
  test('state whom to contact: the vault’s address or name, or the sender of the link', async () => {
    const { base: form, headers } = await startForm(baseUrl, await beginCompany(gatehouse, unique()))
    await set({ name: 'Engines' })
    const named = 'Questions? Contact Engines.'
    for (const html of [await page(), await page(headers, form)]) {
      expect(html).toContain(named)
      expect(html).not.toContain('mailto:')
    }
    const gone = await page({}, `/verify/${'x'.repeat(43)}`)
    expect(gone).toContain('<p class="row-note">Contact the company that sent you the link.</p>')
    for (const html of [gone, await page({}, '/console/nowhere')]) expect(html).not.toContain('Questions?')
    await set({ support_email: BRAND.support_email })
    const address = 'Write to <a href="mailto:help@example.com">help@example.com</a>'
    for (const html of [await page(), await page(headers, form)]) {
      expect(html).toContain(`Questions? ${address}`)
      expect(html).not.toContain(named)
    }
  })
  test('show the branding, also within the form', async () => {
    await set({ ...BRAND, logo: LOGO })
    const { base, headers } = await startForm(baseUrl, await beginCompany(gatehouse, unique()))
    for (const each of ['', '/nature_of_business', '/check', '/nowhere']) {
      const html = await page(headers, base + each)
      expect([pathIn(html, 'logo.png'), pathIn(html, 'brand.css')].every(Boolean), each).toBe(true)
    }
  })
  test('do not show the branding of another vault', async () => {
    await set({ ...BRAND, logo: LOGO })
    const other = await addVault(gatehouse)
    const { link: theirs } = await beginCompany(other, unique())
    expect(await page({}, theirs)).not.toMatch(/brand\.css|<img|mailto:/)
  })
})

describe('branding files', () => {
  test('are cached for one year, and change their address with their content', async () => {
    await set({ accent_color: '#7a1f5c', logo: LOGO })
    const html = await page()
    const style = await fetch(baseUrl + pathIn(html, 'brand.css'))
    expect(await style.text()).toBe(':root{--brand:#7a1f5c;--brand-dark:#af799d}')
    expect(style.headers.get('Content-Type')).toBe('text/css; charset=utf-8')
    const logo = await fetch(baseUrl + pathIn(html, 'logo.png'))
    for (const { headers } of [style, logo]) {
      expect(headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable')
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
      expect(headers.getSetCookie()).toEqual([])
    }
    const addresses = [pathIn(html, 'brand.css')]
    for (const change of [{ accent_color_dark: '#f0a6d4' }, { logo: base64(await logoPng(400, 100)) }]) {
      await set(change)
      addresses.push(pathIn(await page(), 'brand.css'))
    }
    expect(new Set(addresses).size).toBe(3)
    // Settings that are not part of the files leave the address unchanged.
    await set({ support_email: 'help@example.com', name: 'Another name' })
    expect(pathIn(await page(), 'brand.css')).toBe(addresses[2])
    expect((await fetch(baseUrl + addresses[0])).status).toBe(404)
  })
  test('return 404 for another vault, another version or a vault without the file', async () => {
    await set({ logo: LOGO })
    const logo = pathIn(await page(), 'logo.png')
    const version = logo.split('/').at(-2) ?? ''
    for (const missing of [
      logo.replace(vaultId, unique()),
      logo.replace(vaultId, 'x'),
      logo.replace(version, '0000000000000000'),
      logo.replace('logo.png', 'brand.css'),
      logo.replace('logo.png', 'constructor'),
    ]) {
      const answer = await fetch(baseUrl + missing)
      expect([answer.status, answer.headers.get('Cache-Control')], missing).toEqual([404, 'no-store'])
    }
  })
})

describe('the language of a page', () => {
  const languageOf = async (headers: Record<string, string>, at = link) =>
    /<html lang="(\w+)" dir="ltr">/.exec(await page(headers, at))?.[1]
  test.each([
    [['en', 'de'], 'de', {}, 'de'],
    [['en', 'de'], 'de', { 'Accept-Language': 'fr' }, 'de'],
    [['en', 'de'], 'de', { 'Accept-Language': '*' }, 'de'],
    [['en', 'de'], 'de', { 'Accept-Language': 'en-GB, de;q=0.8' }, 'en'],
    [['en', 'de'], 'en', { 'Accept-Language': 'de-AT' }, 'de'],
    [['en', 'de'], 'en', { 'Accept-Language': 'en', Cookie: 'gatehouse_language=de' }, 'de'],
    [['de'], 'de', { 'Accept-Language': 'en' }, 'de'],
    [['de'], 'de', { Cookie: 'gatehouse_language=en' }, 'de'],
    [['pl'], 'pl', {}, 'pl'],
    [['de', 'pl'], 'de', { 'Accept-Language': 'pl-PL, en;q=0.5' }, 'pl'],
    [['en', 'de'], 'en', { 'Accept-Language': 'pl' }, 'en'],
  ])(
    'is chosen from the vault’s languages %j, with the default %s, for the headers %j',
    async (languages, default_language, headers, expected) => {
      await set({ languages, default_language })
      expect(await languageOf(headers)).toBe(expected)
    },
  )
  test('can be chosen from the vault’s languages, or from all if there is no vault', async () => {
    await set({ languages: ['de'], default_language: 'de' })
    expect(await page()).not.toContain('<nav')
    expect(await page({}, '/verify/nobody')).toContain('<nav')
    expect(await languageOf({ 'Accept-Language': 'en' }, '/verify/nobody')).toBe('en')
    await set({ languages: ['de', 'en'] })
    expect(await page()).toMatch(/<nav.*Deutsch.*English/s)
    await set({ languages: ['en', 'pl'], default_language: 'en' })
    expect(await page()).toMatch(/<nav[^>]*aria-label="Language \/ Język".*English.*Polski/s)
  })
  test('can run from right to left, because the styles contain no physical directions', () => {
    const folder = new URL('../../../src/pages/styles/', import.meta.url)
    const styles = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'))
    // The centred margin box of a printed page has no logical name.
    const rules = styles.join('').replaceAll(/\/\*.*?\*\/|@bottom-center/gs, '')
    expect(rules.match(/[\w-]*\b(left|right|top|bottom)\b[^;]*/g)).toBe(null)
    expect(rules.match(/[^-\w(](?:min-|max-)?(?:width|height)\s*:/g)).toBe(null)
    // In a shorthand with four values, the second is right and the fourth is left.
    expect(rules.match(/(?:margin|padding|inset):(?:\s+[\d.a-z]+){4};/g)).toBe(null)
  })
})
