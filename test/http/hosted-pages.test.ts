/** Tests hosted pages without a browser: access, forms from other sites, saving and error pages. */

import { eq, sql } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { beneficiaries, pageSessions } from '../../drizzle/schema.ts'
import { KYB_FIELDS } from '../../src/domain/kyb/fields.ts'
import { openConsole } from '../support/console.ts'
import { fieldIn } from '../support/form.ts'
import { beginCompany, sendForm, startForm } from '../support/hosted-page.ts'
import { cameraFiles } from '../support/hostile-files.ts'
import { untilStatus, untilWaitingOn } from '../support/identification.ts'
import { eventually, sharedInstance, unique } from '../support/instance.ts'
import { completeApplication } from '../support/kyb.ts'
import { beginPerson, fillInPerson, openPerson, submitPerson } from '../support/person-page.ts'

const gatehouse = await sharedInstance({ worker: true })

const { api, baseUrl, db } = gatehouse

const begin = (externalUuid: string) => beginCompany(gatehouse, externalUuid)
const send = (path: string, ...form: [form?: object | BodyInit, headers?: Record<string, string>]) =>
  sendForm(baseUrl + path, ...form)
const signIn = (company: { link: string; password: string }) => startForm(baseUrl, company)

const kybOf = async (externalUuid: string) => {
  const { data } = (await api.get('/kyb?per_page=100')).body
  return data.find((each: { external_id: string }) => each.external_id === externalUuid)
}

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

describe('forms', () => {
  test('change nothing if another site sends them', async () => {
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
      expect(await refused.text()).toMatch(/Changes not saved|The page was open for too long/)
    }
    const kyb = await kybOf(externalUuid)
    expect(kyb.nature_of_business.legal_company_name).toBe(null)
    expect(kyb.business_files.articles_of_association ?? []).toEqual([])
    expect(kyb.beneficiaries.beneficiaries_list).toEqual([])
  })
  test('return a page if they name an unknown section, owner or file', async () => {
    const { base, headers, csrf } = await signIn(await begin(unique()))
    for (const path of ['nowhere', `owners/${unique()}`, 'files/nowhere/x/remove', 'nature_of_business/x'])
      expect((await send(`${base}/${path}`, { _csrf: csrf }, headers)).status, path).toBe(404)
    const detached = await send(
      `${base}/files/articles_of_association/${unique()}/remove`,
      { _csrf: csrf },
      headers,
    )
    expect(detached.status).toBe(303)
  })
  test('cannot set fields of other sections', async () => {
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
  test('resolve no finding if they change nothing, and keep values of an equivalent format', async () => {
    const externalUuid = unique()
    const { base, headers, csrf } = await signIn(await begin(externalUuid))
    const { id } = await kybOf(externalUuid)
    const kept = {
      usage: 'Two\nlines',
      source_of_funds: ['revenue', 'loan'],
      trx_value_monthly: '50000.5',
      list_of_countries_operated: 'DE,FR',
    }
    await api.patch(`/kyb/${id}`, { usage_of_account: kept })
    const operator = await gatehouse.operator()
    const fields = ['usage_of_account.usage', 'usage_of_account.source_of_funds']
    const decision = { outcome: 'revision_requested', reason_code: 'information_mismatch', fields }
    expect((await operator.post(`/kyb/${id}/decision`, decision)).status).toBe(200)
    const page = await (await send(`${base}/usage_of_account`, undefined, headers)).text()
    expect(page.split('Correct this item. It does not match the other details.')).toHaveLength(3)
    const form = new URLSearchParams({ _csrf: csrf })
    for (const [field, value] of Object.entries(kept))
      for (const each of [value].flat().sort())
        form.append(`usage_of_account.${field}`, each.replace('\n', '\r\n'))
    expect((await send(`${base}/usage_of_account`, form, headers)).status).toBe(303)
    const sent = await send(`${base}/check`, { _csrf: csrf }, headers)
    expect([sent.status, await sent.text()]).toEqual([422, expect.stringContaining('There is a problem')])
    expect((await send(`${base}/done`, undefined, headers)).headers.get('Location')).toBe(`${base}/check`)
    const { body } = await api.get(`/kyb/${id}`)
    expect(body.data.usage_of_account).toMatchObject(kept)
    expect(await (await send(`${base}/usage_of_account`, undefined, headers)).text()).toContain(
      'Correct this item. It does not match the other details.',
    )
  })
  test.each([
    ['en', '1500,5', '1500.5', '1,500.5'],
    ['en', '1500.50', '1500.50', '1,500.50'],
    ['en', '50.000', '50.000', '50.000'],
    ['en', '50,000', '50000', '50,000'],
    ['en', '1.500,50', '1500.50', '1,500.50'],
    ['de', '50.000', '50000', '50.000'],
    ['de', '50,000', '50.000', '50,000'],
    ['de', '1 250 000', '1250000', '1.250.000'],
  ])(
    'read and show numbers in the notation of the language %s: %s',
    async (language, value, saved, shown) => {
      const externalUuid = unique()
      const { base, headers, csrf } = await signIn(await begin(externalUuid))
      const inLanguage = { ...headers, 'Accept-Language': language }
      const path = `${base}/usage_of_account`
      const form = { _csrf: csrf, 'usage_of_account.trx_value_monthly': value }
      expect((await send(path, form, inLanguage)).status).toBe(303)
      const stored = async () => (await kybOf(externalUuid)).usage_of_account.trx_value_monthly
      expect(await stored()).toBe(saved)
      const page = await (await send(path, undefined, inLanguage)).text()
      expect(page).toMatch(new RegExp(`name="usage_of_account.trx_value_monthly"[^>]*value="${shown}"`))
      // The page of the other language shows the same number, and sending it unchanged changes nothing.
      const other = { ...headers, 'Accept-Language': language === 'en' ? 'de' : 'en' }
      const again = await (await send(path, undefined, other)).text()
      const name = 'usage_of_account.trx_value_monthly'
      const valueIn = (input: string) => fieldIn(again, input)
      const unchanged = { _csrf: csrf, [name]: valueIn(name), [`was:${name}`]: valueIn(`was:${name}`) }
      expect((await send(path, unchanged, other)).status).toBe(303)
      expect(await stored()).toBe(saved)
    },
  )
  test('refuse a number that is not written in either notation', async () => {
    const externalUuid = unique()
    const { base, headers, csrf } = await signIn(await begin(externalUuid))
    const form = { _csrf: csrf, 'usage_of_account.trx_value_monthly': '1,25,000' }
    const refused = await send(`${base}/usage_of_account`, form, headers)
    expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('value="1,25,000"')])
    expect((await kybOf(externalUuid)).usage_of_account.trx_value_monthly).toBe(null)
  })
  test('are locked after the verification is closed', async () => {
    const externalUuid = unique()
    const { base, headers, csrf } = await signIn(await begin(externalUuid))
    const { id } = await kybOf(externalUuid)
    await api.post(`/sandbox/kyb/${id}/simulate_review`, { outcome: 'rejected' })
    const form = { _csrf: csrf, 'nature_of_business.legal_company_name': 'Late Ltd' }
    const refused = await send(`${base}/nature_of_business`, form, headers)
    expect(refused.status).toBe(403)
    expect(await refused.text()).toContain('The review is complete')
    const file = new FormData()
    file.set('file', new File(['%PDF-1.4'], 'late.pdf'))
    const late = await send(`${base}/files/articles_of_association`, file, headers)
    expect([late.status, await late.text()]).toEqual([403, expect.stringContaining('The review is complete')])
    const page = await send(`${base}/nature_of_business`, undefined, headers)
    expect(await page.text()).toContain('could not be verified')
  })
})

const JSON_ONLY = { Accept: 'application/json' }

describe('the longest texts of a section', () => {
  const TEXTS = Object.entries(KYB_FIELDS.nature_of_business)
    .filter(([, { type }]) => type === 'text' || type === 'short_text')
    .map(([field]) => field)
  const longest = (character: string) =>
    Object.fromEntries(TEXTS.map((field) => [field, character.repeat(5_000)]))
  const formOf = (csrf: string, values: object, began: object = {}) => {
    const form = new URLSearchParams({ _csrf: csrf })
    for (const [field, value] of Object.entries(values)) form.append(`nature_of_business.${field}`, value)
    for (const [field, value] of Object.entries(began)) form.append(`was:nature_of_business.${field}`, value)
    return form
  }

  test('are saved in any script, even over texts of the same length', async () => {
    const externalUuid = unique()
    const { base, headers, csrf } = await signIn(await begin(externalUuid))
    const { id } = await kybOf(externalUuid)
    const [before, after] = [longest('漢'), longest('字')]
    expect((await api.patch(`/kyb/${id}`, { nature_of_business: before })).status).toBe(200)
    const form = formOf(csrf, after, before)
    expect(form.toString().length).toBeGreaterThan(900_000)
    expect((await send(`${base}/nature_of_business`, form, headers)).status).toBe(303)
    expect((await kybOf(externalUuid)).nature_of_business).toMatchObject(after)
  })
  test('are read only with a session of the verification, and only up to the limit', async () => {
    const { base, headers, csrf } = await signIn(await begin(unique()))
    const other = await signIn(await begin(unique()))
    const path = `${base}/nature_of_business`
    expect((await send(path, formOf(csrf, longest('漢')))).status).toBe(401)
    expect((await send(path, formOf(csrf, longest('漢')), other.headers)).status).toBe(401)
    const more = formOf(csrf, longest('漢'), longest('字'.repeat(3)))
    expect((await send(path, more, headers)).status).toBe(413)
  })
  test('keep their spaces and special characters', async () => {
    const externalUuid = unique()
    const { base, headers, csrf } = await signIn(await begin(externalUuid))
    const typed = { legal_company_name: 'A + B & C  % Ltd' }
    expect((await send(`${base}/nature_of_business`, formOf(csrf, typed), headers)).status).toBe(303)
    expect((await kybOf(externalUuid)).nature_of_business).toMatchObject(typed)
  })
})

describe('concurrent editing of a form', () => {
  const shownIn = (page: string, name: string) => fieldIn(page, `was:${name}`)

  test('does not overwrite values that the applicant has not seen', async () => {
    const externalUuid = unique()
    const { base, headers, csrf } = await signIn(await begin(externalUuid))
    const { id } = await kybOf(externalUuid)
    const before = { legal_company_name: 'Before Ltd', city_address: 'Berlin', vat_number: 'DE1' }
    await api.patch(`/kyb/${id}`, { nature_of_business: before })
    await api.patch(`/kyb/${id}`, {
      nature_of_business: { legal_company_name: 'Theirs Ltd', vat_number: 'DE2' },
    })
    const form: Record<string, string> = { _csrf: csrf }
    for (const [field, value] of Object.entries(before)) {
      form[`nature_of_business.${field}`] = value
      form[`was:nature_of_business.${field}`] = value
    }
    form['nature_of_business.legal_company_name'] = 'Mine Ltd'
    form['nature_of_business.city_address'] = 'Lisbon'
    const answer = await send(`${base}/nature_of_business`, form, headers)
    const page = await answer.text()
    expect([answer.status, page]).toEqual([409, expect.stringContaining('someone else entered “Theirs Ltd”')])
    expect(page).toContain('value="Mine Ltd"')
    expect((await kybOf(externalUuid)).nature_of_business).toMatchObject({
      legal_company_name: 'Theirs Ltd',
      city_address: 'Lisbon',
      vat_number: 'DE2',
    })
    // The applicant has seen the other value, so the second submission overwrites it.
    const name = 'nature_of_business.legal_company_name'
    const again = { _csrf: csrf, [name]: 'Mine Ltd', [`was:${name}`]: shownIn(page, name) ?? '' }
    expect((await send(`${base}/nature_of_business`, again, headers)).status).toBe(303)
    expect((await kybOf(externalUuid)).nature_of_business).toMatchObject({ legal_company_name: 'Mine Ltd' })
  })
  test.each([
    ['company_type', 'trust', 'foundation', 'branch', 'Foundation'],
    ['different_commercial_name', '', false, 'true', 'No'],
    ['date_of_incorporation', '', '2015-02-28', '2016-02-28', '28 February 2015'],
    ['country_address', 'DE', 'FR', 'PT', 'France'],
    ['city_address', 'Bonn', null, 'Lisbon', null],
  ])('detects conflicts in each type of field: %s', async (field, began, theirs, mine, words) => {
    const externalUuid = unique()
    const { base, headers, csrf } = await signIn(await begin(externalUuid))
    const { id } = await kybOf(externalUuid)
    await api.patch(`/kyb/${id}`, { nature_of_business: { [field]: theirs } })
    const name = `nature_of_business.${field}`
    const form = { _csrf: csrf, [name]: mine, [`was:${name}`]: began }
    const answer = await send(`${base}/nature_of_business`, form, { ...headers, ...JSON_ONLY })
    const message = words === null ? 'someone else cleared this field' : `“${words}”`
    expect((await answer.json()).problems).toEqual([
      {
        field: name,
        message: expect.stringContaining(message),
        theirs: theirs === null ? [] : [String(theirs)],
      },
    ])
    expect((await kybOf(externalUuid)).nature_of_business[field]).toBe(theirs)
  })
  test('treats a group of checkboxes as one field, and clears it if none is selected', async () => {
    const externalUuid = unique()
    const { base, headers, csrf } = await signIn(await begin(externalUuid))
    const { id } = await kybOf(externalUuid)
    const name = 'usage_of_account.source_of_funds'
    const tick = (was: string, ...values: string[]) => {
      const form = new URLSearchParams({ _csrf: csrf, [`was:${name}`]: was, [name]: '' })
      for (const value of values) form.append(name, value)
      return send(`${base}/usage_of_account`, form, headers)
    }
    const stored = async () => (await kybOf(externalUuid)).usage_of_account.source_of_funds
    expect((await tick('', 'revenue', 'loan')).status).toBe(303)
    expect((await tick('', 'grant')).status).toBe(409)
    expect((await stored()).sort()).toEqual(['loan', 'revenue'])
    expect((await tick('loan,revenue', 'revenue', 'loan')).status).toBe(303)
    expect((await tick('loan,revenue')).status).toBe(303)
    expect(await stored()).toEqual([])
    await api.patch(`/kyb/${id}`, { usage_of_account: { source_of_funds: ['grant'] } })
    expect((await send(`${base}/usage_of_account`, { _csrf: csrf }, headers)).status).toBe(303)
    expect(await stored()).toEqual(['grant'])
  })
})

describe('requests from scripts', () => {
  test('save the valid fields, and name the invalid ones', async () => {
    const externalUuid = unique()
    const { base, headers, csrf } = await signIn(await begin(externalUuid))
    const path = `${base}/usage_of_account`
    const form = {
      _csrf: csrf,
      'usage_of_account.trx_count_monthly': '50,00,000',
      'was:usage_of_account.trx_count_monthly': '',
      'usage_of_account.trx_value_monthly': '1500,5',
      'was:usage_of_account.trx_value_monthly': '',
    }
    const answer = await send(path, form, { ...headers, ...JSON_ONLY })
    const body = await answer.json()
    expect([answer.status, body]).toEqual([
      200,
      {
        saved_at: expect.stringMatching(/^\d{4}-.+Z$/),
        saved: { 'usage_of_account.trx_value_monthly': '1500.5' },
        problems: [
          {
            field: 'usage_of_account.trx_count_monthly',
            message: expect.stringContaining('enter a number'),
          },
        ],
      },
    ])
    const { usage_of_account: usage } = await kybOf(externalUuid)
    expect(usage).toMatchObject({ trx_count_monthly: null, trx_value_monthly: '1500.5' })
    // The script has not received the response, so it sends both earlier values.
    const later = new URLSearchParams({ _csrf: csrf, 'usage_of_account.trx_value_monthly': '1600' })
    for (const was of ['', '1500,5']) later.append('was:usage_of_account.trx_value_monthly', was)
    expect((await (await send(path, later, { ...headers, ...JSON_ONLY })).json()).problems).toEqual([])
    expect((await kybOf(externalUuid)).usage_of_account).toMatchObject({ trx_value_monthly: '1600' })
  })
  test('normalise phone numbers, website addresses and country codes', async () => {
    const externalUuid = unique()
    const { base, headers, csrf } = await signIn(await begin(externalUuid))
    const save = async (section: string, fields: Record<string, string>) => {
      const named = Object.entries(fields).map(([field, value]) => [`${section}.${field}`, value])
      const form = { _csrf: csrf, ...Object.fromEntries(named) }
      return (await send(`${base}/${section}`, form, { ...headers, ...JSON_ONLY })).json()
    }
    const company = { phone: '0049 (30) 123-456', website: 'example.com/about' }
    expect((await save('nature_of_business', company)).problems).toEqual([])
    for (const [typed, stored] of [
      ['de; fr', 'DE, FR'],
      ['DE,IT', 'DE,IT'],
    ] as const) {
      const usage = { list_of_countries_operated: typed }
      expect((await save('usage_of_account', usage)).problems).toEqual([])
      expect((await kybOf(externalUuid)).usage_of_account.list_of_countries_operated).toBe(stored)
    }
    expect((await kybOf(externalUuid)).nature_of_business).toMatchObject({
      phone: '+4930123456',
      website: 'https://example.com/about',
    })
    await save('nature_of_business', { phone: '+44 (0)20 7946 0958' })
    expect((await kybOf(externalUuid)).nature_of_business.phone).toBe('+442079460958')
    // Ambiguous values are refused.
    for (const list_of_countries_operated of ['Germany', 'no', ',', 'de fra'])
      expect((await save('usage_of_account', { list_of_countries_operated })).problems).toHaveLength(1)
    for (const website of ['info@example.com', 'n.a.', '1.5'])
      expect((await save('nature_of_business', { website })).problems).toHaveLength(1)
  })
  test('return refusals as messages', async () => {
    const externalUuid = unique()
    const { base, headers, csrf } = await signIn(await begin(externalUuid))
    const name = { 'nature_of_business.legal_company_name': 'Late Ltd' }
    const post = (form: object, more: object = headers) =>
      send(`${base}/nature_of_business`, form, { ...more, ...JSON_ONLY })
    expect((await post({ ...name, _csrf: csrf }, {})).status).toBe(401)
    expect((await post({ ...name, _csrf: 'foreign' })).status).toBe(403)
    const { id } = await kybOf(externalUuid)
    await api.post(`/sandbox/kyb/${id}/simulate_review`, { outcome: 'rejected' })
    const locked = await post({ ...name, _csrf: csrf })
    expect([locked.status, await locked.json()]).toEqual([
      403,
      { problems: [{ field: '', message: expect.stringContaining('The review is complete') }] },
    ])
  })
  test('store a repeated file once in a list', async () => {
    const externalUuid = unique()
    const { base, headers, csrf } = await signIn(await begin(externalUuid))
    const post = async (text: BlobPart, path = 'files/articles_of_association') => {
      const form = new FormData()
      form.set('_csrf', csrf)
      form.set('file', new File([text], 'articles.pdf'))
      const answer = await send(`${base}/${path}`, form, { ...headers, ...JSON_ONLY })
      return { status: answer.status, ...(await answer.json()) }
    }
    const once = { status: 200, file: expect.any(String), problems: [] }
    expect(await post('%PDF-1.4 first')).toEqual(once)
    expect(await post('%PDF-1.4 first')).toEqual(once)
    expect(await Promise.all([post('%PDF-1.4 second'), post('%PDF-1.4 second')])).toEqual([once, once])
    expect(await post('%PDF-1.4 first', 'files/legal_structures')).toEqual(once)
    const page = await fetch(`${baseUrl}${base}/business_files`, { headers })
    expect(await page.text()).toContain('This file cannot be opened. Remove it')
    for (const [file, says] of [
      [cameraFiles.heic, 'choose Settings > Camera > Formats > Most Compatible'],
      [cameraFiles.tiff, 'Set the scanner or camera to PDF or JPEG'],
    ] as const) {
      const { status, problems } = await post(new Uint8Array(file))
      expect([status, problems[0].message]).toEqual([422, expect.stringContaining(says)])
    }
    expect(await post('<html>')).toEqual({
      status: 422,
      problems: [
        {
          field: 'articles_of_association',
          message: expect.stringContaining('choose a PDF, JPEG or PNG file'),
        },
      ],
    })
    const { business_files: lists } = await kybOf(externalUuid)
    expect([lists.articles_of_association.length, lists.legal_structures.length]).toEqual([2, 1])
  })
})

describe('resources of pages', () => {
  test('include scripts from the same origin only, and no other files are served', async () => {
    const page = await send('/verify/nobody')
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

describe('missing items of a company’s form', () => {
  test('are grouped in the list, with the reason if there is a value, which is also at the field', async () => {
    const externalUuid = unique()
    const { base, headers, csrf } = await signIn(await begin(externalUuid))
    const date = 'nature_of_business.date_of_incorporation'
    const saved = await send(`${base}/nature_of_business`, { _csrf: csrf, [date]: '2090-01-01' }, headers)
    expect(saved.status).toBe(303)
    const { id } = await kybOf(externalUuid)
    await api.patch(`/kyb/${id}`, { business_files: { signature_type: 'joint' } })
    await api.upload(id, { attribute: 'articles_of_association' }, new Blob(['%PDF-1.4\n']))
    const read = async (page: string) => (await send(`${base}/${page}`, undefined, headers)).text()
    const list = await read('check')
    for (const text of [
      'The date is in the future.',
      'How you will use the account: 8 missing',
      'Documents: 5 missing',
      'The document cannot be opened.',
    ])
      expect(list).toContain(text)
    expect(list).toMatch(/aria-disabled="true"[^>]*>(?:(?!<button).)*Submit for review/s)
    expect(list).not.toContain('Corrections needed')
    expect(await read('nature_of_business')).toMatch(
      /class="comment" id="[^"]+-comment">The date is in the future/,
    )
    expect(await read('business_files')).toContain('<strong>The document cannot be opened.')
  })
})

test('lists corrections with the reviewer’s comments, separate from missing items', async () => {
  const externalUuid = unique()
  const { base, headers } = await signIn(await begin(externalUuid))
  const { id } = await kybOf(externalUuid)
  const path = 'nature_of_business.company_registration_id'
  await api.patch(`/kyb/${id}`, { nature_of_business: { company_registration_id: 'HRB 1' } })
  const findings = [{ path, code: 'expired', comment: 'It ended in May.' }]
  const revision = { outcome: 'revision_requested', reason_code: 'other', findings }
  expect((await api.post(`/sandbox/kyb/${id}/simulate_review`, revision)).status).toBe(200)
  const page = await (await send(`${base}/check`, undefined, headers)).text()
  const [corrected = '', missing = ''] = page.split(/<h2>[^<]* missing</)
  expect(corrected).toMatch(
    new RegExp(
      `Corrections needed.+#${path}".+<p class="lines">This item has expired. Provide a valid one.\\n“It ended in May.”`,
      's',
    ),
  )
  expect(missing).not.toContain(`#${path}`)
})

test('keeps requested fields in the list of corrections after they are corrected', async () => {
  const externalUuid = unique()
  const { base, headers } = await signIn(await begin(externalUuid))
  const { id } = await kybOf(externalUuid)
  const fields = ['nature_of_business.phone', 'nature_of_business.email']
  const revision = { outcome: 'revision_requested', reason_code: 'other', fields }
  expect((await (await gatehouse.operator()).post(`/kyb/${id}/decision`, revision)).status).toBe(200)
  const marks = async () => {
    const page = await (await send(base, undefined, headers)).text()
    return [page.match(/class="fix-row"/g)?.length, page.match(/> ?Fixed</g)?.length ?? 0]
  }
  expect(await marks()).toEqual([2, 0])
  await api.patch(`/kyb/${id}`, { nature_of_business: { phone: '+4930123456' } })
  expect(await marks()).toEqual([2, 1])
})

test('shows a name of 5,000 characters completely at its field, and shortens it in lists of people', async () => {
  const externalUuid = unique()
  const { base, headers } = await signIn(await begin(externalUuid))
  const { id } = await kybOf(externalUuid)
  const people = Array.from({ length: 5 }, (_, n) => ({
    email: `a${n}@example.com`,
    full_name: '&'.repeat(5_000),
  }))
  await api.patch(`/kyb/${id}`, { beneficiaries: { beneficiaries_list: people } })
  const { operator_email: email, operator_password: password } = gatehouse.credentials
  const console = await openConsole(baseUrl, { email, password })
  for (const page of [
    await (await send(`${base}/check`, undefined, headers)).text(),
    await console.text(`/console/kyb/${id}`),
  ])
    expect(page.match(/(&amp;){5000}/g)).toHaveLength(5)
  expect(await (await send(`${base}/beneficiaries`, undefined, headers)).text()).toContain(
    `>${'&amp;'.repeat(99)}…</a>`,
  )
})

describe('the final page of a company’s form', () => {
  test('redirects to the client with only the ID and the status', async () => {
    const externalUuid = unique()
    const more = { redirect_url: 'https://client.example/back?case=7', email: 'office@example.com' }
    const { base, headers } = await signIn(await beginCompany(gatehouse, externalUuid, more))
    const { id, identification_id } = await kybOf(externalUuid)
    await api.post(`/sandbox/kyb/${id}/simulate_review`, { outcome: 'approved' })
    await eventually(async () => {
      const page = await (await send(base, undefined, headers)).text()
      const [, href = ''] = /class="button" href="([^"]+)"/.exec(page) ?? []
      expect(href.replaceAll('&amp;', '&')).toBe(
        `https://client.example/back?case=7&identification_id=${identification_id}&status=approved`,
      )
    })
  })
})

/** Creates a complete application and opens its form. */
async function openComplete() {
  const { id } = await completeApplication(api)
  const { data } = (await api.post(`/kyb/${id}/form_link`, { new_password: true })).body
  const company = { link: new URL(data.url).pathname, password: data.generated_password }
  const { base, headers, csrf } = await signIn(company)
  const read = async (page = '') => (await send(`${base}${page}`, undefined, headers)).text()
  const post = (page: string, form: object = {}) => send(`${base}${page}`, { _csrf: csrf, ...form }, headers)
  return { id, base, headers, csrf, read, post }
}

describe('submitting a company’s form', () => {
  test('is offered until it is done, and again after each revision request', async () => {
    const { id, base, read, post } = await openComplete()
    expect(await read()).toContain('Check and submit')
    const submit = async () => {
      expect(await read('/check')).toContain('Submit for review')
      const sent = await post('/check')
      expect([sent.status, sent.headers.get('Location')]).toEqual([303, `${base}/done`])
      for (const page of ['', '/check', '/nature_of_business']) {
        expect(await read(page)).not.toMatch(/Check and submit|Submit for review/)
      }
      expect(await read()).toContain('Submitted for review')
      const operator = await gatehouse.operator()
      expect((await operator.get(`/kyb/${id}`)).body.data.waiting_on).toBe('operator')
    }
    await submit()
    expect((await post('/check')).status).toBe(303)
    await api.post(`/sandbox/kyb/${id}/simulate_review`, { outcome: 'revision_requested' })
    expect(await read()).toContain('Check and submit')
    await submit()
    const revision = {
      outcome: 'revision_requested',
      reason_code: 'other',
      client_comment: 'Look once more.',
    }
    expect((await (await gatehouse.operator()).post(`/kyb/${id}/decision`, revision)).status).toBe(200)
    expect(await read('/check')).toContain('Look once more.')
    await submit()
    const submissions = (await (await gatehouse.operator()).get(`/kyb/${id}/timeline`)).body.data.filter(
      ({ action }: { action: string }) => action === 'submit',
    )
    expect(submissions).toHaveLength(3)
  })
})

describe('findings', () => {
  const PHONE = 'nature_of_business.phone'
  const LIST = 'business_files.articles_of_association'

  test('are resolved by a change or a reply, which the reviewer can read', async () => {
    const { id, base, headers, read, post } = await openComplete()
    const operator = await gatehouse.operator()
    const [document] = (await api.get(`/kyb/${id}`)).body.data.business_files.articles_of_association
    const findings = [
      { path: PHONE, code: 'mismatch', comment: 'Another number?' },
      { path: LIST, file_id: document.id, code: 'expired' },
      { path: 'nature_of_business.city_address', code: 'mismatch' },
    ]
    const revision = { outcome: 'revision_requested', reason_code: 'other', findings }
    expect((await operator.post(`/kyb/${id}/decision`, revision)).status).toBe(200)
    const place = `reply.${LIST}#${document.id}`
    const page = `/replies?path=${LIST}&file_id=${document.id}`
    expect(await read('/business_files')).toContain(`href="${base}${page.replace('&', '&amp;')}"`)
    expect(await read(page)).toMatch(/Reply to the reviewer.+This item has expired/s)
    expect(await read('/nature_of_business')).toContain(`href="${base}/replies?path=${PHONE}"`)
    const unknown = await send(`${base}/replies?path=nature_of_business.email`, undefined, headers)
    expect(unknown.headers.get('Location')).toBe(`${base}/check`)
    expect(await read('/check')).toContain(`id="${place}"`)
    // The form cannot be submitted while a finding is unanswered. The page names each one.
    const early = await post('/check')
    const refused = await early.text()
    expect(early.status).toBe(422)
    for (const { path, file_id } of findings) {
      const at = `reply.${path}${file_id ? `#${file_id}` : ''}`
      expect(refused).toContain(`<li><a href="#${at}">`)
      expect(refused).toContain(`id="${at}"`)
    }
    const empty = await post('/replies', { path: PHONE, reply: '  ' })
    expect([empty.status, await empty.text()]).toEqual([
      422,
      expect.stringContaining(`<a href="#reply.${PHONE}-text">Enter a reply of at most`),
    ])
    const reply = 'It rings <b>here</b>.'
    for (const form of [
      { path: PHONE, reply: 'x' },
      { path: PHONE, reply },
      { path: LIST, file_id: document.id, reply: 'Until 2030.' },
      // A reply to an answered or unknown finding changes nothing.
      { path: 'nature_of_business.email', reply: 'x' },
    ]) {
      const sent = await post('/replies', form)
      expect([sent.status, sent.headers.get('Location')]).toEqual([303, `${base}/check`])
    }
    expect(await read('/check')).toContain('It rings &lt;b>here&lt;/b>.')
    await api.patch(`/kyb/${id}`, { nature_of_business: { city_address: 'Hamburg' } })
    expect((await post('/check')).headers.get('Location')).toBe(`${base}/done`)

    const replies = [
      { path: PHONE, code: 'mismatch', message: 'Another number?', reply },
      { path: LIST, file_id: document.id, code: 'expired', message: null, reply: 'Until 2030.' },
    ]
    const { data } = (await operator.get(`/kyb/${id}`)).body
    expect(data).toMatchObject({ waiting_on: 'operator', requirements: { errors: [] }, review: { replies } })
    expect((await api.get(`/kyb/${id}`)).body.data.review.replies).toEqual(replies)
    const { operator_email: email, operator_password: password } = gatehouse.credentials
    const shown = await (await openConsole(baseUrl, { email, password })).text(`/console/kyb/${id}`)
    expect(shown).toMatch(/Replies from the applicant.+Another number\?.+It rings &lt;b>here.+Until 2030\./s)
    const foreign = await send(`${base}/replies`, { _csrf: 'x', path: PHONE, reply: 'x' }, headers)
    expect(foreign.status).toBe(403)
  })
  test('are answered with the submission if they concern the whole application', async () => {
    const { id, read, post } = await openComplete()
    const operator = await gatehouse.operator()
    const revision = { outcome: 'revision_requested', reason_code: 'other', client_comment: 'Why twelve?' }
    expect((await operator.post(`/kyb/${id}/decision`, revision)).status).toBe(200)
    expect(await read('/check')).toContain('Why twelve?')
    const long = await post('/check', { reply: 'x'.repeat(2_001) })
    expect([long.status, await long.text()]).toEqual([
      422,
      expect.stringContaining('id="reply.application-problem"'),
    ])
    expect((await post('/check', { reply: 'There are many.' })).status).toBe(303)
    expect((await operator.get(`/kyb/${id}`)).body.data.review.replies).toEqual([
      { path: 'application', code: 'other', message: 'Why twelve?', reply: 'There are many.' },
    ])
  })
  test('are answered with replies or the submission if they concern a person', async () => {
    const operator = await gatehouse.operator()
    const other = await openPerson(baseUrl, await beginPerson(gatehouse))
    await fillInPerson(other)
    await submitPerson(other)
    await untilWaitingOn(gatehouse, other.id, 'operator')
    const findings = [
      { path: 'city', code: 'mismatch', comment: 'Another town?' },
      { path: 'selfie', code: 'unreadable' },
    ]
    const asked = { outcome: 'initiated', reason_code: 'other', findings }
    expect((await operator.post(`/identifications/${other.id}/decision`, asked)).status).toBe(200)
    for (const [page, path] of [
      ['/details', 'city'],
      ['/selfie', 'selfie'],
    ])
      expect(await (await other.get(page ?? '')).text()).toContain(`href="${other.base}/check#reply.${path}"`)
    const refused = await other.post('/check')
    expect([refused.status, await refused.text()]).toEqual([
      422,
      expect.stringContaining('<a href="#reply.city">City: make the correction, or reply to the reviewer'),
    ])
    for (const { path } of findings) {
      const sent = await other.post('/replies', { path, reply: `My ${path}.` })
      expect([sent.status, sent.headers.get('Location')]).toEqual([303, `${other.base}/check`])
    }
    await submitPerson(other)
    await untilWaitingOn(gatehouse, other.id, 'operator')
    const { review } = (await operator.get(`/identifications/${other.id}`)).body.data
    expect(review).toMatchObject({
      corrections: [],
      replies: findings.map(({ path }) => ({ path, reply: `My ${path}.` })),
    })
    const { operator_email: email, operator_password: password } = gatehouse.credentials
    const console = await openConsole(baseUrl, { email, password })
    expect(await console.text(`/console/identifications/${other.id}`)).toMatch(
      /Replies from the applicant.+Another town\?.+My city\..+My selfie\./s,
    )
  })
})

describe('the overview of a company’s form', () => {
  test('names the next item, and locks the check until everything is done', async () => {
    const { base, headers } = await signIn(await begin(unique()))
    const empty = await (await send(base, undefined, headers)).text()
    expect(empty).toMatch(/0 of 14 done.+<h2 id="next-title">Registered details.+6 answers/s)
    expect(empty).toContain(`href="${base}/nature_of_business#nature_of_business.legal_company_name"`)
    expect(empty).not.toMatch(new RegExp(`class="task-row" href="${base}/check"`))
    const complete = await openComplete()
    const [ada] = (await api.get(`/kyb/${complete.id}`)).body.data.beneficiaries.beneficiaries_list
    expect(await complete.read()).toMatch(
      new RegExp(
        `14 of 14 done.+All details are complete.+class="task-row" href="${complete.base}/check"`,
        's',
      ),
    )
    const file = ada.beneficiary_identification[0].id
    await api.put(`/kyb/delete_file/${complete.id}`, {
      blob_key: file,
      attribute_key: 'beneficiary_identification',
    })
    const place = `${complete.base}/owners/${ada.external_id}/link#person-${ada.external_id}`
    expect(await complete.read()).toMatch(
      new RegExp(`13 of 14 done.+Ada Lovelace’s ID is still missing.+href="${place}"`, 's'),
    )
  })
})

describe('saving an empty section', () => {
  const NEXT: Readonly<Record<string, string>> = {
    nature_of_business: 'usage_of_account',
    usage_of_account: 'beneficiaries',
    beneficiaries: 'business_files',
    business_files: 'nature_of_business',
  }
  test.each(Object.keys(NEXT))('lists the missing fields: %s', async (section) => {
    const { base, headers, csrf } = await signIn(await begin(unique()))
    const saved = await send(`${base}/${section}`, { _csrf: csrf }, headers)
    const next = await send(saved.headers.get('Location') ?? '', undefined, headers)
    const location = next.headers.get('Location') ?? ''
    expect(location).toBe(`${base}/${section}?missing`)
    const page = await (await send(location, undefined, headers)).text()
    const [, places = []] = [page, [...page.matchAll(/<li><a href="#([^"]+)">/g)].map(([, id]) => id)]
    expect(places.length).toBeGreaterThan(0)
    for (const place of places) expect(page).toContain(`id="${place}"`)
    expect(page).toContain(`<a href="${base}/${NEXT[section]}">Continue and add details later</a>`)
  })
  test('continues if a field has a value', async () => {
    const { base, headers, csrf } = await signIn(await begin(unique()))
    const form = { _csrf: csrf, 'nature_of_business.legal_company_name': 'Engines Ltd' }
    const saved = await send(`${base}/nature_of_business`, form, headers)
    const next = await send(saved.headers.get('Location') ?? '', undefined, headers)
    expect(next.headers.get('Location')).toBe(`${base}/usage_of_account`)
  })
  test('leads to the overview if no other section is incomplete', async () => {
    const { base, headers, csrf } = await openComplete()
    const form = { _csrf: csrf, 'nature_of_business.legal_company_name': ' ' }
    const saved = await send(`${base}/nature_of_business`, form, headers)
    const next = await send(saved.headers.get('Location') ?? '', undefined, headers)
    expect(next.headers.get('Location')).toBe(base)
  })
  test('shows a question that an answer raises before the next section', async () => {
    const { base, headers, csrf } = await signIn(await begin(unique()))
    const field = 'usage_of_account.nesting_confirmation'
    const answer = { _csrf: csrf, [field]: 'true', [`was:${field}`]: '' }
    const saved = await send(`${base}/usage_of_account`, answer, headers)
    const raised = `${base}/usage_of_account#usage_of_account.nesting_justification`
    expect([saved.status, saved.headers.get('Location')]).toEqual([303, raised])
    const again = { ...answer, [`was:${field}`]: 'true' }
    const repeated = await send(`${base}/usage_of_account`, again, headers)
    expect(repeated.headers.get('Location')).toBe(`${base}/next/usage_of_account`)
  })
  test('lists the missing fields of a person', async () => {
    const person = await openPerson(baseUrl, await beginPerson(gatehouse))
    await person.post('/consent', { consent: 'yes' })
    for (const [page, label] of [
      ['/details', 'Surname'],
      ['/document', 'Document number'],
    ] as const) {
      const saved = await person.post(page)
      const next = (await send(saved.headers.get('Location') ?? '', undefined, person.headers)).headers
      expect(next.get('Location')).toBe(`${person.base}${page}?missing`)
      expect(await (await person.get(`${page}?missing`)).text()).toContain(`${label}: This field is empty.`)
    }
  })
})

describe('revision requests', () => {
  async function asked(field: string) {
    const { id, base, headers, csrf } = await openComplete()
    const application = async () => (await api.get(`/kyb/${id}`)).body.data
    const [ada] = (await application()).beneficiaries.beneficiaries_list
    const path = `beneficiaries.beneficiaries_list.${ada.external_id}.${field}`
    const operator = await gatehouse.operator()
    const more = { reason_code: 'other', client_comment: 'Not this one.', fields: [path] }
    const decision = { outcome: 'revision_requested', ...more }
    expect((await operator.post(`/kyb/${id}/decision`, decision)).status).toBe(200)
    const read = async (page: string) => (await send(`${base}/${page}`, undefined, headers)).text()
    expect(await read('check')).toMatch(new RegExp(`${base}/owners/${ada.external_id}(/upload)?#${path}`))
    return { id, ada, base, headers, csrf, path, read }
  }

  test('are resolved by a different email if they concern a person’s email', async () => {
    const { ada, base, headers, csrf, path, read } = await asked('email')
    const owner = `owners/${ada.external_id}`
    expect(await read(owner)).toContain('Not this one.')
    const email = 'ada.king@example.com'
    const sent = { _csrf: csrf, [path]: email, [`was:${path}`]: ada.email }
    expect((await send(`${base}/${owner}`, sent, headers)).status).toBe(303)
    expect(await read(owner)).toContain(email)
    expect(await read('check')).not.toContain(path)
  })
  test('are resolved through the person’s own link if they concern an identity document', async () => {
    const { id, ada, base, headers, path, read } = await asked('beneficiary_identification')
    const named = { external_id: ada.external_id, full_name: 'Approved Ada Lovelace' }
    await api.patch(`/kyb/${id}`, { beneficiaries: { beneficiaries_list: [named] } })
    const person = await openPerson(baseUrl, new URL(ada.link).pathname)
    await fillInPerson(person, { name: 'Approved Ada' })
    await submitPerson(person)
    await eventually(async () => expect(await read('check')).not.toContain(path))
    expect(await read('check')).toContain('Submit for review')
    expect((await send(`${base}/done`, undefined, headers)).status).toBe(200)
  })
})

describe('an appeal', () => {
  test('changes the final page to the current result with its own comment', async () => {
    const externalUuid = unique()
    const more = { redirect_url: 'https://client.example/back' }
    const { base, headers } = await signIn(await beginCompany(gatehouse, externalUuid, more))
    const { id, identification_id: companyId } = await kybOf(externalUuid)
    const operator = await gatehouse.operator()
    const rejected = { outcome: 'rejected', reason_code: 'other', client_comment: 'The register differs.' }
    expect((await operator.post(`/kyb/${id}/decision`, rejected)).status).toBe(200)
    await untilStatus(api, companyId, 'rejected')
    const read = async (status: string) => {
      const page = await (await send(`${base}/done`, undefined, headers)).text()
      expect(page).toContain(`status=${status}`)
      return {
        title: /<h1>(.+)<\/h1>/.exec(page)?.[1],
        said: /id="comment">.*?<p class="lines">(.+?)<\/p>/s.exec(page)?.[1],
        isCurrent: page.includes('data-refresh'),
      }
    }
    const failed = 'Your company could not be verified'
    expect(await read('rejected')).toEqual({ title: failed, said: 'The register differs.', isCurrent: false })
    const appeal = async (outcome: string, comment?: string) => {
      const decision = { outcome, reason_code: 'other', client_comment: comment }
      expect((await operator.post(`/identifications/${companyId}/decision`, decision)).status).toBe(200)
      return read(outcome)
    }
    const asked = { title: 'More information needed', said: 'Send a new extract.', isCurrent: true }
    const waiting = { title: 'Company details submitted', said: undefined, isCurrent: true }
    expect(await appeal('attention', 'For operators.')).toEqual(waiting)
    expect(await appeal('initiated', asked.said)).toEqual(asked)
    expect((await api.put(`/identifications/${companyId}`, { city: 'Porto' })).status).toBe(200)
    expect(await read('initiated')).toEqual(waiting)
    expect(await appeal('attention')).toEqual(waiting)
    expect(await appeal('rejected', 'Still.')).toEqual({ title: failed, said: 'Still.', isCurrent: false })
    expect(await appeal('attention')).toEqual(waiting)
    expect(await appeal('rejected')).toEqual({ title: failed, said: undefined, isCurrent: false })
    expect(await appeal('attention')).toEqual(waiting)
    const approved = { title: 'Your company is verified', said: undefined, isCurrent: false }
    expect(await appeal('approved')).toEqual(approved)
  })
})

describe('owners', () => {
  const NEW = 'beneficiaries.beneficiaries_list.new.'

  test('are added and removed once if the button is pressed twice, in sequence or at the same time', async () => {
    const externalUuid = unique()
    const { base, headers, csrf } = await signIn(await begin(externalUuid))
    const people = async () => (await kybOf(externalUuid)).beneficiaries.beneficiaries_list
    const list = [303, `${base}/beneficiaries`]
    const press = async (path: string, form: object = {}) => {
      const { status, headers: response } = await send(`${base}/${path}`, { _csrf: csrf, ...form }, headers)
      return [status, response.get('Location')]
    }
    const ada = {
      [`${NEW}email`]: 'ada@example.com',
      [`${NEW}full_name`]: 'Ada',
      [`was:${NEW}full_name`]: '',
    }
    const add = (more: object = {}) => press('owners/new', { ...ada, ...more })
    expect([await add(), await add({ [`${NEW}email`]: 'Ada@example.com' })]).toEqual([list, list])
    expect(await people()).toHaveLength(1)
    // Gatehouse refuses a different person with the same email.
    expect(await add({ [`${NEW}full_name`]: 'Charles' })).toEqual([422, null])
    const [{ external_id }] = await people()
    const remove = () => press(`owners/${external_id}/remove`)
    expect([await remove(), await remove()]).toEqual([list, list])
    expect(await Promise.all([add(), add()])).toEqual([list, list])
    const [{ external_id: again }] = await people()
    const removeAgain = () => press(`owners/${again}/remove`)
    expect(await Promise.all([removeAgain(), removeAgain()])).toEqual([list, list])
    expect(await people()).toEqual([])
  })
})

test('counts the same documents in the rail and in the checklist', async () => {
  const externalUuid = unique()
  const { base, headers } = await signIn(await begin(externalUuid))
  const read = async (page: string) => (await send(`${base}${page}`, undefined, headers)).text()
  await api.patch(`/kyb/${(await kybOf(externalUuid)).id}`, { business_files: { signature_type: 'single' } })
  const page = await read('/business_files')
  expect(page).toContain('<span class="rail-count">0 of 5</span>')
  expect(page).toContain('0 of 5 added')
})

test('warns if the shares exceed 100 percent, or a large shareholder does not have the role “Owner”', async () => {
  const { id, base, headers, read } = await openComplete()
  expect(await read('/beneficiaries')).toContain('40% still missing')
  const german = await send(`${base}/beneficiaries`, undefined, { ...headers, 'Accept-Language': 'de' })
  expect(await german.text()).toContain('40\u00a0% fehlen noch')
  const grace = {
    email: 'grace@example.com',
    full_name: 'Grace Hopper',
    roles: ['shareholder'],
    stake_in_company: '50',
  }
  await api.patch(`/kyb/${id}`, { beneficiaries: { beneficiaries_list: [grace] } })
  const page = await read('/beneficiaries')
  expect(page).toContain('The shares add up to 110%. Reduce them to at most 100%.')
  expect(page).toContain('Grace Hopper holds 25% or more. Add the role “Owner”.')
})

describe('an owner’s own link', () => {
  test('is replaced in the form, and the earlier link stops working', async () => {
    const externalUuid = unique()
    const { base, headers, csrf } = await signIn(await begin(externalUuid))
    const { id } = await kybOf(externalUuid)
    const people = [{ email: 'ada@example.com', roles: ['director'] }]
    await api.patch(`/kyb/${id}`, { beneficiaries: { beneficiaries_list: people } })
    const [before] = (await kybOf(externalUuid)).beneficiaries.beneficiaries_list
    const pressed = await send(`${base}/owners/${before.external_id}/link`, { _csrf: csrf }, headers)
    expect(pressed.status).toBe(303)
    const [after] = (await kybOf(externalUuid)).beneficiaries.beneficiaries_list
    expect(after.link).not.toBe(before.link)
    expect((await send(new URL(before.link).pathname)).status).toBe(404)
    expect((await send(new URL(after.link).pathname)).status).toBe(200)
    const page = await (await send(`${base}/owners/${before.external_id}/link`, undefined, headers)).text()
    expect(page).toContain(after.link)
    const foreign = await send(`${base}/owners/${before.external_id}/link`, { _csrf: 'x' }, headers)
    expect(foreign.status).toBe(403)
  })
  test('shows its expiry date in UTC in any time zone of the server', async () => {
    const externalUuid = unique()
    const { base, headers } = await signIn(await begin(externalUuid))
    const { id } = await kybOf(externalUuid)
    await api.patch(`/kyb/${id}`, { beneficiaries: { beneficiaries_list: [{ email: 'ada@example.com' }] } })
    const [ada] = (await kybOf(externalUuid)).beneficiaries.beneficiaries_list
    const tokenExpiresAt = new Date('2096-05-14T23:30:00Z')
    await db.orm.update(beneficiaries).set({ tokenExpiresAt }).where(eq(beneficiaries.id, ada.external_id))
    vi.stubEnv('TZ', 'Pacific/Kiritimati')
    try {
      const page = await (await send(`${base}/owners/${ada.external_id}/link`, undefined, headers)).text()
      expect(page).toContain('Works until 14 May 2096')
    } finally {
      vi.unstubAllEnvs()
    }
  })
})

describe('error pages', () => {
  test.each([
    ['a link with invalid encoding', 400, '/verify/%ff', undefined],
    ['an unknown path', 404, '/verify/a/b/c', undefined],
    ['an unknown application', 401, '/verify/kyb/x/check', undefined],
    ['a form that exceeds the size limit', 413, '/verify/nobody', { more: 'x'.repeat(300_000) }],
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
})

describe('the language', () => {
  const title = async (headers: Record<string, string>) =>
    /<h1>(.+)<\/h1>/.exec(await (await send('/verify/nobody', undefined, headers)).text())?.[1]
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
    const chosen = await send('/verify/nobody?language=de')
    expect([chosen.status, chosen.headers.get('Location')]).toEqual([303, '/verify/nobody'])
    const [cookie = ''] = chosen.headers.getSetCookie()
    expect(await title({ Cookie: cookie.split(';')[0] ?? '' })).toBe('Link nicht gültig')
  })
})
