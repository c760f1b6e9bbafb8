/** Tests the steps of a company’s form: the overview, missing items, submission and the final page. */
import { describe, expect, test } from 'vitest'
import { beginCompany, companyPages } from '../../support/hosted-page.ts'
import { eventually, sharedInstance, unique } from '../../support/instance.ts'
import { completeSections } from '../../support/kyb.ts'
import { beginPerson, openPerson } from '../../support/person-page.ts'

const gatehouse = await sharedInstance({ worker: true })
const { api, baseUrl } = gatehouse
const { begin, kybOf, openComplete, send, signIn } = companyPages(gatehouse)

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
      'Use of the account: 8 missing',
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

describe('submitting a company’s form', () => {
  test('is offered until it is done, and again after each revision request', async () => {
    const { id, base, read, post } = await openComplete()
    expect(await read()).toContain('Check and submit')
    const submit = async (action = 'Submit for review') => {
      expect(await read('/check')).toContain(action)
      const sent = await post('/check')
      expect([sent.status, sent.headers.get('Location')]).toEqual([303, `${base}/done`])
      for (const page of ['', '/check', '/nature_of_business']) {
        expect(await read(page)).not.toMatch(/Check and submit|Submit for review|Submit again/)
      }
      expect(await read()).toContain('Submitted for review')
      const done = await read('/done')
      expect(done).toContain('You can change your details until the review is complete.')
      expect(done).not.toContain('You do not need to do anything')
      const operator = await gatehouse.operator()
      expect((await operator.get(`/kyb/${id}`)).body.data.waiting_on).toBe('operator')
    }
    await submit()
    expect((await post('/check')).status).toBe(303)
    await api.post(`/sandbox/kyb/${id}/simulate_review`, { outcome: 'revision_requested' })
    expect(await read()).toContain('Check and submit')
    await submit('Submit again')
    const revision = {
      outcome: 'revision_requested',
      reason_code: 'other',
      client_comment: 'Look once more.',
    }
    expect((await (await gatehouse.operator()).post(`/kyb/${id}/decision`, revision)).status).toBe(200)
    expect(await read('/check')).toContain('Look once more.')
    await submit('Submit again')
    const submissions = (await (await gatehouse.operator()).get(`/kyb/${id}/timeline`)).body.data.filter(
      ({ action }: { action: string }) => action === 'submit',
    )
    expect(submissions).toHaveLength(3)
  })
})

describe('the overview of a company’s form', () => {
  test('names the next item, and the details that are missing before the check', async () => {
    const { base, headers } = await signIn(await begin(unique()))
    const empty = await (await send(base, undefined, headers)).text()
    expect(empty).toMatch(/0 of 29 done.+<h2 id="next-title">Registered details.+6 answers/s)
    expect(empty).toContain(`class="button" href="${base}/nature_of_business"`)
    expect(empty).toMatch(/ class="task-row" href="[^"]+\/check".+24 answers and 5 documents missing/s)
    const complete = await openComplete()
    const [ada] = (await api.get(`/kyb/${complete.id}`)).body.data.beneficiaries.beneficiaries_list
    expect(await complete.read()).toMatch(
      new RegExp(
        `(\\d+) of \\1 done.+All details are complete.+class="task-row" href="${complete.base}/check"`,
        's',
      ),
    )
    const file = ada.beneficiary_identification[0].id
    await api.put(`/kyb/delete_file/${complete.id}`, {
      blob_key: file,
      attribute_key: 'beneficiary_identification',
    })
    const place = `${complete.base}/owners/${ada.external_id}/upload#person-${ada.external_id}`
    expect(await complete.read()).toMatch(
      new RegExp(`done.+Ada Lovelace’s ID is still missing.+href="${place}"`, 's'),
    )
  })
})

describe('the link of a company', () => {
  test('shows the time for a new form, and afterwards the remaining work', async () => {
    const externalUuid = unique()
    const company = await begin(externalUuid)
    const shown = async () => (await send(company.link)).text()
    expect(await shown()).toContain('About 15 minutes')
    const { id } = await kybOf(externalUuid)
    await api.patch(`/kyb/${id}`, completeSections())
    const partly = await shown()
    expect(partly).toMatch(/27 of 33 done.+5 documents and 1 ID missing/s)
    expect(partly).not.toContain('About 15 minutes')
    expect(partly).not.toContain('Ada')
    // The client may have entered all this, so a visitor still reads what to have ready.
    expect(partly).toContain('Company documents')
    const complete = await openComplete()
    const asked = { outcome: 'revision_requested', reason_code: 'documents_unreadable' }
    await complete.post('/check')
    const { data } = (await api.post(`/kyb/${complete.id}/form_link`, {})).body
    const submitted = async () => (await send(new URL(data.url).pathname)).text()
    expect(await submitted()).toContain('View review status')
    const fields = ['nature_of_business.city_address']
    const operator = await gatehouse.operator()
    expect((await operator.post(`/kyb/${complete.id}/decision`, { ...asked, fields })).status).toBe(200)
    expect(await submitted()).toContain('1 change to make')
  })
})

describe('saving a section', () => {
  const NEXT: Readonly<Record<string, string>> = {
    nature_of_business: 'usage_of_account',
    usage_of_account: 'owners/new',
    beneficiaries: 'business_files',
    business_files: 'check',
  }
  test.each(Object.keys(NEXT))(
    'leads to the next incomplete one, also without an answer: %s',
    async (section) => {
      const { base, headers, csrf } = await signIn(await begin(unique()))
      const saved = await send(`${base}/${section}`, { _csrf: csrf }, headers)
      const next = await send(saved.headers.get('Location') ?? '', undefined, headers)
      expect(next.headers.get('Location')).toBe(`${base}/${NEXT[section]}`)
      const page = await (await send(`${base}/${section}`, undefined, headers)).text()
      expect(page).not.toContain('data-gap')
    },
  )
  test('names the first missing answer when the applicant returns', async () => {
    const { base, headers, csrf } = await signIn(await begin(unique()))
    const form = { _csrf: csrf, 'nature_of_business.legal_company_name': 'Engines Ltd' }
    await send(`${base}/nature_of_business`, form, headers)
    const page = await (await send(`${base}/nature_of_business`, undefined, headers)).text()
    expect(page).toMatch(
      /\d+ answers missing.+<a href="#nature_of_business\.company_registration_id" data-gap[^>]*>Registration number/s,
    )
    const person = await openPerson(baseUrl, await beginPerson(gatehouse))
    await person.post('/consent', { consent: 'yes' })
    // The client may have entered the name, so the page counts as begun with another answer.
    await person.post('/details', { name: 'Ada' })
    expect(await person.text('/details')).not.toContain('data-gap')
    await person.post('/details', { name: 'Ada', city: 'London' })
    expect(await person.text('/details')).toMatch(/href="#surname" data-gap[^>]*>Surname/)
  })
  test('continues if a field has a value', async () => {
    const { base, headers, csrf } = await signIn(await begin(unique()))
    const form = { _csrf: csrf, 'nature_of_business.legal_company_name': 'Engines Ltd' }
    const saved = await send(`${base}/nature_of_business`, form, headers)
    const next = await send(saved.headers.get('Location') ?? '', undefined, headers)
    expect(next.headers.get('Location')).toBe(`${base}/usage_of_account`)
  })
  test('leads to the check if no later section is incomplete', async () => {
    const { base, headers, csrf } = await openComplete()
    const form = { _csrf: csrf, 'nature_of_business.legal_company_name': ' ' }
    const saved = await send(`${base}/nature_of_business`, form, headers)
    const next = await send(saved.headers.get('Location') ?? '', undefined, headers)
    expect(next.headers.get('Location')).toBe(`${base}/check`)
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
})
