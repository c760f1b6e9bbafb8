/** Tests corrections, replies, revision requests and appeals on a company’s form. */
import { describe, expect, test } from 'vitest'
import { openConsole } from '../../support/console.ts'
import { csrfIn } from '../../support/form.ts'
import { beginCompany, companyPages } from '../../support/hosted-page.ts'
import { untilStatus, untilWaitingOn } from '../../support/identification.ts'
import { eventually, sharedInstance, unique } from '../../support/instance.ts'
import { completeSections } from '../../support/kyb.ts'
import { pdfOf } from '../../support/pdf.ts'
import { beginPerson, fillInPerson, openPerson, submitPerson } from '../../support/person-page.ts'

const gatehouse = await sharedInstance({ worker: true })
const { api, baseUrl } = gatehouse
const { begin, kybOf, openComplete, send, signIn } = companyPages(gatehouse)

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
  const { id, read } = await openComplete()
  const fields = ['nature_of_business.phone', 'nature_of_business.email']
  const revision = { outcome: 'revision_requested', reason_code: 'other', fields }
  expect((await (await gatehouse.operator()).post(`/kyb/${id}/decision`, revision)).status).toBe(200)
  const marks = async () => {
    const page = await read()
    return [page.match(/class="fix-row"/g)?.length, page.match(/> ?Fixed</g)?.length ?? 0]
  }
  expect(await marks()).toEqual([2, 0])
  await api.patch(`/kyb/${id}`, { nature_of_business: { phone: '+4930123457' } })
  expect(await marks()).toEqual([2, 1])
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
    const section = await read('/nature_of_business')
    expect(section).toContain(`href="${base}/replies?path=${PHONE}"`)
    // The page quotes one comment, and one button saves both corrections.
    expect(section.match(/>Comment from the review team, \d+\s\w+\s20\d\d</g)).toHaveLength(1)
    expect(section.match(/>Save [^<]+</g)).toEqual(['>Save these fixes<'])
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
      expect([sent.status, sent.headers.get('Location')]).toEqual([303, `${base}/next/reply`])
    }
    expect(await read('/check')).toContain('It rings &lt;b>here&lt;/b>.')
    // Each fix leads back to the list, and the last one to the submission.
    const next = async () => {
      const answer = await send(`${base}/next/nature_of_business`, undefined, headers)
      return answer.headers.get('Location')
    }
    expect(await next()).toBe(base)
    await api.patch(`/kyb/${id}`, { nature_of_business: { city_address: 'Hamburg' } })
    expect(await next()).toBe(`${base}/check`)
    expect(await read('')).toMatch(/3 of 3 fixed.+Submit again/s)
    expect((await post('/check')).headers.get('Location')).toBe(`${base}/done`)

    const replies = [
      { path: PHONE, code: 'mismatch', message: 'Another number?', reply },
      { path: LIST, file_id: document.id, code: 'expired', message: null, reply: 'Until 2030.' },
    ]
    const { data } = (await operator.get(`/kyb/${id}`)).body
    expect(data).toMatchObject({ waiting_on: 'operator', requirements: { errors: [] }, review: { replies } })
    expect((await api.get(`/kyb/${id}`)).body.data.review.replies).toEqual(replies)
    const shown = await (await openConsole(baseUrl, gatehouse.credentials)).text(`/console/kyb/${id}`)
    expect(shown).toMatch(
      /2 replies from the applicant.+Another number\?.+It rings &lt;b>here.+Until 2030\./s,
    )
    const foreign = await send(`${base}/replies`, { _csrf: 'x', path: PHONE, reply: 'x' }, headers)
    expect(foreign.status).toBe(403)
  })
  test('on a document are resolved by another document, which replaces it', async () => {
    const { id, base, headers } = await openComplete()
    const csrf = csrfIn(await (await send(`${base}/business_files`, undefined, headers)).text())
    const lists = async () => (await api.get(`/kyb/${id}`)).body.data.business_files.articles_of_association
    const add = async (file: File) => {
      const form = new FormData()
      form.set('_csrf', csrf)
      form.set('file', file)
      expect((await send(`${base}/files/articles_of_association`, form, headers)).status).toBe(303)
    }
    const pdf = (name: string) => new File([new Uint8Array(pdfOf(name))], name, { type: 'application/pdf' })
    await add(pdf('second.pdf'))
    const [first, second] = await lists()
    const findings = [{ path: LIST, file_id: first.id, code: 'expired' }]
    const revision = { outcome: 'revision_requested', reason_code: 'other', findings }
    expect((await (await gatehouse.operator()).post(`/kyb/${id}/decision`, revision)).status).toBe(200)
    await add(pdf('third.pdf'))
    await add(pdf('fourth.pdf'))
    const names = (await lists()).map(({ id: file, name }: { id: string; name: string }) =>
      file === second.id ? 'second' : name,
    )
    expect(names).toEqual(['second', 'third.pdf', 'fourth.pdf'])
  })
  test('are answered with the submission if they concern the whole application', async () => {
    const { id, read, post } = await openComplete()
    const operator = await gatehouse.operator()
    const revision = { outcome: 'revision_requested', reason_code: 'other', client_comment: 'Why twelve?' }
    expect((await operator.post(`/kyb/${id}/decision`, revision)).status).toBe(200)
    expect(await read('/check')).toContain('Why twelve?')
    expect(await read('/check')).not.toContain('aria-disabled')
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
      expect.stringContaining(
        '<a href="#reply.city">Town or city: make the correction, or reply to the reviewer',
      ),
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
    const console = await openConsole(baseUrl, gatehouse.credentials)
    expect(await console.text(`/console/identifications/${other.id}`)).toMatch(
      /replies from the applicant.+Another town\?.+My city\..+My selfie\./s,
    )
  })
})

test('counts an owner whose details are missing with the corrections', async () => {
  const { id, base, headers, read } = await openComplete()
  const phone = 'nature_of_business.phone'
  const revision = { outcome: 'revision_requested', reason_code: 'other', fields: [phone] }
  expect((await (await gatehouse.operator()).post(`/kyb/${id}/decision`, revision)).status).toBe(200)
  expect(await read()).toMatch(/0 of 1 fixed.+1 change to make/s)
  const [ada] = completeSections().beneficiaries.beneficiaries_list
  const ana = { ...ada, email: 'ana@example.com', full_name: 'Ana Lima', stake_in_company: '30' }
  await api.patch(`/kyb/${id}`, { beneficiaries: { beneficiaries_list: [ana] } })
  const asked = await read()
  expect(asked).toMatch(
    /0 of 2 fixed.+2 changes to make.+Ana Lima’s ID is still missing.+Make all changes first/s,
  )
  expect(asked.match(/1 to fix/g)).toHaveLength(4)
  await api.patch(`/kyb/${id}`, { nature_of_business: { phone: '+4930123457' } })
  const { external_id, link } = (await api.get(`/kyb/${id}`)).body.data.beneficiaries.beneficiaries_list.find(
    ({ email }: { email: string }) => email === ana.email,
  )
  const fixed = await read()
  expect(fixed).toMatch(/1 of 2 fixed.+1 change to make/s)
  expect(fixed).toContain(`/owners/${external_id}/upload#person-${external_id}">Ana Lima’s ID`)
  const next = await send(`${base}/next/nature_of_business`, undefined, headers)
  expect(next.headers.get('Location')).toBe(base)
  const person = await openPerson(baseUrl, new URL(link).pathname)
  expect(await read()).toContain('Waiting for Ana Lima to submit')
  await fillInPerson(person, { name: 'Ana', surname: 'Lima' })
  await submitPerson(person)
  await expect.poll(() => read()).toMatch(/1 of 1 fixed.+Submit again/s)
})

test('lists missing details that no correction names with the corrections', async () => {
  const { id, base, headers, read } = await openComplete()
  const revision = {
    outcome: 'revision_requested',
    reason_code: 'other',
    fields: ['nature_of_business.phone'],
  }
  expect((await (await gatehouse.operator()).post(`/kyb/${id}/decision`, revision)).status).toBe(200)
  await api.patch(`/kyb/${id}`, { nature_of_business: { subject_of_supervision: 'BaFin' } })
  const place = `href="${base}/business_files#usage_of_account.proof_regulations"`
  const asked = await read('')
  expect(await read('/check')).toMatch(/aria-disabled="true".+id="locked-reason".+Make all changes first\./s)
  expect(asked).toMatch(
    /0 of 2 fixed.+2 changes to make.+Licence from the supervisory authority is still missing.+Documents.+Make all changes first/s,
  )
  expect(asked).toMatch(/<summary>.+No changes needed: \d+ details, 5 documents/s)
  expect(asked).toMatch(/<details class="card rows others"><summary>/)
  await api.patch(`/kyb/${id}`, { nature_of_business: { phone: '+4930123457' } })
  const next = await send(`${base}/next/nature_of_business`, undefined, headers)
  expect(next.headers.get('Location')).toBe(base)
  expect((await read('')).split(`${place}`)).toHaveLength(3)
  expect(await read('')).toMatch(/1 of 2 fixed.+1 change to make.+<div class="dock">.+> ?Fix the last one/s)
  expect((await api.upload(id, { attribute: 'proof_regulations' })).status).toBe(201)
  expect(await read('')).not.toContain('missing')
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
    expect(await read('check')).toContain('Submit again')
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
    const waiting = { title: 'Your form is submitted', said: undefined, isCurrent: true }
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
