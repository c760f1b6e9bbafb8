/** Tests that a change which changes nothing has no effect: no version, no time, no timeline, audit entry or event. */

import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { openConsole } from '../../support/console.ts'
import { runCli } from '../../support/erasure.ts'
import { sentFields } from '../../support/form.ts'
import { beginCompany, sendForm, startForm } from '../../support/hosted-page.ts'
import { createWaiting } from '../../support/identification.ts'
import { addVault, eventually, sharedInstance, unique } from '../../support/instance.ts'
import { completeApplication, UBO } from '../../support/kyb.ts'
import { signedIn } from '../../support/people.ts'
import { beginPerson, fillInPerson, openPerson, PERSON } from '../../support/person-page.ts'

const gatehouse = await sharedInstance({ worker: true })
const { api, baseUrl, db, credentials } = gatehouse
const own = await addVault(gatehouse)
const { vaultId } = own
const operator = await gatehouse.operator()

/** Returns everything that a change to the resource would leave behind. */
async function tracesOf(id: string) {
  const [row] = await db.orm.execute(sql`SELECT
    (SELECT concat_ws(' ', version, updated_at) FROM kyb_applications WHERE id = ${id}) AS kyb,
    (SELECT concat_ws(' ', version, updated_at) FROM identifications WHERE id = ${id}) AS identification,
    (SELECT count(*) FROM timeline WHERE entity_id = ${id}) AS timeline,
    (SELECT count(*) FROM audit_log) AS audit,
    (SELECT count(*) FROM webhook_logs WHERE payload LIKE ${`%${id}%`}) AS events
`)
  return row
}

async function expectNoEffect(id: string, change: () => Promise<{ status: number }>, status = 200) {
  const before = await tracesOf(id)
  expect((await change()).status).toBe(status)
  expect(await tracesOf(id)).toEqual(before)
}

describe('an application', async () => {
  const { id } = await completeApplication(api)
  const { data } = (await api.get(`/kyb/${id}`)).body
  const [owner] = data.beneficiaries.beneficiaries_list
  test.each([
    ['nothing', {}],
    [
      'empty sections',
      { nature_of_business: {}, usage_of_account: {}, beneficiaries: {}, business_files: {} },
    ],
    [
      'an equal text',
      { nature_of_business: { legal_company_name: data.nature_of_business.legal_company_name } },
    ],
    [
      'an equal text with spaces around it',
      { nature_of_business: { legal_company_name: ` ${data.nature_of_business.legal_company_name} ` } },
    ],
    ['null for an empty field', { nature_of_business: { comercial_name: null } }],
    [
      'an equal answer',
      {
        nature_of_business: { different_commercial_name: data.nature_of_business.different_commercial_name },
      },
    ],
    [
      'the same selection in another order',
      { usage_of_account: { list_of_services: data.usage_of_account.list_of_services.toReversed() } },
    ],
    ['no files', { business_files: { legal_structures: [] } }],
    [
      'the same files',
      { business_files: { articles_of_association: data.business_files.articles_of_association } },
    ],
    ['no beneficiary', { beneficiaries: { beneficiaries_list: [] } }],
    [
      'a beneficiary without fields',
      { beneficiaries: { beneficiaries_list: [{ email: UBO.toUpperCase() }] } },
    ],
    [
      'an equal beneficiary',
      {
        beneficiaries: {
          beneficiaries_list: [{ external_id: owner.external_id, full_name: owner.full_name }],
        },
      },
    ],
    [
      'the removal of a stranger',
      { beneficiaries: { beneficiaries_list: [{ email: 'x@example.com', _destroy: true }] } },
    ],
    ['the output of GET', data],
  ])('does not change with %s', (_, patch) => expectNoEffect(id, () => api.patch(`/kyb/${id}`, patch)))

  test('accepts a decision on the version before an edit without changes', async () => {
    const { version } = (await operator.get(`/kyb/${id}`)).body.data
    await api.patch(`/kyb/${id}`, {})
    await api.patch(`/kyb/${id}`, data)
    const decision = {
      outcome: 'revision_requested',
      reason_code: 'other',
      version,
      client_comment: 'Once more.',
    }
    expect((await operator.post(`/kyb/${id}/decision`, decision)).status).toBe(200)
    // An edit without changes does not resolve the comment either.
    await expectNoEffect(id, () => api.patch(`/kyb/${id}`, data))
    expect((await api.get(`/kyb/${id}`)).body.data.waiting_on).toBe('client')
  })

  test('still changes with the first real edit', async () => {
    const other = await completeApplication(api)
    const versionOf = async () => (await api.get(`/kyb/${other.id}`)).body.data.version
    const before = await versionOf()
    await api.patch(`/kyb/${other.id}`, { nature_of_business: { comercial_name: 'Engines' } })
    expect(await versionOf()).toBe(before + 1)
  })

  test('does not change if a page of its form is saved without changes', async () => {
    const externalId = unique()
    const company = await beginCompany({ api }, externalId)
    const id = (await api.get(`/kyb?external_id=${externalId}`)).body.data[0].id
    const { base, headers, csrf } = await startForm(baseUrl, company)
    const form = { _csrf: csrf, 'nature_of_business.legal_company_name': 'Kept Ltd' }
    const save = (more = {}) =>
      sendForm(`${baseUrl}${base}/nature_of_business`, { ...form, ...more }, headers)
    expect((await save()).status).toBe(303)
    await expectNoEffect(id, save, 303)
    await expectNoEffect(id, () => save({ 'nature_of_business.comercial_name': '' }), 303)
  })
})

describe('an identification', async () => {
  const id = await createWaiting(gatehouse)
  const given = { city: 'London', phone: '+4930123456' }
  expect((await api.put(`/identifications/${id}`, given)).status).toBe(200)
  test.each([
    ['nothing', {}],
    ['equal values', given],
    ['one equal value', { phone: given.phone }],
  ])('does not change with %s', (_, change) =>
    expectNoEffect(id, () => api.put(`/identifications/${id}`, change)),
  )

  test('does not change if pages of its form are saved without changes', async () => {
    const person = await openPerson(baseUrl, await beginPerson({ api }))
    await fillInPerson(person)
    await expectNoEffect(person.id, () => person.post('/consent', { consent: 'yes' }), 303)
    await expectNoEffect(person.id, () => person.post('/details', PERSON.details), 303)
    await expectNoEffect(person.id, () => person.post('/document', PERSON.document), 303)
  })

  test('gets one entry for a legal hold that is set twice', async () => {
    const hold = (option: '--on' | '--off') => runCli(gatehouse, 'legal-hold', '--identification', id, option)
    await hold('--on')
    const before = await tracesOf(id)
    await hold('--on')
    expect(await tracesOf(id)).toEqual(before)
    await hold('--off')
    expect(await tracesOf(id)).not.toEqual(before)
  })
})

describe('settings', async () => {
  const settingsOf = async (id: string) => (await operator.get(`/vaults/${id}`)).body.data
  const before = await settingsOf(vaultId)
  test.each([
    ['nothing', {}],
    ['an equal name', { name: before.name }],
    ['equal switches', { import_enabled: before.import_enabled, trading_fee: before.trading_fee }],
    ['equal languages', { languages: before.languages, default_language: before.default_language }],
    ['equal colours', { accent_color: before.accent_color, logo: null }],
    ['equal countries', { high_risk_countries: before.high_risk_countries.toReversed() }],
  ])('of a vault do not change with %s', async (_, change) => {
    await expectNoEffect(vaultId, () => operator.patch(`/vaults/${vaultId}`, change))
    expect(await settingsOf(vaultId)).toEqual(before)
  })

  test('of webhooks do not change with the same URLs', async () => {
    const change = { webhook_url: { account: ['https://client.example.com/a'] }, long_retries: true }
    expect((await own.api.put('/users/update_webhook', change)).status).toBe(200)
    for (const same of [
      change,
      { webhook_url: {} },
      { webhook_url: {}, long_retries: true },
      { webhook_url: { ticket: [] } },
    ])
      await expectNoEffect(vaultId, () => own.api.put('/users/update_webhook', same))
  })

  test('of a user do not change with the same roles, so that the user stays signed in', async () => {
    const vaults = [{ id: vaultId, roles: ['api_read', 'api_write'] }]
    const person = await signedIn(gatehouse, 'client', { vaults })
    for (const same of [
      { vaults },
      { vaults: [{ id: vaultId, roles: ['api_write', 'api_read'] }] },
      { vaults, operator_roles: [] },
    ]) {
      await expectNoEffect(person.id, () => operator.patch(`/users/${person.id}`, same))
      expect((await person.api.get('/kyb')).status).toBe(200)
    }
  })

  test('of a group do not change with the same roles', async () => {
    const path = `/operator_groups/${unique()}`
    const roles = { operator_grants: [{ role: 'reviewer', vault_id: vaultId }] }
    expect((await operator.put(path, roles)).status).toBe(200)
    await expectNoEffect(vaultId, () => operator.put(path, roles))
  })

  test('of a vault do not change if a settings page is saved without changes', async () => {
    const admin = await openConsole(baseUrl, credentials)
    const path = `/console/settings/vaults/${vaultId}`
    const form = sentFields(await admin.text(path), path)
    expect(form.length).toBeGreaterThan(3)
    await eventually(() => expectNoEffect(vaultId, () => admin.post(path, form), 303))
  })
})
