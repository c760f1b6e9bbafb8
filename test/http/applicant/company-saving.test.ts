/** Tests saving a company’s form: requests from other sites, long texts, concurrent editing and scripts. */
import { describe, expect, test } from 'vitest'
import { KYB_FIELDS } from '../../../src/domain/kyb/fields.ts'
import { fieldIn } from '../../support/form.ts'
import { companyPages } from '../../support/hosted-page.ts'
import { cameraFiles } from '../../support/hostile-files.ts'
import { sharedInstance, unique } from '../../support/instance.ts'

const gatehouse = await sharedInstance({ worker: true })
const { api, baseUrl } = gatehouse
const { begin, kybOf, send, signIn } = companyPages(gatehouse)

const JSON_ONLY = { Accept: 'application/json' }

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
    ['en', '50,000', '50000', '50,000'],
    ['en', '1.500,50', '1500.50', '1,500.50'],
    ['de', '50.000', '50000', '50.000'],
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
  test.each([
    ['en', '45.000', 'does “45.000” mean 45,000 or 45?'],
    ['en', '€1.250', 'does “€1.250” mean 1,250 or 1.25?'],
    ['de', '45,000', 'Bedeutet „45,000“ 45.000 oder 45?'],
  ])('ask about a number with two readings in the language %s: %s', async (language, value, question) => {
    const externalUuid = unique()
    const { base, headers, csrf } = await signIn(await begin(externalUuid))
    const inLanguage = { ...headers, 'Accept-Language': language }
    const form = { _csrf: csrf, 'usage_of_account.trx_value_monthly': value }
    const asked = await send(`${base}/usage_of_account`, form, inLanguage)
    const page = await asked.text()
    expect([asked.status, page]).toEqual([422, expect.stringContaining(question)])
    expect(page).toContain(`value="${value}"`)
    expect((await kybOf(externalUuid)).usage_of_account.trx_value_monthly).toBe(null)
  })
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
  test('show after a closure what happened and what the company can do', async () => {
    const externalUuid = unique()
    const { base, headers } = await signIn(await begin(externalUuid))
    const { identification_id: id } = await kybOf(externalUuid)
    expect((await api.put(`/identifications/${id}/close`)).status).toBe(200)
    await expect
      .poll(async () => (await send(`${base}/done`, undefined, headers)).text())
      .toMatch(/so there is no result\..+Request a new link.+Request your data.+Contact First vault/s)
  })
})

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
    ['date_of_incorporation', '', '2015-02-28', '2016-02-28', '28\u00a0February\u00a02015'],
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
        // The field shows its label, so this text omits it.
        text: expect.stringMatching(/^Someone else/),
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
        echoes: { 'usage_of_account.trx_value_monthly': '€1,500.50 a month' },
        problems: [
          {
            field: 'usage_of_account.trx_count_monthly',
            message: expect.stringContaining(': enter a number'),
            text: expect.stringMatching(/^Enter a number/),
          },
        ],
        parts: expect.objectContaining({
          '.rail': expect.stringContaining('1 of 29 done'),
          '.progress': expect.stringContaining('1 of 29 done'),
          '#group-payments-head': expect.stringContaining('left'),
        }),
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
      ['FR; DE', 'DE,FR'],
      ['IT,DE,IT', 'DE,IT'],
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
    for (const list_of_countries_operated of ['Germany', 'no', 'de fra'])
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
      [Buffer.alloc(0), 'The file is empty'],
    ] as const) {
      const { status, problems } = await post(new Uint8Array(file))
      expect([status, problems[0].message]).toEqual([422, expect.stringContaining(says)])
    }
    expect(await post('<html>')).toEqual({
      status: 422,
      problems: [
        {
          field: 'articles_of_association',
          message: 'Choose a PDF, JPEG or PNG file',
        },
      ],
    })
    const { business_files: lists } = await kybOf(externalUuid)
    expect([lists.articles_of_association.length, lists.legal_structures.length]).toEqual([2, 1])
  })
})
