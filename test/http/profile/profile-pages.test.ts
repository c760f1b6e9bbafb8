/** Tests the settings page of a vault's profile: rows, conditions, checks, and the publication. */
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { runProfile } from '../../../src/cli/profile.ts'
import { openConsole } from '../../support/console.ts'
import { csrfIn, sentFields } from '../../support/form.ts'
import { sendForm } from '../../support/hosted-page.ts'
import { addVault, sharedInstance } from '../../support/instance.ts'
import { completeApplication } from '../../support/kyb.ts'
import { PASSWORD, signedIn } from '../../support/people.ts'
import { documentOf, profilesOf, row } from '../../support/profile.ts'
import { END_OF_FORM, formPart, MULTIPART, sendSlowly } from '../../support/slow-body.ts'

const gatehouse = await sharedInstance({ worker: true })
const admin = await openConsole(gatehouse.baseUrl, gatehouse.credentials)

let vault: Awaited<ReturnType<typeof addVault>>
let operator: Awaited<ReturnType<typeof vault.operator>>
let page: string
beforeEach(async () => {
  vault = await addVault(gatehouse)
  operator = await vault.operator()
  page = `/console/settings/vaults/${vault.vaultId}/profile`
})

const ROW = {
  path: 'tax_number',
  label_en: 'Tax number',
  label_de: 'Steuernummer',
  type: 'short_text',
  section: 'nature_of_business',
  need: 'required',
  when: 'always',
  otherwise: 'not_asked',
}
const save = (form: object, query = '?part=company&row=') => admin.post(page + query, { ...form })
const draft = async () => (await operator.get(`/vaults/${vault.vaultId}/profile/draft`)).body.data?.document
const added = async () =>
  (await draft()).company.rows.filter(({ path }: { path: string }) => path.startsWith('additional.'))

test('lists the specified questions and when they are asked', async () => {
  const text = await admin.text(page)
  expect(text).toContain('Legal name of the company')
  expect(text).toContain('Required if “Will you hold or transfer money for your customers?” is “Yes”.')
  expect(text).toContain('The default profile applies.')
})

describe('the list', () => {
  const labels = (html: string) =>
    [...html.matchAll(/class="row-link"[^>]*>([^<]+)</g)].map(([, label]) => label)
  const chips = (html: string) =>
    [...html.matchAll(/class="filter-chip"[^>]*>([^<]+) <span class="number">(\d+)</g)].map(
      ([, name, count]) => `${name} ${count}`,
    )

  test('is limited to changed questions, incomplete languages and a search', async () => {
    expect(chips(await admin.text(page))).not.toContain(expect.stringContaining('Changed'))
    await save(ROW)
    await save({ ...ROW, path: 'trade_name', label_en: 'Trade name', label_de: '' })
    expect(chips(await admin.text(page))).toEqual(expect.arrayContaining(['Changed 2', 'Language missing 1']))
    expect(labels(await admin.text(`${page}?show=changed`))).toEqual(['Tax number', 'Trade name'])
    const incomplete = await admin.text(`${page}?show=languages`)
    expect(labels(incomplete)).toEqual(['Trade name'])
    expect(incomplete).toContain('1 of 2')
    expect(incomplete).toContain('German missing')
    expect(labels(await admin.text(`${page}?show=changed&find=TAX`))).toEqual(['Tax number'])
    expect(labels(await admin.text(`${page}?find=legal_company_name`))).toEqual(['Legal name of the company'])
    const none = await admin.text(`${page}?show=languages&find=%3Cb%3E`)
    expect(labels(none)).toEqual([])
    expect(none).toContain('No questions match these filters')
    expect(none).not.toContain('<b>')
    for (const nonsense of [
      'show=x',
      'show=changed&show=languages',
      'find[]=x',
      'find=%00',
      `find=${'x'.repeat(5_000)}`,
    ])
      expect([nonsense, (await admin.get(`${page}?${nonsense}`)).status]).toEqual([nonsense, 200])
  })

  test('keeps its filters while a question is changed', async () => {
    await save(ROW)
    const [, link = ''] =
      /class="row-link" href="([^"]+)"/.exec(await admin.text(`${page}?show=changed&find=tax`)) ?? []
    expect(link).toContain('show=changed')
    const query = new URL(link.replaceAll('&amp;', '&'), gatehouse.baseUrl).search
    const saved = await save(ROW, query)
    expect([saved.status, saved.headers.get('Location')]).toEqual([
      303,
      `${page}?part=company&show=changed&find=tax`,
    ])
  })
})

test.each(['company', 'beneficiary', 'person'])(
  'shows each question of a %s and the form for a new one',
  async (part) => {
    const list = await admin.text(`${page}?part=${part}`)
    const links = [...list.matchAll(/href="([^"]*[?&;]row=[^"]*)"/g)].map(([, link = '']) => link)
    expect(links.length).toBeGreaterThan(5)
    for (const link of links.filter((_, index) => index % 5 === 0))
      expect([link, (await admin.get(link.replaceAll('&amp;', '&'))).status]).toEqual([link, 200])
    for (const section of ['details', 'document', 'nature_of_business', ''])
      expect((await admin.get(`${page}?part=${part}&row=&section=${section}`)).status).toBe(200)
  },
)

test('adds, changes and removes a question of the draft', async () => {
  expect((await save(ROW)).status).toBe(303)
  expect(await added()).toEqual([
    {
      path: 'additional.tax_number',
      section: 'nature_of_business',
      type: 'short_text',
      required: true,
      label: { en: 'Tax number', de: 'Steuernummer' },
    },
  ])
  const query = '?part=company&row=additional.tax_number'
  expect((await save({ ...ROW, need: 'optional', help_en: 'On your tax bill' }, query)).status).toBe(303)
  expect(await added()).toMatchObject([{ help: { en: 'On your tax bill' } }])
  expect((await added())[0].required).toBeUndefined()
  expect((await admin.post(`${page}/remove${query}`)).status).toBe(303)
  expect(await added()).toEqual([])
})

test('asks people when their document expires, and stops asking', async () => {
  const query = '?part=person&row=document_expires_on'
  const list = async () => admin.text(`${page}?part=person`)
  expect(await list()).toContain('Expiry date of the document')
  const asking = {
    when: 'all',
    need: 'required',
    otherwise: 'not_asked',
    field_0: 'document_type',
    test_0: 'is',
    value_0: 'Passport',
  }
  expect((await save(asking, query)).status).toBe(303)
  expect((await draft()).person.rows).toContainEqual({
    path: 'document_expires_on',
    section: 'document',
    type: 'date',
    required: true,
    asked: { field: 'document_type', is: 'passport' },
  })
  expect((await admin.post(`${page}/remove${query}`)).status).toBe(303)
  expect((await draft()).person.rows.map((row: { path: string }) => row.path)).not.toContain(
    'document_expires_on',
  )
  expect(await list()).toContain('Expiry date of the document')
})

test.each<[string, object, object]>([
  [
    'all lines',
    { when: 'all', field_0: 'nature_of_business.country_address', test_0: 'in', value_0: 'Germany; at, eu' },
    { field: 'nature_of_business.country_address', in: ['DE', 'AT', 'EU'] },
  ],
  [
    'one line of two',
    {
      when: 'any',
      field_0: 'usage_of_account.nesting_confirmation',
      test_0: 'is',
      value_0: 'yes',
      field_1: 'usage_of_account.trx_value_monthly',
      test_1: 'at_least',
      value_1: '2,5',
    },
    {
      any: [
        { field: 'usage_of_account.nesting_confirmation', is: true },
        { field: 'usage_of_account.trx_value_monthly', at_least: '2.5' },
      ],
    },
  ],
  [
    'a period',
    {
      when: 'all',
      field_0: 'nature_of_business.date_of_incorporation',
      test_0: 'older_than',
      value_0: '2 years',
    },
    { field: 'nature_of_business.date_of_incorporation', older_than: 'P2Y' },
  ],
  [
    'no answer',
    { when: 'all', field_0: 'nature_of_business.vat_number', test_0: 'not_given' },
    { field: 'nature_of_business.vat_number', given: false },
  ],
])('reads a condition with %s, and shows it as it was entered', async (_, form, condition) => {
  expect((await save({ ...ROW, ...form })).status).toBe(303)
  expect(await added()).toMatchObject([{ asked: condition, required: true }])
  const query = '?part=company&row=additional.tax_number'
  const shown = await admin.text(page + query)
  expect(shown).not.toContain('as described above')
  const fields = sentFields(shown, `${page}${query}`)
  expect((await admin.post(page + query, fields)).status).toBe(303)
  expect(await added()).toMatchObject([{ asked: condition, required: true }])
})

test('keeps a condition that it cannot show as lines', async () => {
  const asked = { not: { all: [{ field: 'nature_of_business.vat_number', given: true }] } }
  const row = { path: 'additional.tax_number', section: 'nature_of_business', type: 'short_text', asked }
  const document = { company: { rows: [row] }, beneficiary: { rows: [] }, person: { rows: [] } }
  await operator.put(`/vaults/${vault.vaultId}/profile/draft`, { document })
  const query = '?part=company&row=additional.tax_number'
  expect(await admin.text(page + query)).toContain('as described above')
  expect((await save({ ...ROW, when: 'other' }, query)).status).toBe(303)
  expect(await added()).toMatchObject([{ asked, label: { en: 'Tax number' } }])
  // No question shows the state of a person's check, on which the identity document depends.
  const identity = '?part=beneficiary&row=beneficiary_identification'
  expect(await admin.text(page + identity)).toContain('as described above')
})

test('adds a choice with a text in each language', async () => {
  const form = {
    ...ROW,
    type: 'one_of',
    values: 'none\r\nsome',
    choices_en: 'None\r\nSome',
    choices_de: 'Keine',
  }
  expect((await save(form)).status).toBe(303)
  expect(await added()).toMatchObject([
    { values: ['none', 'some'], value_labels: { none: { en: 'None', de: 'Keine' }, some: { en: 'Some' } } },
  ])
  const problem = 'Text of the choice “some” (German): The text is missing.'
  expect(await admin.text(page)).toContain(problem)
  const publication = await admin.text(`${page}/publish`)
  expect(publication).toContain(problem)
  expect(publication).toContain('profile?part=company&amp;row=additional.tax_number')
})

test.each([
  ['path', { path: 'Tax Number' }],
  ['path', { path: '' }],
  ['label_en', { label_en: 'x'.repeat(301) }],
  ['values', { type: 'one_of', values: 'with spaces' }],
  [
    'value_0',
    { when: 'all', field_0: 'nature_of_business.country_address', test_0: 'is', value_0: 'Atlantis' },
  ],
  ['value_0', { when: 'all', field_0: 'nature_of_business.country_address', test_0: 'is' }],
  ['type', { type: 'regex' }],
])('refuses a wrong value of %s, and changes nothing', async (field, wrong) => {
  const answer = await save({ ...ROW, ...wrong })
  expect(answer.status).toBe(422)
  expect(await answer.text()).toContain(`href="#${field}"`)
  expect(await draft()).toBeUndefined()
})

test('limits values by the type of the question', async () => {
  const query = '?part=company&row=additional.tax_number'
  expect((await save({ ...ROW, max_length: '20', format: 'vat' })).status).toBe(303)
  expect(await added()).toMatchObject([{ max_length: 20, format: 'vat' }])
  expect(await admin.text(page + query)).toContain('name="max_length"')
  expect((await save({ ...ROW, max_length: '-1' }, query)).status).toBe(422)
  expect((await save({ ...ROW, type: 'files', max_age: '3 months', expires: 'true' }, query)).status).toBe(
    303,
  )
  expect(await added()).toMatchObject([{ max_age: 'P3M', expires: true }])
  expect((await added())[0].max_length).toBeUndefined()
  expect(await admin.text(page + query)).toContain('value="3 months"')
  expect(
    (await save({ ...ROW, path: 'due_on', type: 'date', earliest: '18 years', latest: '+6 months' })).status,
  ).toBe(303)
  expect((await added())[1]).toMatchObject({ earliest: 'P18Y', latest: '+P6M' })
})

test('refuses a name that the draft already has', async () => {
  expect((await save(ROW)).status).toBe(303)
  expect((await save({ ...ROW, label_en: 'Another' })).status).toBe(422)
  expect(await added()).toMatchObject([{ label: { en: 'Tax number' } }])
})

test('shows another empty line without saving, and the values of a question that has a list', async () => {
  const form = { ...ROW, when: 'all', field_0: 'usage_of_account.nesting_confirmation', more: 'yes' }
  const answer = await save(form)
  expect(answer.status).toBe(200)
  const text = await answer.text()
  expect(text).toContain('name="field_1"')
  expect(text).toContain('name="value_0" value="true"')
  expect(text).not.toContain('<option value="at_least">')
  expect(await draft()).toBeUndefined()
})

test('removes a line of the condition without saving', async () => {
  const lines = {
    field_0: 'usage_of_account.nesting_confirmation',
    field_1: 'nature_of_business.country_of_incorporation',
  }
  const answer = await save({ ...ROW, when: 'all', ...lines, drop: '0' })
  expect(answer.status).toBe(200)
  const text = await answer.text()
  expect(text).toMatch(/name="field_0".*value="nature_of_business.country_of_incorporation" selected/s)
  expect(text).not.toContain('name="field_2"')
  expect(await draft()).toBeUndefined()
})

test('previews the pages of the form under the draft', async () => {
  expect((await admin.get(`${page}/preview/kyb/`)).status).toBe(404)
  await save(ROW)
  for (const path of [
    '',
    'nature_of_business',
    'usage_of_account',
    'business_files',
    'beneficiaries',
    'check',
  ]) {
    const answer = await admin.get(`${page}/preview/kyb/${path}`)
    expect([path, answer.status]).toEqual([path, 200])
    expect(await answer.text()).toContain('Preview of the draft with invented data')
  }
  expect(await admin.text(`${page}/preview/kyb/nature_of_business`)).toContain('Tax number')
  expect(await admin.text(`${page}/preview/kyb/owners/new`)).toContain('stake_in_company')
  expect((await admin.get(`${page}/preview/kyb/nowhere`)).status).toBe(404)
  expect(await admin.text(page)).not.toContain('Ada Lindner')
})

test('previews the pages of a person under the draft', async () => {
  expect((await admin.get(`${page}/preview/person/`)).status).toBe(404)
  const birth = { ...row('place_of_birth'), section: 'details', required: true }
  const proof = { ...row('proof_of_address'), section: 'document', type: 'files', required: true }
  const profiles = await profilesOf(vault)
  expect((await profiles.draft(documentOf([], [], [birth, proof]))).status).toBe(200)
  const read = (path: string) => admin.text(`${page}/preview/person/${path}`)
  const paths = ['', 'consent', 'details', 'document', 'document_front', 'selfie', 'phone', 'check']
  for (const path of [...paths, 'additional.proof_of_address']) {
    const answer = await admin.get(`${page}/preview/person/${path}`)
    expect([path, answer.status]).toEqual([path, 200])
    expect(await answer.text()).toContain('Preview of the draft with invented data')
  }
  expect(await read('details')).toContain('place_of_birth')
  expect(await read('details')).toContain('Lindner')
  expect(await read('check')).toContain('proof_of_address')
  expect((await admin.get(`${page}/preview/person/document_back`)).status).toBe(404)
  expect((await admin.get(`${page}/preview/person/nowhere`)).status).toBe(404)
  expect(await admin.text(`${page}?part=person`)).toContain('/preview/person/')
})

test('previews the pages of a beneficiary’s link', async () => {
  const birth = row('place_of_birth', { section: 'link', required: true })
  await (await profilesOf(vault)).draft(documentOf([], [birth]))
  const list = await admin.text(`${page}?part=beneficiary`)
  expect(list).toContain('Person’s own link')
  expect(list).toContain('/preview/link/')
  expect(list).toContain('Preview person’s link')
  for (const path of ['', 'link', 'details', 'check'])
    expect((await admin.get(`${page}/preview/link/${path}`)).status).toBe(200)
  expect(await admin.text(`${page}/preview/link/link`)).toContain('place_of_birth')
  expect((await admin.get(`${page}/preview/person/link`)).status).toBe(404)
})

test('explains rows, problems and differences in German', async () => {
  await save({ ...ROW, label_en: '', help_de: 'Auf dem Bescheid' })
  const german = { 'Accept-Language': 'de' }
  const read = async (path: string) => (await admin.get(page + path, german)).text()
  expect(await read('')).toContain('Fehlt: Englisch')
  expect(await read('')).toContain('gleich „Ja“ ist. Sonst nicht gefragt.')
  expect(await read('?part=company&row=additional.tax_number')).toContain('Frage (Deutsch)')
  expect(await read('/publish')).toContain('Neu: Steuernummer')
  expect(await read('/import')).toContain('Geldwäscheverordnung der EU')
  expect(await read('/preview/kyb/nature_of_business')).toContain('Steuernummer')
})

test('names who published the version with which the draft is compared', async () => {
  await save(ROW)
  await admin.post(`${page}/publish`, {})
  await save({ ...ROW, label_en: 'Tax ID' }, '?part=company&row=additional.tax_number')
  const name = gatehouse.credentials.operator_email
  expect(await admin.text(`${page}/publish`)).toMatch(
    new RegExp(`1 change to version 1, which ${name} published on \\d`),
  )
  expect(await admin.text(page)).toContain(`<td data-label="Published by">${name}</td>`)
})

test('warns at the input of a missing text', async () => {
  await save({ ...ROW, label_de: '' })
  const panel = await admin.text(`${page}?part=company&row=additional.tax_number`)
  expect(panel).toMatch(/name="label_de"[^>]*placeholder=" "[^>]*\/><\/div><p class="profile-problem">/)
  expect(panel).not.toContain('class="profile-problems"')
})

test('shows the condition of a question before other languages, and its name last, which is locked once it is saved', async () => {
  const inputs = (html: string) =>
    [...html.matchAll(/name="(label_\w+|help_\w+|type|need|section|order|path)"/g)].map(([, name]) => name)
  const order = ['label_en', 'help_en', 'type', 'need', 'label_de', 'help_de', 'section', 'order', 'path']
  const empty = await admin.text(`${page}?part=company&row=`)
  expect(inputs(empty)).toEqual(order)
  expect(empty).toContain('Lower-case letters, digits and underscores')
  await save(ROW)
  const saved = await admin.text(`${page}?part=company&row=additional.tax_number`)
  expect(inputs(saved)).toEqual(order)
  expect(saved).not.toContain('Lower-case letters, digits and underscores')
  expect(saved).toMatch(/<label for="path">Name in the API <svg/)
  // The panel takes the place of the previews.
  expect(saved).not.toContain('/preview/')
})

test('rehearses the draft, and publishes it at a date', async () => {
  await save(ROW)
  const publication = await admin.text(`${page}/publish`)
  expect(publication).toContain('No applications to check')
  // Open applications do not move on a date that has begun.
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  expect(publication).toContain(`min="${tomorrow}"`)
  const publish = async (form: object) => (await admin.post(`${page}/publish`, { ...form })).status
  expect(await publish({ applies_from: 'soon' })).toBe(422)
  for (const applies_from of ['', '2020-02-01'])
    expect([applies_from, await publish({ applies_to: 'open', applies_from })]).toEqual([applies_from, 422])
  expect(await publish({ applies_to: 'open', applies_from: '2030-02-01' })).toBe(303)
  expect(await admin.text(page)).toContain('Version 1 applies from 1\u00a0Feb\u00a02030')
  expect((await admin.get(`${page}/publish`)).status).toBe(303)
  const { body } = await operator.get(`/vaults/${vault.vaultId}/profile`)
  expect(body.data.version).toBe(0)
})

test('names applications that would owe an answer, and exports all of them', async () => {
  const { id } = await completeApplication(vault.api)
  const external = (await vault.api.get(`/kyb/${id}`)).body.data.external_id
  await save(ROW)
  const shown = await admin.text(`${page}/publish`)
  for (const each of [
    '1 company with missing answers',
    '>Analytical Engines Ltd</a>',
    'The open application needs more',
  ])
    expect(shown).toContain(each)
  const file = await admin.get(`${page}/rehearsal`)
  expect(file.headers.get('Content-Type')).toContain('text/csv')
  expect(await file.text()).toBe(`id,external_id,owed\r\n${id},${external},additional.tax_number\r\n`)
  await admin.post(`${page}/remove?part=company&row=additional.tax_number`)
  expect(await (await admin.get(`${page}/rehearsal`)).text()).toBe('\r\n')
})

test('shows who owes an answer only to readers of cases, and records the names and the export', async () => {
  const { id } = await completeApplication(vault.api)
  const external = (await vault.api.get(`/kyb/${id}`)).body.data.external_id
  await save(ROW)
  const { vaultId } = vault
  const signInAs = async (...roles: string[]) => {
    const operator_grants = roles.map((role) => ({ role, vault_id: vaultId }))
    const own = await signedIn(gatehouse, 'operator', { operator_grants })
    const browser = await openConsole(gatehouse.baseUrl, { email: own.email, password: PASSWORD })
    const recorded = async () =>
      (await operator.get(`/audit?vault_id=${vaultId}&actor=operator:${own.id}`)).body.data.map(
        ({ action, count }: { action: string; count: number }) => `${action} ${count}`,
      )
    return { browser, recorded }
  }
  const alone = await signInAs('administrator')
  const shown = await alone.browser.text(`${page}/publish`)
  expect(shown).toContain('1 company')
  for (const each of [id, external, 'Analytical Engines Ltd']) expect(shown).not.toContain(each)
  expect((await alone.browser.get(`${page}/rehearsal`)).status).toBe(404)
  expect(await alone.recorded()).toEqual([])

  const reader = await signInAs('auditor')
  expect(await reader.browser.text(`${page}/publish`)).toContain('>Analytical Engines Ltd</a>')
  expect((await reader.browser.get(`${page}/rehearsal`)).status).toBe(200)
  expect(await reader.recorded()).toEqual(['report_exported 1', 'case_names_read 1'])
})

test('does not import a file from an administrator who lost the role while it arrived', async () => {
  const { baseUrl } = gatehouse
  const operator_grants = [{ role: 'administrator', vault_id: vault.vaultId }]
  const { id, email } = await signedIn(gatehouse, 'operator', { operator_grants })
  const begun = await sendForm(`${baseUrl}/console/sign_in`, { email, password: PASSWORD })
  const Cookie = begun.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ')
  const read = async () => (await sendForm(baseUrl + page, undefined, { Cookie })).text()
  const csrf = csrfIn(await read())
  const answer = await sendSlowly(`${baseUrl}${page}/import`, {
    headers: { Cookie, ...MULTIPART },
    parts: [`${formPart('_csrf', csrf)}\r\n`, formPart('shipped', 'uk') + END_OF_FORM],
    async between() {
      // Both requests began later, so the session of the first one has been read when they end.
      await read()
      await read()
      const all = await gatehouse.operator()
      expect((await all.patch(`/users/${id}`, { operator_grants: [] })).status).toBe(200)
    },
  })
  expect(answer.status).toBe(404)
  expect(await draft()).toBeUndefined()
})

test('puts questions with a position first', async () => {
  await save(ROW)
  await save({ ...ROW, path: 'second', label_en: 'Second question', order: '1' })
  const list = await admin.text(page)
  expect(list.indexOf('Second question')).toBeLessThan(list.indexOf('Tax number'))
  expect(list.indexOf('Second question')).toBeGreaterThan(0)
  expect((await save({ ...ROW, path: 'third', order: 'first' })).status).toBe(422)
  expect(await admin.text(`${page}?part=company&row=additional.second`)).toMatch(
    /name="order"[^>]* value="1"/,
  )
})

test('does not publish a draft with problems', async () => {
  await save({ ...ROW, label_de: '' })
  const text = await admin.text(`${page}/publish`)
  expect(text).toContain('Question (German): The text is missing.')
  expect(text).not.toContain('Publish version 1</button>')
  expect((await admin.post(`${page}/publish`, {})).status).toBe(422)
})

describe('a file', () => {
  const sendFile = async (content: string | null, more: Record<string, string> = {}) => {
    const form = new FormData()
    for (const [name, value] of Object.entries({
      _csrf: csrfIn(await admin.text(`${page}/import`)),
      ...more,
    }))
      form.append(name, value)
    if (content !== null)
      form.append('file', new Blob([content], { type: 'application/json' }), 'profile.json')
    return admin.send(`${page}/import`, form)
  }
  test('with an exported profile is imported as the draft', async () => {
    await save(ROW)
    const exported = await admin.get(`${page}/export`)
    expect(exported.headers.get('Content-Disposition')).toBe('attachment; filename=profile-1.json')
    const text = await exported.text()
    await admin.post(`${page}/remove?part=company&row=additional.tax_number`)
    expect(await added()).toEqual([])
    expect((await sendFile(text)).status).toBe(303)
    expect(await added()).toMatchObject([{ path: 'additional.tax_number' }])
  })
  test.each([
    ['nothing', null],
    ['no JSON', '<profile/>'],
    ['no profile', '{"company": {"rows": []}}'],
    ['too many values', `[${'1,'.repeat(30_000)}1]`],
    ['too many levels', `${'['.repeat(30)}${']'.repeat(30)}`],
    [
      'a null byte',
      '{"company":{"rows":[{"path":"additional.x","section":"nature_of_business","type":"text","group":"a\\u0000"}]},"beneficiary":{"rows":[]},"person":{"rows":[]}}',
    ],
    [
      'an unknown type',
      '{"company":{"rows":[{"path":"additional.x","section":"details","type":"code"}]},"beneficiary":{"rows":[]},"person":{"rows":[]}}',
    ],
  ])('with %s is refused', async (_, content) => {
    const answer = await sendFile(content)
    expect(answer.status).toBe(422)
    expect(await answer.text()).toContain('href="#file"')
    expect(await draft()).toBeUndefined()
  })
  test('with wrong limits and texts is refused with their places', async () => {
    const row = { path: 'additional.x', section: 'details', type: 'date', latest: '2026-02-31' }
    const other = { path: 'additional.y', section: 'details', type: 'date', label: { en: 'a\u0000' } }
    const document = { company: { rows: [row, other] }, beneficiary: { rows: [] }, person: { rows: [] } }
    const answer = await sendFile(JSON.stringify(document))
    expect(answer.status).toBe(422)
    expect(await answer.text()).toContain(
      'Correct these places in the file: company.rows.0.latest, company.rows.1.label.en',
    )
    expect(await draft()).toBeUndefined()
  })
  test('is not needed for a shipped profile', async () => {
    expect(await admin.text(`${page}/import`)).toContain('Law not final')
    expect((await sendFile(null, { shipped: 'eu-amlr' })).status).toBe(303)
    const { body } = await operator.get('/profiles')
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['default', 'eu-amlr', 'uk', 'us'])
    expect(await draft()).toEqual(body.data[1].document)
    expect(await admin.text(`${page}?part=beneficiary`)).toContain('Place of birth')
  })
})

describe('the command line', () => {
  const run = async (action: 'export' | 'check' | 'compare' | 'publish', given: object = {}) => {
    const said: string[] = []
    const isFine = await runProfile(
      { db: gatehouse.db, say: (line) => said.push(line) },
      action,
      vault.vaultId,
      given,
    )
    return { isFine, said: said.join('\n') }
  }
  const fileOf = async (document: object | string) => {
    const file = join(await mkdtemp(join(tmpdir(), 'profile-')), 'profile.json')
    await writeFile(file, typeof document === 'string' ? document : JSON.stringify(document))
    return file
  }
  test('compares, publishes and exports a shipped profile', async () => {
    expect(await run('check', { name: 'uk' })).toEqual({ isFine: true, said: 'The profile has no problems.' })
    const compared = await run('compare', { name: 'uk' })
    expect(compared.isFine).toBe(false)
    expect(compared.said).toContain(
      'New: Has the person verified their identity at Companies House?, for each owner and director. Required if',
    )
    expect(await run('publish', { name: 'uk' })).toEqual({ isFine: true, said: 'Published version 1.' })
    expect((await run('compare', { name: 'uk' })).isFine).toBe(true)
    const { body } = await operator.get(`/vaults/${vault.vaultId}/profile`)
    expect(JSON.parse((await run('export')).said)).toEqual(body.data.document)
    expect((await operator.get('/audit?per_page=1')).body.data[0]).toMatchObject({
      action: 'profile_published',
      actor: 'cli',
    })
  })
  test('checks and publishes a file, from a date', async () => {
    const row = {
      path: 'additional.tax_number',
      section: 'nature_of_business',
      type: 'short_text',
      label: { en: 'Tax' },
    }
    const document = { company: { rows: [row] }, beneficiary: { rows: [] }, person: { rows: [] } }
    const wrong = await run('publish', { file: await fileOf(document) })
    expect(wrong).toEqual({
      isFine: false,
      said: 'company.rows.0.label.de: The text is missing in a language of the vault. Add it.',
    })
    row.label = { en: 'Tax', de: 'Steuer' } as typeof row.label
    const file = await fileOf(document)
    await expect(run('publish', { file, from: 'soon' })).rejects.toThrow('--from requires a date')
    expect((await run('publish', { file, from: '2031-01-01' })).said).toBe('Published version 1.')
  })
  test('explains a file that it cannot read', async () => {
    await expect(run('check')).rejects.toThrow('Specify --file')
    await expect(run('check', { file: await fileOf({ company: 1 }) })).rejects.toThrow(
      'is not a profile.\ncompany',
    )
    await expect(run('check', { file: await fileOf('{') })).rejects.toThrow('is not a JSON file.')
  })
  test.each([
    ['{"company":{},"company":{}}', 'company: Send this field once.'],
    ['[]', 'Send a JSON object, such as {}.'],
  ])('refuses the file %s, like the console', async (text, message) => {
    const file = await fileOf(text)
    await expect(run('check', { file })).rejects.toThrow(`${file} is not a profile.\n${message}`)
  })
})
