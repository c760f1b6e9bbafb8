/** Hosted pages without a browser: who is let in, what a foreign form does, and that every failure is a page. */
import { sql } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { pageSessions } from '../../drizzle/schema.ts'
import { beginCompany, openForm, sendForm } from '../support/hosted-page.ts'
import { startInstance, unique } from '../support/instance.ts'

const gatehouse = await startInstance()
await gatehouse.startWorker()
afterAll(() => gatehouse.stop())

const { api, baseUrl, db } = gatehouse

const begin = (externalUuid: string) => beginCompany(gatehouse, externalUuid)
const send = (path: string, ...form: [form?: object | BodyInit, headers?: Record<string, string>]) =>
  sendForm(baseUrl + path, ...form)
const signIn = (company: { link: string; password: string }) => openForm(baseUrl, company)

const kybOf = async (externalUuid: string) => {
  const { data } = (await api.get('/kyb?per_page=100')).body
  return data.find((each: { external_id: string }) => each.external_id === externalUuid)
}

describe('a session', () => {
  test('is a cookie that no script reads and no other site sends with a form', async () => {
    const { link, password } = await begin(unique())
    const [cookie = ''] = (await send(link, { password })).headers.getSetCookie()
    expect(cookie).toMatch(/^gatehouse_session=[\w-]{40,}; Max-Age=86400; Path=\/; HttpOnly; SameSite=Lax$/)
    const kept = await db.orm.select().from(pageSessions)
    const token = /=([^;]+)/.exec(cookie)?.[1] ?? ''
    expect(kept.map(({ tokenHash }) => tokenHash.toString())).not.toContain(token)
  })
  test('opens one verification alone', async () => {
    const first = await signIn(await begin(unique()))
    const second = await signIn(await begin(unique()))
    expect((await send(first.base, undefined, first.headers)).status).toBe(200)
    expect((await send(first.base, undefined, second.headers)).status).toBe(401)
    expect((await send(first.base)).status).toBe(401)
  })
  test('of one browser opens several, one beside the other', async () => {
    const first = await signIn(await begin(unique()))
    const { link, password } = await begin(unique())
    const answer = await send(link, { password }, first.headers)
    const second = answer.headers.get('Location') ?? ''
    for (const base of [first.base, second])
      expect((await send(base, undefined, first.headers)).status).toBe(200)
  })
  test('ends with a new link', async () => {
    const externalUuid = unique()
    const { base, headers } = await signIn(await begin(externalUuid))
    await begin(externalUuid)
    const closed = await send(base, undefined, headers)
    expect(closed.status).toBe(401)
    expect(await closed.text()).toContain('Open your link again')
  })
  test('ends after a day; what was saved is there when the link is opened again', async () => {
    const company = await begin(unique())
    const { base, headers, csrf } = await signIn(company)
    const form = { _csrf: csrf, 'nature_of_business.legal_company_name': 'Kept Ltd' }
    expect((await send(`${base}/nature_of_business`, form, headers)).status).toBe(303)
    await db.orm.update(pageSessions).set({ expiresAt: sql`clock_timestamp()` })
    expect((await send(base, undefined, headers)).status).toBe(401)
    const again = await signIn(company)
    const page = await send(`${again.base}/nature_of_business`, undefined, again.headers)
    expect(await page.text()).toContain('value="Kept Ltd"')
  })
})

describe('a form', () => {
  test('of another site changes nothing', async () => {
    const externalUuid = unique()
    const { base, headers, csrf } = await signIn(await begin(externalUuid))
    const { csrf: foreign } = await signIn(await begin(unique()))
    const name = { 'nature_of_business.legal_company_name': 'Foreign Ltd' }
    const file = new FormData()
    file.set('_csrf', foreign)
    file.set('file', new File(['%PDF-1.4'], 'foreign.pdf'))
    for (const [path, form, more] of [
      ['nature_of_business', name, {}],
      ['nature_of_business', { ...name, _csrf: '' }, {}],
      ['nature_of_business', { ...name, _csrf: foreign }, {}],
      ['nature_of_business', { ...name, _csrf: csrf }, { 'Sec-Fetch-Site': 'cross-site' }],
      ['owners/new', { 'beneficiaries.beneficiaries_list.new.email': 'a@example.com' }, {}],
      ['files/articles_of_association', file, {}],
    ] as const) {
      const refused = await send(`${base}/${path}`, form, { ...headers, ...more })
      expect(refused.status, path).toBe(403)
      expect(await refused.text()).toContain('This was not saved')
    }
    const kyb = await kybOf(externalUuid)
    expect(kyb.nature_of_business.legal_company_name).toBe(null)
    expect(kyb.business_files.articles_of_association ?? []).toEqual([])
    expect(kyb.beneficiaries.beneficiaries_list).toEqual([])
  })
  test('that names what is not there is answered with a page', async () => {
    const { base, headers, csrf } = await signIn(await begin(unique()))
    for (const path of ['nowhere', `owners/${unique()}`, 'files/nowhere/x/remove', 'nature_of_business/x'])
      expect((await send(`${base}/${path}`, { _csrf: csrf }, headers)).status, path).toBe(404)
    const detached = await send(`${base}/files/articles_of_association/x/remove`, { _csrf: csrf }, headers)
    expect(detached.status).toBe(422)
  })
  test('cannot set what is not its own', async () => {
    const externalUuid = unique()
    const { base, headers, csrf } = await signIn(await begin(externalUuid))
    const form = {
      _csrf: csrf,
      'nature_of_business.__proto__': 'x',
      'nature_of_business.nowhere': 'x',
      'usage_of_account.usage': 'x',
      external_id: 'x',
    }
    expect((await send(`${base}/nature_of_business`, form, headers)).status).toBe(303)
    expect(await kybOf(externalUuid)).toMatchObject({
      external_id: externalUuid,
      usage_of_account: { usage: null },
    })
  })
  test('is locked once the verification has ended', async () => {
    const externalUuid = unique()
    const { base, headers, csrf } = await signIn(await begin(externalUuid))
    const { id } = await kybOf(externalUuid)
    await api.post(`/sandbox/kyb/${id}/simulate_review`, { outcome: 'rejected' })
    const form = { _csrf: csrf, 'nature_of_business.legal_company_name': 'Late Ltd' }
    const refused = await send(`${base}/nature_of_business`, form, headers)
    expect(refused.status).toBe(422)
    expect(await refused.text()).toContain('The review has ended')
    const page = await send(`${base}/nature_of_business`, undefined, headers)
    expect(await page.text()).toContain('could not be verified')
  })
})

describe('whatever fails is a page', () => {
  test.each([
    ['a link that is not well encoded', 400, '/verify/%ff', undefined],
    ['a path below nothing', 404, '/verify/a/b/c', undefined],
    ['an application that is none', 401, '/verify/kyb/x/check', undefined],
    ['a form that is too large', 413, '/verify/kyb/x/check', { more: 'x'.repeat(300_000) }],
    ['a form with too many fields', 413, '/verify/kyb/x/check', 'a=1&'.repeat(600)],
  ])('%s', async (_, status, path, form) => {
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const answer = await send(path, form, form === undefined ? {} : type)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('Cache-Control')).toBe('no-store')
    expect(await answer.text()).toMatch(/<h1>.+<\/h1>/)
  })
})

describe('the language', () => {
  const title = async (headers: Record<string, string>) =>
    /<h1>(.+)<\/h1>/.exec(await (await send('/verify/nobody', undefined, headers)).text())?.[1]
  test.each([
    [{}, 'This link does not work'],
    [{ 'Accept-Language': 'fr, de;q=0.8' }, 'Dieser Link funktioniert nicht'],
    [{ 'Accept-Language': 'fr' }, 'This link does not work'],
    [{ 'Accept-Language': 'de', Cookie: 'gatehouse_language=en' }, 'This link does not work'],
    [{ Cookie: 'gatehouse_language=nonsense' }, 'This link does not work'],
  ])('for %j', async (headers, expected) => {
    expect(await title(headers)).toBe(expected)
  })
  test('that is chosen stays', async () => {
    const chosen = await send('/verify/nobody?language=de')
    expect([chosen.status, chosen.headers.get('Location')]).toEqual([303, '/verify/nobody'])
    const [cookie = ''] = chosen.headers.getSetCookie()
    expect(await title({ Cookie: cookie.split(';')[0] ?? '' })).toBe('Dieser Link funktioniert nicht')
  })
})
