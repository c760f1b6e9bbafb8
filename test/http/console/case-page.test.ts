/** Tests the case page: changes since the last decision, and possible duplicates. */

import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { reviewMarks, timeline, webhookLeases, webhookLogs } from '../../../drizzle/schema.ts'
import { openConsole } from '../../support/console.ts'
import { fieldIn } from '../../support/form.ts'
import { companyPages, sendForm, startForm } from '../../support/hosted-page.ts'
import {
  createImported,
  createWaiting,
  isChange,
  statusOf,
  untilStatus,
} from '../../support/identification.ts'
import { addVault, eventually, sharedInstance, unique } from '../../support/instance.ts'
import { photograph } from '../../support/photo.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'

const gatehouse = await sharedInstance({ worker: true })
const { api, baseUrl, credentials } = gatehouse
const operator = await gatehouse.operator()

const console = await openConsole(baseUrl, credentials)

const readKyb = async (id: string) => (await operator.get(`/kyb/${id}`)).body.data
const pdf = () => new Blob(['%PDF-1.4\n%%EOF\n'])
const person = (email: string, more: object = {}) => ({
  beneficiaries: { beneficiaries_list: [{ email, ...more }] },
})

test('returns a long timeline completely in the API, and shows only the newest entries on the page', async () => {
  const id = await api.createKyb()
  const entries = Array.from({ length: 1_100 }, (_, n) => ({
    ...{ vaultId: gatehouse.vaultId, entity: 'kyb' as const, entityId: id, action: 'patch', actor: 'system' },
    ...{ from: 'open', to: 'open', causeId: `cause-${n}`, reasonCode: `${n}` },
  }))
  await gatehouse.db.orm.insert(timeline).values(entries)
  const { data } = (await operator.get(`/kyb/${id}/timeline`)).body
  const reasonCodes = data.flatMap(({ reason_code }: { reason_code: string | null }) => reason_code ?? [])
  expect(reasonCodes).toEqual(entries.map(({ reasonCode }) => reasonCode))
  const page = await console.text(`/console/kyb/${id}`)
  // The newest entry is the reading of this page.
  expect(page.match(/<li data-action="patch"/g)).toHaveLength(199)
  expect(page).toContain('This list shows the 200 newest entries.')
})

test('filters the timeline by person and by day, and ignores filters without entries', async () => {
  const id = await api.createKyb()
  await console.post(`/console/kyb/${id}/notes`, { text: 'Seen.' })
  await gatehouse.db.orm.insert(timeline).values({
    ...{ vaultId: gatehouse.vaultId, entity: 'kyb', entityId: id, action: 'patch', actor: 'system' },
    ...{ from: 'open', to: 'open', causeId: 'cause', createdAt: new Date('2026-01-02T03:04:05Z') },
  })
  const { data } = (await operator.get(`/kyb/${id}/timeline`)).body
  const [{ actor }] = data.filter(({ action }: { action: string }) => action === 'note')
  const shown = async (query: string) => {
    const page = await console.text(`/console/kyb/${id}?tab=history${query}`)
    return [...new Set(page.match(/(?<=data-action=")\w+/g))].sort()
  }
  const all = ['case_read', 'created', 'note', 'patch']
  expect(await shown('')).toEqual(all)
  expect(await shown(`&who=${actor}`)).toEqual(['case_read', 'note'])
  expect(await shown('&who=system')).toEqual(['patch'])
  expect(await shown('&day=2026-01-02')).toEqual(['patch'])
  expect(await shown(`&show=changes&who=${actor}`)).toEqual(['note'])
  expect(await shown('&who=operator:unknown&day=2020-02-30&show=x')).toEqual(all)
  const page = await console.text(`/console/kyb/${id}?tab=history&show=changes`)
  expect(page).toContain('tab=history&amp;show=changes&amp;day=2026-01-02#timeline-title')
  expect(page).toContain(`>${credentials.operator_email}</a>`)
})

test('lists the facts about a company in the order of its form', async () => {
  const { id, read } = await companyPages(gatehouse).openComplete()
  const facts = [
    ...['HRB 1842', 'Private limited company', 'Invalidenstr. 1', 'Builds engines', '+4930123456'],
    ...['Paying suppliers', 'IBAN account, SEPA payments', 'From customers to suppliers', 'Revenue'],
  ]
  const orderIn = (page: string) => facts.toSorted((a, b) => page.indexOf(a) - page.indexOf(b))
  const [, panel = ''] = (await console.text(`/console/kyb/${id}?tab=company`)).split('id="tab-company"')
  expect(orderIn(await read('/check'))).toEqual(facts)
  expect(orderIn(panel)).toEqual(facts)
})

test.each<[string, (id: string) => Promise<string>]>([
  ['kyb', (id) => api.createKyb(id)],
  ['identifications', (id) => createImported(api, { external_uuid: id })],
])('shows no direction marks or invisible characters of an ID as the title of %s', async (entity, create) => {
  const uuid = unique()
  const page = await console.text(`/console/${entity}/${await create(`A\u202e\u200b\n${uuid}`)}`)
  expect(page).toContain(`<title>A ${uuid}`)
  expect(page).toContain(`>A ${uuid}</h1>`)
})

test('exports the timeline as CSV, with the names of actors and without formulas', async () => {
  const id = await api.createKyb()
  await console.post(`/console/kyb/${id}/notes`, { text: '=SUM(A1), "checked"' })
  const { data } = (await operator.get(`/kyb/${id}/timeline`)).body
  const answer = await console.get(`/console/kyb/${id}/timeline.csv`)
  expect(String(answer.headers.get('Content-Disposition'))).toMatch(/filename="history-[\d-]+\.csv"/)
  const [head, ...rows] = (await answer.text()).trim().split('\r\n')
  expect(head).toBe(
    'occurred_at,actor,actor_name,action,from,to,reason_code,client_comment,internal_note,fields,files',
  )
  const actions = data.map(({ action }: { action: string }) => action)
  expect(rows.map((row) => row.split(',')[3])).toEqual([...actions, 'case_read'])
  const note = rows.find((row) => row.includes(',note,'))
  expect(note).toContain(`,${credentials.operator_email},note,`)
  expect(note).toContain(`"'=SUM(A1), ""checked"""`)
  expect(await console.text(`/console/kyb/${id}?tab=history`)).toContain(
    `href="/console/kyb/${id}/timeline.csv"`,
  )
})

test('counts the same optional questions as the applicant’s page, without those that are not asked', async () => {
  const { id, read } = await companyPages(gatehouse).openComplete()
  const countsIn = (html: string, pattern: RegExp) =>
    [...html.matchAll(pattern)].map(([, count]) => Number(count))
  const answers = countsIn(await read('/check'), /(\d+) optional questions? not answered/g)
  const page = await console.text(`/console/kyb/${id}?tab=company`)
  const fields = countsIn(page, /(\d+) optional fields? not provided/g)
  expect(fields.slice(0, 2)).toEqual(answers.slice(0, 2))
  expect(Math.min(...answers)).toBeGreaterThan(0)
})

test('returns the changed fields, files and people since the revision request', async () => {
  const id = await api.createKyb()
  const patch = (body: object) => api.patch(`/kyb/${id}`, body)
  await patch({
    nature_of_business: { legal_company_name: 'Engines Ltd', website: 'https://engines.example' },
  })
  await patch(person('ada@example.com', { full_name: 'Ada' }))
  await patch(person('bob@example.com', { full_name: 'Bob' }))
  const upload = (name: string) => api.upload(id, { attribute: 'legal_structures' }, pdf(), name)
  const { id: first } = (await upload('first.pdf')).body
  expect((await readKyb(id)).changes).toEqual([])
  const revision = { outcome: 'revision_requested', reason_code: 'other', client_comment: 'Once more.' }
  expect((await operator.post(`/kyb/${id}/decision`, revision)).status).toBe(200)
  expect((await readKyb(id)).changes).toEqual([])
  await patch({ nature_of_business: { legal_company_name: 'Engine Works Ltd', website: null } })
  await patch(person('ada@example.com', { full_name: 'Ada Lovelace' }))
  await patch(person('bob@example.com', { _destroy: true }))
  await patch(person('eve@example.com'))
  await api.put(`/kyb/delete_file/${id}`, { attribute_key: 'legal_structures', blob_key: first })
  const { id: second } = (await upload('second.pdf')).body
  const { changes, beneficiaries } = await readKyb(id)
  const [ada, eve] = beneficiaries.beneficiaries_list
  const list = 'beneficiaries.beneficiaries_list'
  expect(changes).toEqual([
    { path: 'nature_of_business.legal_company_name', before: 'Engines Ltd', after: 'Engine Works Ltd' },
    { path: 'nature_of_business.website', before: 'https://engines.example', after: null },
    {
      path: 'business_files.legal_structures',
      before: [{ id: first, name: 'first.pdf' }],
      after: [{ id: second, name: 'second.pdf' }],
    },
    { path: `${list}.${ada.external_id}.full_name`, before: 'Ada', after: 'Ada Lovelace' },
    {
      path: expect.stringContaining(list),
      // Gatehouse deletes the data of a removed person.
      before: expect.objectContaining({ full_name: null, email: null }),
      after: null,
    },
    {
      path: `${list}.${eve.external_id}`,
      before: null,
      after: expect.objectContaining({ email: 'eve@example.com' }),
    },
  ])
})

test('names the changed fields and files in the timeline without their content', async () => {
  const sections = { nature_of_business: { city_address: 'Plantedtown' } }
  const id = await api.createKyb(unique(), sections)
  const list = 'business_files.legal_structures'
  await api.patch(`/kyb/${id}`, {
    nature_of_business: { city_address: 'Plantedville', phone: '+4930999999' },
    ...person('planted@example.com', { full_name: 'Planted Ada' }),
  })
  const [{ external_id }] = (await readKyb(id)).beneficiaries.beneficiaries_list
  const path = `beneficiaries.beneficiaries_list.${external_id}`
  await api.patch(`/kyb/${id}`, person('planted@example.com', { politically_exposed: true }))
  const { id: file } = (await api.upload(id, { attribute: 'legal_structures' }, pdf(), 'planted.pdf')).body
  const findings = [{ path: list, file_id: file, code: 'unreadable' }]
  const revision = { outcome: 'revision_requested', reason_code: 'other', findings }
  await operator.post(`/kyb/${id}/decision`, { ...revision, fields: ['nature_of_business.phone'] })
  const consoleOf = (of: string) => console.text(`/console/${of}`)
  const shown = await consoleOf(`kyb/${id}`)
  expect(shown).toContain('Phone number, City, Owner or director')
  expect(shown).toContain('Company structure chart, planted.pdf')
  const decisions = await consoleOf(`kyb/${id}?tab=history&show=decisions`)
  expect(decisions.match(/(?<=data-action=")\w+/g)).toEqual(['request_revision'])
  expect(shown).toContain('#field-nature_of_business.email">Email</a>')
  await api.put(`/kyb/delete_file/${id}`, { attribute_key: 'legal_structures', blob_key: file })
  const { data } = (await operator.get(`/kyb/${id}/timeline`)).body
  const touched = data
    .filter(isChange)
    .map(({ action, fields, files }: Record<string, unknown>) => ({ action, fields, files }))
  expect(touched).toEqual([
    { action: 'created', fields: ['nature_of_business.city_address'], files: [] },
    {
      action: 'patch',
      fields: ['nature_of_business.phone', 'nature_of_business.city_address', path],
      files: [],
    },
    { action: 'patch', fields: [`${path}.politically_exposed`], files: [] },
    { action: 'attach', fields: [list], files: [file] },
    { action: 'request_revision', fields: [list, 'nature_of_business.phone'], files: [file] },
    { action: 'detach', fields: [list], files: [file] },
  ])
  expect(JSON.stringify(data).toLowerCase()).not.toContain('planted')
})

test('names the changed fields in the timeline of a person', async () => {
  const id = await createImported(api, { name: 'Ada', surname: unique(), city: 'Plantedtown' })
  await api.put(`/identifications/${id}`, { city: 'Plantedville', phone: '+4930999999' })
  const { data } = (await operator.get(`/identifications/${id}/timeline`)).body
  expect(data.filter(isChange).at(-1)).toMatchObject({
    action: 'edit_profile',
    fields: ['city', 'phone'],
    files: [],
  })
  expect(data[0].fields).toEqual(expect.arrayContaining(['name', 'surname', 'city']))
  expect(JSON.stringify(data)).not.toContain('Planted')
})

describe('possible duplicates', () => {
  const reasonsIn = (data: { duplicates: { id: string; reasons: string[] }[] }, id: string) =>
    data.duplicates.find((each) => each.id === id)?.reasons
  const company = (number: string, name: string = unique()) => ({
    nature_of_business: {
      legal_company_name: name,
      company_registration_id: number,
      country_of_incorporation: 'GB',
    },
  })

  test('are companies with the same normalised registration number or name, but only in the same country', async () => {
    const number = `${Date.now()}`
    const name = `Twins ${unique()}`
    const id = await api.createKyb(unique(), company(`0${number}`, name))
    const other = await addVault(gatehouse)
    const [same, named, foreign] = [
      await other.api.createKyb(unique(), company(`${number.slice(0, 4)}-${number.slice(4)}`)),
      await api.createKyb(unique(), company('1', ` ${name.toUpperCase()}`)),
      await api.createKyb(unique(), {
        nature_of_business: { company_registration_id: number, country_of_incorporation: 'DE' },
      }),
    ]
    const data = await readKyb(id)
    expect(reasonsIn(data, same)).toEqual(['registration_number'])
    expect(reasonsIn(data, named)).toEqual(['company_name'])
    expect(reasonsIn(data, foreign)).toBeUndefined()
    expect(data.duplicates[1]).toMatchObject({ kind: 'kyb', status: 'open', vault: { id: other.vaultId } })
    expect(data.more_duplicates).toBe(false)
  })

  test('are people with the same email, or the same name and birth date, in beneficiaries and identifications', async () => {
    const email = `${unique()}@example.com`
    const known = { name: 'Ada', surname: unique(), birthdate: '1915-12-10' }
    const [first, second] = [await api.createKyb(unique(), {}), await api.createKyb(unique(), {})]
    for (const id of [first, second]) await api.patch(`/kyb/${id}`, person(email))
    const one = await createImported(api, { ...known, email })
    const two = await createImported(api, { ...known, name: 'ADA ' })
    const other = await createImported(api, { ...known, birthdate: '1915-12-11' })
    const application = await readKyb(first)
    expect(reasonsIn(application, second)).toEqual(['email'])
    expect(reasonsIn(application, one)).toEqual(['email'])
    const { data } = (await operator.get(`/identifications/${one}`)).body
    expect(reasonsIn(data, first)).toEqual(['email'])
    expect(reasonsIn(data, two)).toEqual(['name_and_birth_date'])
    expect(reasonsIn(data, other)).toBeUndefined()
  })

  test('are limited to 10, with a notice if there are more', async () => {
    const number = `many${unique()}`
    const ids: string[] = []
    for (let n = 0; n < 12; n++) ids.push(await api.createKyb(unique(), company(number)))
    const data = await readKyb(ids[0] ?? '')
    expect(data.duplicates.map(({ id }: { id: string }) => id)).toEqual(ids.slice(2).reverse())
    expect(data.more_duplicates).toBe(true)
    expect(await console.text(`/console/kyb/${ids[0]}`)).toContain('10+ possible duplicates')
  })
})

describe('the page in the console', () => {
  async function open(path: string) {
    const get = () => console.text(path)
    const text = await get()
    const value = (name: string) => fieldIn(text, name)
    const post = async (to: string, form: object = {}) => {
      const answer = await console.send(`${path}/${to}`, { _csrf: value('_csrf'), ...form })
      return { status: answer.status, text: await answer.text() }
    }
    return {
      ...{ text, get, post, round: value('round') },
      read: { version: value('version'), since: value('since') },
    }
  }
  const revision = {
    outcome: 'revision_requested',
    reason_code: 'other',
    client_comment: 'Send the <b>newest</b> one.',
    'finding.business_files.legal_structures': 'expired',
    'finding_comment.business_files.legal_structures': 'It ended in May.',
  }

  test('accepts long findings, and states the maximum if there are too many', async () => {
    const { post, read } = await open(`/console/kyb/${await api.createKyb()}`)
    const findings = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, n) => [
          [`finding.nature_of_business.${n}`, 'expired'],
          [`finding_comment.nature_of_business.${n}`, '\u6f22'.repeat(1_000)],
        ]).flat(),
      )
    const answer = await post('decision/preview', { ...read, ...revision, ...findings(201) })
    expect(answer.status).toBe(422)
    expect(answer.text).toContain('<a href="#findings-title">A decision can have at most 200 findings')
  })

  test('previews the applicant’s page without recording a decision', async () => {
    const id = await api.createKyb()
    const { post, read } = await open(`/console/kyb/${id}`)
    const { reason_code: _, ...withoutReason } = revision
    const preview = await post('decision/preview', { ...read, ...withoutReason })
    expect(preview.status).toBe(200)
    for (const text of [
      'Send the &lt;b>newest&lt;/b> one.',
      'Company structure chart',
      'This item has expired. Provide a valid one.\n“It ended in May.”',
    ])
      expect(preview.text).toContain(text)
    expect((await readKyb(id)).review).toBeNull()
    // The preview equals the applicant's overview and the field with its comment.
    const { data: link } = (await api.post(`/kyb/${id}/form_link`, { new_password: true })).body
    const form = await startForm(baseUrl, {
      link: new URL(link.url).pathname,
      password: link.generated_password,
    })
    expect((await post('decision', { ...read, ...revision })).status).toBe(303)
    const page = async (path: string) =>
      (await sendForm(`${baseUrl}${form.base}${path}`, undefined, form.headers)).text()
    const overview = /<h1>.*?<\/h1>(.+?)<a class="[^"]*leave-phone/s.exec(await page(''))?.[1] ?? ''
    const asShown = (html: string) => html.replaceAll(form.base, '#preview')
    expect(preview.text).toContain(asShown(overview))
    const documents = asShown(await page('/business_files'))
    const list = /<li id="business_files\.legal_structures".*?<\/li>/s.exec(documents)?.[0] ?? ''
    expect(preview.text).toContain(list.replace(/name="_csrf" value="[^"]+"/g, 'name="_csrf" value'))
    expect(list).toContain('It ended in May.')
    await api.patch(`/kyb/${id}`, { nature_of_business: { city_address: 'Hamburg' } })
    const next = await open(`/console/kyb/${id}`)
    const rejection = { ...next.read, ...revision, outcome: 'rejected' }
    expect((await post('decision/preview', rejection)).text).toContain('could not be verified')
    expect((await post('decision/preview', next.read)).status).toBe(422)
    const approval = await post('decision/preview', { ...rejection, outcome: 'approved' })
    expect([approval.status, approval.text]).toEqual([
      422,
      expect.stringContaining('The application is incomplete'),
    ])
    for (const contradiction of [
      { outcome: 'approved', reason_code: 'sanctions_match' },
      { outcome: 'rejected', reason_code: 'complete' },
    ]) {
      const { status, text } = await post('decision', { ...next.read, ...contradiction })
      expect([status, text]).toEqual([422, expect.stringContaining('reason that fits the outcome')])
    }
    expect((await readKyb(id)).review.outcome).toBe('revision_requested')
  })
  test('shows the photo in the address without scripts, and offers a PDF as a download', async () => {
    const id = await api.createKyb()
    const attribute = 'legal_structures'
    const jpeg = new Blob([new Uint8Array(await photograph({ width: 20, height: 20 }))])
    const [photo, document] = [
      (await api.upload(id, { attribute }, jpeg, 'photo.jpg')).body.id,
      (await api.upload(id, { attribute }, pdf(), 'file.pdf')).body.id,
    ]
    const viewerOf = async (file: string) =>
      (await open(`/console/kyb/${id}?document=${file}`)).text.split('data-viewer')[1]
    expect(await viewerOf(photo)).toContain(`<img src="/console/files/${photo}"`)
    const saved = await viewerOf(document)
    expect(saved).toContain('Save this document to open it')
    expect(saved).toContain(`href="/console/files/${document}"`)
    expect(await viewerOf(unique())).toContain(`<img src="/console/files/${photo}"`)
  })
  test('keeps accepted and flagged fields for one operator until the decision', async () => {
    const id = await api.createKyb(unique(), {
      nature_of_business: { city_address: 'Berlin', phone: '+493012345' },
    })
    const path = `/console/kyb/${id}`
    const [city, phone] = ['nature_of_business.city_address', 'nature_of_business.phone']
    const { post, get } = await open(path)
    const stateOf = async (key: string) => {
      const [, state] = new RegExp(`id="field-${key}" class="mark-row ?([^"]*)"`).exec(await get()) ?? []
      return state
    }
    const save = async (form: object) => {
      const { status } = await post('marks', { tab: 'company', ...form })
      expect(status).toBe(303)
    }
    await save({ accept: `${city} ${phone}` })
    expect(await Promise.all([city, phone].map(stateOf))).toEqual(['is-accepted', 'is-accepted'])
    await save({ clear: phone })
    expect(await stateOf(phone)).toBe('')
    await save({ flag: city, code: 'mismatch', comment: 'Which <b>town</b>?' })
    expect(await stateOf(city)).toBe('is-flagged')
    const flagged = await get()
    expect(flagged).toContain('Mismatch: Which &lt;b>town&lt;/b>?')
    expect(flagged).toContain(`name="finding.${city}" form="decision"`)
    expect(await gatehouse.db.orm.$count(reviewMarks, eq(reviewMarks.entityId, id))).toBe(1)
    for (const wrong of [
      { accept: 'nature_of_business.nothing' },
      { flag: city, code: 'mismatch', comment: 'x'.repeat(2_001) },
    ])
      expect((await post('marks', wrong)).status).toBe(422)
    const { read } = await open(path)
    expect((await post('decision', { ...read, ...revision })).status).toBe(303)
    expect(await stateOf(city)).toBe('')
  })
  test('serves pdf.js under its version with long caching, and no other files of its package', async () => {
    const id = await api.createKyb()
    await api.upload(id, { attribute: 'legal_structures' }, pdf(), 'chart.pdf')
    const { text } = await open(`/console/kyb/${id}`)
    expect(text).toMatch(
      /data-proof="[^"]+legal_structures".+<p class="quiet small">Company structure chart</,
    )
    const [, path = ''] = /data-pdf="([^"]+)"/.exec(text) ?? []
    const worker = await fetch(`${baseUrl}${path}/legacy/build/pdf.worker.min.mjs`)
    expect(worker.status).toBe(200)
    expect(worker.headers.get('Content-Type')).toContain('javascript')
    expect(worker.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable')
    expect(worker.headers.get('Content-Security-Policy')).toContain("'wasm-unsafe-eval'")
    await worker.body?.cancel()
    for (const other of ['package.json', 'cmaps/..%2Fpackage.json'])
      expect((await fetch(`${baseUrl}${path}/${other}`, { redirect: 'manual' })).status, other).not.toBe(200)
  })
  test('previews a decision on a person', async () => {
    const id = await createWaiting(gatehouse)
    const { post, read } = await open(`/console/identifications/${id}`)
    const decision = { ...read, outcome: 'rejected', reason_code: 'other', client_comment: 'No.' }
    const preview = await post('decision/preview', decision)
    expect([preview.status, preview.text]).toEqual([200, expect.stringMatching(/Reason<.+>No\.</)])
    expect(await statusOf(api, id)).toBe('initiated')
  })
  test('previews a decision on an appeal with the final page of the company’s form', async () => {
    const kybId = await api.createKyb()
    const { identification_id: id } = (await api.get(`/kyb/${kybId}`)).body.data
    const before = await open(`/console/identifications/${id}`)
    const early = { ...before.read, outcome: 'attention', reason_code: 'other' }
    expect((await before.post('decision/preview', early)).text).toContain('does not change the applicant')
    const rejected = { outcome: 'rejected', reason_code: 'other', client_comment: 'The register differs.' }
    expect((await operator.post(`/kyb/${kybId}/decision`, rejected)).status).toBe(200)
    await untilStatus(api, id, 'rejected')
    const attention = { outcome: 'attention', reason_code: 'other' }
    expect((await operator.post(`/identifications/${id}/decision`, attention)).status).toBe(200)
    const { post, read } = await open(`/console/identifications/${id}`)
    const decision = { ...read, reason_code: 'other', client_comment: 'A new extract, please.' }
    const silent = await post('decision/preview', { ...decision, outcome: 'rejected', client_comment: '' })
    expect(silent.text).not.toContain('The register differs.')
    const titleOf = async (outcome: string) => {
      const { text } = await post('decision/preview', { ...decision, outcome })
      expect(text).toContain('A new extract, please.')
      return /<h1[^>]*>(.+?)<\/h1>/.exec(text)?.[1]
    }
    expect(await titleOf('initiated')).toBe('More information needed')
    expect(await titleOf('rejected')).toBe('Your company could not be verified')
  })
  test('refuses a decision if the case has changed, and shows the changes of others', async () => {
    const id = await api.createKyb()
    const { post, read } = await open(`/console/kyb/${id}`)
    await api.patch(`/kyb/${id}`, { nature_of_business: { legal_company_name: 'Other Ltd' } })
    const { status, text } = await post('decision', { ...read, ...revision })
    expect(status).toBe(409)
    const meanwhile = text.slice(
      text.indexOf('Changes since you opened the page'),
      text.indexOf('class="case"'),
    )
    expect(meanwhile).toContain('data-action="patch"')
    expect(meanwhile).not.toContain('data-action="created"')
    expect(text).not.toContain('Decision not recorded')
  })
  test.each([
    ['decided', []],
    ['proposed', ['rejections']],
  ])('shows the typed text again for copying if another operator has %s', async (_, four_eyes) => {
    const vault = await addVault(gatehouse)
    await operator.patch(`/vaults/${vault.vaultId}`, { four_eyes })
    const id = await vault.api.createKyb()
    const { get, post, read } = await open(`/console/kyb/${id}`)
    const rejection = { outcome: 'rejected', reason_code: 'high_risk' }
    expect((await operator.post(`/kyb/${id}/decision`, rejection)).status).toBe(200)
    const { status, text } = await post('decision', { ...read, ...revision, internal_note: 'By phone.' })
    expect(status).toBe(409)
    const written = text.slice(text.indexOf('Decision not recorded'), text.indexOf('class="case"'))
    for (const word of [
      'Request changes',
      'Other reason',
      'newest',
      'By phone.',
      'Expired: It ended in May.',
    ])
      expect(written).toContain(word)
    expect(await get()).not.toContain('Decision not recorded')
  })

  describe('with webhook deliveries', () => {
    const setUrls = (...identification: string[]) =>
      api.put('/users/update_webhook', { webhook_url: { identification } })
    const logOf = async (id: string) => (await operator.get(`/kyb/${id}/deliveries`)).body.data[0]
    const ended = (id: string, status: string, attempts: number) =>
      eventually(async () => {
        const log = await logOf(id)
        expect([log?.status, log?.attempts.length]).toEqual([status, attempts])
        return log
      })
    /** Requests a revision, which causes the only event, and waits for the deliveries of this event. */
    async function sent(status: string, ...urls: string[]) {
      await setUrls(...urls)
      const id = await api.createKyb()
      const path = `/console/kyb/${id}`
      const { post: decide, read } = await open(path)
      expect((await decide('decision', { ...read, ...revision })).status).toBe(303)
      const log = await ended(id, status, urls.length)
      return { id, log, path, retry: `deliveries/${log.id}/retry` }
    }
    const ALL = 'Resend to all URLs'
    const FAILED = 'Resend to failed URLs'
    const countOf = ({ received }: Receiver) =>
      received.filter(({ event }) => event === 'kyb_revision_requested').length
    const change = (id: string, to: Partial<typeof webhookLogs.$inferInsert>) =>
      gatehouse.db.orm.update(webhookLogs).set(to).where(eq(webhookLogs.id, id))

    test('sends them again for any operator, but only once if the form is sent twice', async () => {
      const receiver = await startReceiver()
      const { id, path, retry } = await sent('completed', receiver.url)
      const page = await open(path)
      expect(page.text).toContain('>Resend event<')
      for (const text of [ALL, FAILED]) expect(page.text).not.toContain(text)
      const { round } = page
      expect((await page.post(retry, { round })).status).toBe(303)
      await ended(id, 'completed', 2)
      expect(await page.get()).toContain('data-action="delivery_retried"')
      const twice = await page.post(retry, { round })
      expect([twice.status, twice.text]).toEqual([422, expect.stringContaining('has already been resent')])
      expect((await logOf(id)).attempts).toHaveLength(2)
      const none = await page.post(retry, { round: '2', only_failed: 'yes' })
      expect([none.status, none.text]).toEqual([422, expect.stringContaining('no registered URL failed')])
      await setUrls()
      const nowhere = await page.post(retry, { round: '2' })
      expect([nowhere.status, nowhere.text]).toEqual([
        422,
        expect.stringContaining('has no URL for its topic'),
      ])
      // The page shows the error next to its form.
      expect(nowhere.text).toContain(`${path}/${retry}`)
      const other = await open(`/console/kyb/${await api.createKyb()}`)
      expect((await other.post(retry, { round: '2' })).status).toBe(404)
      const entries = (await operator.get(`/kyb/${id}/timeline`)).body.data
      const retried = entries.filter(({ action }: { action: string }) => action === 'delivery_retried')
      expect(retried).toHaveLength(1)
      await receiver.stop()
    })

    test('sends them again to all addresses, or only to the failed ones', async () => {
      let status = 500
      const [good, bad] = [await startReceiver(), await startReceiver((res) => res.writeHead(status).end())]
      const { id, log, path, retry } = await sent('partial', good.url, bad.url)
      const first = await open(path)
      for (const text of [ALL, FAILED]) expect(first.text).toContain(text)
      expect((await first.post(retry, { round: first.round })).status).toBe(303)
      await ended(id, 'partial', 4)
      // Simulates four attempts at the failed addresses.
      await change(log.id, { status: 'failed', urlsDestiny: [bad.url] })
      status = 200
      const second = await open(path)
      for (const text of [ALL, FAILED]) expect(second.text).toContain(text)
      expect((await second.post(retry, { round: second.round, only_failed: 'yes' })).status).toBe(303)
      expect((await ended(id, 'completed', 5)).urls_destiny).toEqual([bad.url])
      expect([good, bad].map(countOf)).toEqual([2, 3])
      for (const text of [ALL, FAILED]) expect(await second.get()).not.toContain(text)
      await good.stop()
      await bad.stop()
    })

    test('shows the time of their next attempt, and can send them earlier', async () => {
      const receiver = await startReceiver()
      const { id, log, path, retry } = await sent('completed', receiver.url)
      // The local worker does not touch the row: another worker holds the lease, and the new round has no
      // batch.
      const [leaseId, since] = [randomUUID(), new Date()]
      const expiresAt = new Date(Date.now() + 55_000)
      await gatehouse.db.orm.insert(webhookLeases).values({ id: leaseId, heldSince: since, expiresAt })
      await change(log.id, { status: 'processing', round: 2, batchId: null, dueAt: since, leaseId })
      const due = await open(path)
      expect(due.text).not.toContain(retry)
      await change(log.id, { dueAt: new Date('2999-01-01T12:00:00Z'), leaseId: null })
      const page = await open(path)
      expect(page.text).toContain('next attempt on 1\u00a0Jan\u00a02999, 12:00')
      expect((await page.post(retry, { round: page.round })).status).toBe(303)
      await ended(id, 'completed', 2)
      await receiver.stop()
    })
  })
})
