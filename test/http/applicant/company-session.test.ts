/** Tests sessions, languages, scripts and error pages of a company’s form. */
import { sql } from 'drizzle-orm'
import type { Response as ExpressResponse } from 'express'
import { describe, expect, test } from 'vitest'
import { pageSessions } from '../../../drizzle/schema.ts'
import { findVault } from '../../../src/db/access/vault.ts'
import type { Frame } from '../../../src/pages/components/layout.tsx'
import { sendMessage } from '../../../src/pages/routing/response.tsx'
import { translate } from '../../../src/pages/texts/index.ts'
import { companyPages } from '../../support/hosted-page.ts'
import { sharedInstance, unique } from '../../support/instance.ts'

const gatehouse = await sharedInstance({ worker: true })
const { api, db } = gatehouse
const { begin, kybOf, send, signIn } = companyPages(gatehouse)

describe('sessions', () => {
  test('use a cookie that scripts cannot read and other sites cannot send with a form', async () => {
    const { link, password } = await begin(unique())
    const [cookie = ''] = (await send(link, { password })).headers.getSetCookie()
    expect(cookie).toMatch(
      /^gatehouse_session=[\w-]{40,}; Max-Age=86400; Path=\/verify\/kyb\/[\w-]{36}; HttpOnly; SameSite=Lax$/,
    )
    const kept = await db.orm.select().from(pageSessions)
    const token = /=([^;]+)/.exec(cookie)?.[1] ?? ''
    expect(kept.map(({ tokenHash }) => tokenHash.toString())).not.toContain(token)
  })
  test('open only one verification', async () => {
    const first = await signIn(await begin(unique()))
    const second = await signIn(await begin(unique()))
    expect((await send(first.base, undefined, first.headers)).status).toBe(200)
    expect((await send(first.base, undefined, second.headers)).status).toBe(401)
    expect((await send(first.base)).status).toBe(401)
  })
  test('differ for each sign-in, and cannot be opened by another site', async () => {
    const company = await begin(unique())
    const [first, second] = [await signIn(company), await signIn(company)]
    expect(first.headers.Cookie).not.toBe(second.headers.Cookie)
    for (const { base, headers } of [first, second])
      expect((await send(base, undefined, headers)).status).toBe(200)
    const { link, password } = company
    for (const headers of [{ 'Sec-Fetch-Site': 'cross-site' }, { Origin: 'https://elsewhere.example' }]) {
      const foreign = await send(link, { password }, headers)
      expect([foreign.status, foreign.headers.getSetCookie()]).toEqual([403, []])
    }
  })
  test.each([true, false])('decide whether a failure shows the vault (own session: %s)', async (isOwn) => {
    const { base, headers } = await signIn(await begin(unique()))
    const tooLarge = { more: 'x'.repeat(2_000_000) }
    const failed = await send(`${base}/nature_of_business`, tooLarge, isOwn ? headers : {})
    const vault = (await findVault(db, gatehouse.vaultId))?.name
    expect([failed.status, (await failed.text()).includes(String(vault))]).toEqual([isOwn ? 413 : 401, isOwn])
  })
  test('end if there is a new link', async () => {
    const externalUuid = unique()
    const { base, headers } = await signIn(await begin(externalUuid))
    await begin(externalUuid)
    const closed = await send(base, undefined, headers)
    expect(closed.status).toBe(401)
    expect(await closed.text()).toContain('Session expired')
  })
  test('end after one day, and show the saved data after the link is opened again', async () => {
    const company = await begin(unique())
    const { base, headers, csrf } = await signIn(company)
    const form = { _csrf: csrf, 'nature_of_business.legal_company_name': 'Kept Ltd' }
    expect((await send(`${base}/nature_of_business`, form, headers)).status).toBe(303)
    await db.orm.update(pageSessions).set({ expiresAt: sql`clock_timestamp()` })
    expect((await send(base, undefined, headers)).status).toBe(401)
    const unsaved = await send(`${base}/nature_of_business`, form, headers)
    expect([unsaved.status, await unsaved.text()]).toEqual([
      401,
      expect.stringContaining('Changes not saved yet'),
    ])
    const again = await signIn(company)
    const page = await send(`${again.base}/nature_of_business`, undefined, again.headers)
    expect(await page.text()).toContain('value="Kept Ltd"')
    // A form of an earlier session is not saved. The page shows its values, which the applicant can save.
    const late = { ...form, 'nature_of_business.legal_company_name': 'Typed Ltd' }
    const shown = await send(`${again.base}/nature_of_business`, late, again.headers)
    expect([shown.status, await shown.text()]).toEqual([403, expect.stringContaining('value="Typed Ltd"')])
  })
})

describe('resources of pages', () => {
  test('include scripts from the same origin only, and no other files are served', async () => {
    const page = await send('/verify/unknown')
    expect(page.headers.get('Permissions-Policy')).toContain('camera=(self)')
    expect(page.headers.get('Content-Security-Policy')).toBe(
      "default-src 'none';base-uri 'none';form-action 'self';frame-ancestors 'none';style-src 'self';" +
        "script-src 'self';connect-src 'self';img-src 'self' blob: data:",
    )
    const { base, headers } = await signIn(await begin(unique()))
    const form = await (await send(`${base}/nature_of_business`, undefined, headers)).text()
    const [, main = ''] = /<script type="module" src="([^"]+)">/.exec(form) ?? []
    const script = await send(main)
    expect([script.status, script.headers.get('Content-Type'), script.headers.get('Cache-Control')]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
    ])
    for (const [, name = ''] of (await script.text()).matchAll(/from '\.\/([^']+)'/g))
      expect((await send(new URL(name, `http://localhost${main}`).pathname)).status, name).toBe(200)
    for (const name of ['nowhere.js', '..%2fstyle.css', '%2e%2e/hosted-pages.tsx'])
      expect((await send(new URL(name, `http://localhost${main}`).pathname)).status, name).toBe(404)
    // During a deployment, a page can request scripts of the other version. The response must not be cached.
    const another = await send(main.replace(/[0-9a-f]{16}/, '0123456789abcdef'))
    expect([another.status, another.headers.get('Cache-Control')]).toEqual([200, 'no-store'])
  })
  test('include a QR code of a person’s link, only with a session of the form', async () => {
    const externalUuid = unique()
    const { base, headers } = await signIn(await begin(externalUuid))
    const { id } = await kybOf(externalUuid)
    await api.patch(`/kyb/${id}`, { beneficiaries: { beneficiaries_list: [{ email: 'ada@example.com' }] } })
    const [ada] = (await kybOf(externalUuid)).beneficiaries.beneficiaries_list
    const path = `${base}/owners/${ada.external_id}/qr.svg`
    const code = await send(path, undefined, headers)
    expect([code.status, code.headers.get('Content-Type')]).toEqual([200, 'image/svg+xml; charset=utf-8'])
    expect(await code.text()).toMatch(/^<svg [^>]+>/)
    expect((await send(path)).status).toBe(401)
    expect((await send(`${base}/owners/${unique()}/qr.svg`, undefined, headers)).status).toBe(404)
  })
})

describe('error pages', () => {
  test.each([
    ['a link with invalid encoding', 400, '/verify/%ff', undefined],
    ['an unknown path', 404, '/verify/a/b/c', undefined],
    ['an unknown application', 401, '/verify/kyb/x/check', undefined],
    ['a form that exceeds the size limit', 413, '/verify/unknown', { more: 'x'.repeat(300_000) }],
    ['a large form without a session', 401, '/verify/kyb/x/check', { more: 'x'.repeat(300_000) }],
    ['a form with too many fields', 413, '/verify/kyb/x/check', 'a=1&'.repeat(600)],
  ])('are returned for %s', async (_, status, path, form) => {
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const answer = await send(path, form, form === undefined ? {} : type)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('Cache-Control')).toBe('no-store')
    expect(await answer.text()).toMatch(/<h1>.+<\/h1>/)
  })
  test('lead back to the form of a session', async () => {
    const { base, headers } = await signIn(await begin(unique()))
    const answer = await send(`${base}/nothing`, undefined, headers)
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining(`href="${base}"`)])
  })
  test.each([
    ['busy', 'GET', '/verify/a?b=1', '/verify/a?b=1'],
    ['failed', 'GET', '/console/cases', '/console/cases'],
    // Only a reload sends a form again.
    ['busy', 'POST', '/verify/a', null],
    ['missing', 'GET', '/verify/a', null],
    ['missing', 'GET', '/console/a', '/console'],
    ['refused', 'POST', '/console/a', '/console'],
  ] as const)('about “%s” after %s %s link to %s', (about, method, originalUrl, href) => {
    const pages: string[] = []
    const res = {
      ...{ req: { method, originalUrl, query: {} }, locals: {}, status: () => res, type: () => res },
      send: (html: string) => pages.push(html),
    }
    const [path = ''] = originalUrl.split('?')
    const frame: Frame = { language: 'en', t: translate('en'), vault: null, vaultName: null, path }
    sendMessage(res as unknown as ExpressResponse, 500, frame, about)
    const [, main = ''] = /<main[^>]*>(.*)<\/main>/s.exec(pages.join('')) ?? []
    expect([...main.matchAll(/ href="([^"]*)"/g)].map(([, link]) => link)).toEqual(
      href === null ? [] : [href],
    )
  })
})

describe('the language', () => {
  const title = async (headers: Record<string, string>) =>
    /<h1>(.+)<\/h1>/.exec(await (await send('/verify/unknown', undefined, headers)).text())?.[1]
  test.each([
    [{}, 'Link not valid'],
    [{ 'Accept-Language': 'fr, de;q=0.8' }, 'Link nicht gültig'],
    [{ 'Accept-Language': 'fr' }, 'Link not valid'],
    [{ 'Accept-Language': 'de', Cookie: 'gatehouse_language=en' }, 'Link not valid'],
    [{ Cookie: 'gatehouse_language=nonsense' }, 'Link not valid'],
  ])('is chosen by the headers %j', async (headers, expected) => {
    expect(await title(headers)).toBe(expected)
  })
  test('remains the one that the applicant has chosen', async () => {
    const chosen = await send('/verify/unknown?language=de')
    expect([chosen.status, chosen.headers.get('Location')]).toEqual([303, '/verify/unknown'])
    const [cookie = ''] = chosen.headers.getSetCookie()
    expect(await title({ Cookie: cookie.split(';')[0] ?? '' })).toBe('Link nicht gültig')
  })
})
