/** Tests the details of entries in the queue: reason, target, country, risk, documents, corrections and duplicates. */
import { eq, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { identifications, kybApplications } from '../../../drizzle/schema.ts'
import { sealedFor } from '../../../src/db/connection/sealed.ts'
import { RISK_LEVELS } from '../../../src/domain/decision/risk.ts'
import type { SealedContent } from '../../../src/domain/kyb/summary.ts'
import { reviewDueAt } from '../../../src/domain/review/review-target.ts'
import type { Api } from '../../support/api.ts'
import { openConsole } from '../../support/console.ts'
import { createSoftKyc, untilWaitingOn } from '../../support/identification.ts'
import { addVault, eventually, sharedInstance, unique } from '../../support/instance.ts'
import { completeApplication, UBO } from '../../support/kyb.ts'
import { PASSWORD, signedIn } from '../../support/people.ts'
import { beginPerson, fillInPerson, openPerson, submitPerson } from '../../support/person-page.ts'
import { reconcile } from '../../support/webhook.ts'

const gatehouse = await sharedInstance({ worker: true })
const operator = await gatehouse.operator()
const vault = await addVault(gatehouse)
const { api, vaultId } = vault
/** Sees only this vault, because other vaults have the same companies and people. */
const reviewer = await signedIn(gatehouse, 'operator', {
  operator_grants: [{ role: 'reviewer', vault_id: vaultId }],
})

/** Returns the entry of a case in the queue. */
async function entryOf(id: string, query = '', reader = reviewer.api) {
  const { body } = await reader.get(`/queue?per_page=100&vault_id=${vaultId}${query}`)
  return body.data.find((entry: { id: string }) => entry.id === id)
}
/** Expects this risk level, and that of the filters for risks only this one finds the case. */
async function expectRisk(id: string, risk_level: string) {
  expect(await entryOf(id)).toMatchObject({ risk_level })
  const found: string[] = []
  for (const level of RISK_LEVELS) if (await entryOf(id, `&risk=${level}`)) found.push(level)
  expect(found).toEqual([risk_level])
}
/** Makes an application that may be incomplete wait on an operator. */
const returnToOperator = (id: string) =>
  gatehouse.db.orm.execute(sql`UPDATE kyb_applications SET waiting_on = 'operator' WHERE id = ${id}`)
const setVault = async (settings: object) =>
  expect((await operator.patch(`/vaults/${vaultId}`, settings)).status).toBe(200)

test('shows a new company with its country, documents, risk and due date', async () => {
  const { id } = await completeApplication(api)
  const entry = await entryOf(id)
  expect(entry).toMatchObject({
    reason: 'new',
    country: 'DE',
    risk_level: 'low',
    documents: { done: 6, total: 6 },
    corrections: null,
  })
  const dueAt = async () => {
    const { due_at, waiting_since } = await entryOf(id)
    return [due_at * 1_000, new Date(waiting_since * 1_000)] as const
  }
  const [ofDay, since] = await dueAt()
  expect(ofDay).toBe(reviewDueAt(since, 24).getTime())
  await setVault({ review_target_hours: 100 })
  expect((await dueAt())[0]).toBe(reviewDueAt(since, 100).getTime())
})

test('shows a high risk for the vault’s countries and for hits, and a medium risk for other reasons', async () => {
  const { id } = await completeApplication(api)
  await expectRisk(id, 'low')
  // All countries of the company count, not only the one in the list.
  for (const country of ['DE', 'FR']) {
    await setVault({ high_risk_countries: [country] })
    await expectRisk(id, 'high')
  }
  await setVault({ high_risk_countries: ['IR'] })
  await expectRisk(id, 'low')
  await api.patch(`/kyb/${id}`, { usage_of_account: { nesting_confirmation: true } })
  await returnToOperator(id)
  await expectRisk(id, 'medium')
  await api.patch(`/kyb/${id}`, { usage_of_account: { nesting_confirmation: false } })
  await returnToOperator(id)
  await expectRisk(id, 'low')
  const person = { email: UBO, politically_exposed: true }
  await api.patch(`/kyb/${id}`, { beneficiaries: { beneficiaries_list: [person] } })
  await expectRisk(id, 'medium')
  await gatehouse.db.orm.execute(sql`UPDATE kyb_applications SET open_hits = 2 WHERE id = ${id}`)
  expect(await entryOf(id)).toMatchObject({ reason: 'screening_hit', open_hits: 2 })
  await expectRisk(id, 'high')
})

test('includes a company’s people in its risk, and its application in that of its identification', async () => {
  const { id } = await completeApplication(api)
  const { orm } = gatehouse.db
  const { data } = (await api.get(`/kyb/${id}`)).body
  const [ada] = data.beneficiaries.beneficiaries_list
  const check = await openPerson(gatehouse.baseUrl, new URL(ada.link).pathname)
  await fillInPerson(check, { surname: unique(), nationality: 'AT' })
  const company: string = data.identification_id
  await orm.execute(sql`UPDATE identifications SET waiting_on = 'operator' WHERE id = ${company}`)
  const expectBoth = async (level: string) => {
    for (const each of [id, company]) await expectRisk(each, level)
  }
  await expectBoth('low')
  expect(await entryOf(company, '&country=DE&kind=identification')).toMatchObject({ country: 'DE' })
  expect(await entryOf(company, '&country=AT')).toBeUndefined()
  await setVault({ high_risk_countries: ['AT'] })
  await expectBoth('high')
  await setVault({ high_risk_countries: ['IR'] })
  await orm.execute(sql`UPDATE identifications SET confirmed_hits = 1 WHERE id = ${check.id}`)
  await expectBoth('high')
  await orm.execute(sql`UPDATE identifications SET confirmed_hits = 0 WHERE id = ${check.id}`)
  await orm.execute(sql`UPDATE kyb_applications SET open_hits = 1 WHERE id = ${id}`)
  await expectBoth('high')
  // A removed person no longer counts.
  await orm.execute(sql`UPDATE kyb_applications SET open_hits = 0 WHERE id = ${id}`)
  await setVault({ high_risk_countries: ['AT'] })
  const gone = { beneficiaries: { beneficiaries_list: [{ email: UBO, _destroy: true }] } }
  expect((await api.patch(`/kyb/${id}`, gone)).status).toBe(200)
  await returnToOperator(id)
  await orm.execute(sql`UPDATE identifications SET waiting_on = 'operator' WHERE id = ${company}`)
  await expectBoth('low')
  await setVault({ high_risk_countries: ['IR'] })
})

test('filters cases by their current country, and by each country that affects their risk', async () => {
  const session = await openPerson(gatehouse.baseUrl, await beginPerson(vault))
  await fillInPerson(session, { surname: unique(), address_country: 'AT', nationality: 'IR' })
  await submitPerson(session)
  await untilWaitingOn({ ...gatehouse, vaultId }, session.id, 'operator')
  await expectRisk(session.id, 'high')
  expect(await entryOf(session.id, '&country=AT&risk=high')).toMatchObject({ country: 'AT' })
  for (const query of ['&country=IR', '&country=AT&risk=low'])
    expect(await entryOf(session.id, query)).toBeUndefined()
  const known = await createSoftKyc(api, { surname: unique(), country: 'AT' })
  await untilWaitingOn({ ...gatehouse, vaultId }, known, 'operator')
  expect(await entryOf(known, '&country=AT&risk=low')).toMatchObject({ country: 'AT' })
  const { id } = await completeApplication(api)
  await api.patch(`/kyb/${id}`, { nature_of_business: { country_of_incorporation: 'CH' } })
  await returnToOperator(id)
  expect(await entryOf(id, '&country=DE')).toBeUndefined()
  expect(await entryOf(id, '&country=CH')).toMatchObject({ country: 'CH' })
})

test('finds cases that an earlier version wrote after housekeeping has filled their columns', async () => {
  const { id } = await completeApplication(api)
  const person = await createSoftKyc(api, { surname: unique(), country: 'AT' })
  await untilWaitingOn({ ...gatehouse, vaultId }, person, 'operator')
  const cases = [
    [kybApplications, id, 'DE'],
    [identifications, person, 'AT'],
  ] as const
  // A pass of housekeeping can fill the columns in between.
  await eventually(async () => {
    for (const [table, own] of cases)
      await gatehouse.db.orm
        .update(table)
        .set({ countryHash: null, riskHashes: null })
        .where(eq(table.id, own))
    for (const [, own, country] of cases) {
      for (const query of [`&country=${country}`, '&risk=low', '&risk=medium', '&risk=high'])
        expect(await entryOf(own, query), query).toBeUndefined()
    }
  })
  // A pass skips rows that a workflow is writing.
  await eventually(async () => {
    await reconcile(gatehouse)
    for (const [, own, country] of cases)
      expect(await entryOf(own, `&country=${country}&risk=low`)).toMatchObject({ country, risk_level: 'low' })
  })
})

test('refuses unknown countries and risks in the API', async () => {
  for (const query of ['country=de', 'country=Germany', 'country=', 'risk=severe', 'risk='])
    expect((await operator.get(`/queue?${query}`)).status, query).toBe(422)
})

test('shows the corrections of a resubmitted company', async () => {
  const { id } = await completeApplication(api)
  const findings = ['phone', 'email', 'legal_address'].map((name) => ({
    path: `nature_of_business.${name}`,
    code: 'mismatch',
  }))
  const asked = { outcome: 'revision_requested', reason_code: 'information_mismatch', findings }
  expect((await operator.post(`/kyb/${id}/decision`, asked)).status).toBe(200)
  await api.patch(`/kyb/${id}`, { nature_of_business: { phone: '+4930999999', email: 'new@example.com' } })
  expect(await entryOf(id, '&waiting_on=client')).toMatchObject({
    reason: null,
    corrections: null,
    due_at: null,
  })
  const reply = { path: 'nature_of_business.legal_address', reply: 'This is correct.' }
  expect((await api.post(`/kyb/${id}/replies`, reply)).status).toBe(200)
  expect(await entryOf(id)).toMatchObject({ reason: 'resubmitted', corrections: { done: 2, total: 3 } })
})

test('shows a decision that awaits a second operator before all other reasons', async () => {
  const { id } = await completeApplication(api)
  await setVault({ four_eyes: ['rejections'] })
  await operator.post(`/kyb/${id}/decision`, { outcome: 'rejected', reason_code: 'high_risk' })
  await gatehouse.db.orm.execute(sql`UPDATE kyb_applications SET open_hits = 1 WHERE id = ${id}`)
  expect(await entryOf(id)).toMatchObject({ reason: 'second_review', is_pending: true })
})

describe('a possible duplicate', () => {
  const company = (legal_company_name: string) => ({ nature_of_business: { legal_company_name } })
  const waiting = async (by: Api, name: string) => {
    const id = await by.createKyb(unique(), company(name))
    await returnToOperator(id)
    return id
  }

  test('is the reason for each of the cases until they differ', async () => {
    const name = `Twins ${unique()}`
    const first = await waiting(api, name)
    expect(await entryOf(first)).toMatchObject({ reason: 'new' })
    const second = await waiting(api, name)
    for (const id of [first, second])
      expect(await entryOf(id)).toMatchObject({ reason: 'possible_duplicate', risk_level: 'low' })
    await api.patch(`/kyb/${second}`, company(unique()))
    for (const id of [first, second]) {
      await returnToOperator(id)
      expect(await entryOf(id)).toMatchObject({ reason: 'new' })
    }
  })

  test('in another vault is shown only to operators of both vaults', async () => {
    const name = `Hidden ${unique()}`
    const [own] = [await waiting(api, name), await waiting((await addVault(gatehouse)).api, name)]
    expect(await entryOf(own)).toMatchObject({ reason: 'new' })
    expect(await entryOf(own, '', operator)).toMatchObject({ reason: 'possible_duplicate' })
  })

  test('is found by the same rule as on the page of the case', async () => {
    const email = `${unique()}@example.com`
    const person = { name: 'Ada', surname: unique(), birthdate: '1915-12-10', email }
    const [one, two] = [await createSoftKyc(api, person), await createSoftKyc(api, person)]
    for (const id of [one, two]) await untilWaitingOn({ ...gatehouse, vaultId }, id, 'operator')
    expect(await entryOf(one)).toMatchObject({ reason: 'possible_duplicate' })
    const browser = await openConsole(gatehouse.baseUrl, { email: reviewer.email, password: PASSWORD })
    const queue = await browser.text(`/console?vault_id=${vaultId}`)
    const row = queue.split('<tr').find((each) => each.includes(`data-id="${one}"`)) ?? ''
    expect(row).toContain('Possible duplicate')
    expect(row).toContain('Same email · Same name and date of birth')
    const { body } = await reviewer.api.get(`/identifications/${one}`)
    expect(body.data.duplicates).toEqual([
      expect.objectContaining({ id: two, reasons: ['email', 'name_and_birth_date'] }),
    ])
  })

  test('changes the version of the page', async () => {
    const name = `Late ${unique()}`
    await waiting(api, name)
    const browser = await openConsole(gatehouse.baseUrl, { email: reviewer.email, password: PASSWORD })
    const path = `/console?vault_id=${vaultId}&waiting_on=operator`
    const etag = (await browser.get(path)).headers.get('ETag') ?? ''
    expect((await browser.get(path, { 'If-None-Match': etag })).status).toBe(304)
    // The other case is in no list of the queue.
    const other = await api.createKyb(unique(), company(name))
    await gatehouse.db.orm.execute(
      sql`UPDATE kyb_applications SET status = 'abandoned', waiting_on = 'nobody' WHERE id = ${other}`,
    )
    expect((await browser.get(path, { 'If-None-Match': etag })).status).toBe(200)
  })
})

test('shows the country and the photos of a person', async () => {
  const session = await openPerson(gatehouse.baseUrl, await beginPerson(vault))
  await fillInPerson(session, { email: `${unique()}@example.com` })
  await submitPerson(session)
  await untilWaitingOn({ ...gatehouse, vaultId }, session.id, 'operator')
  expect(await entryOf(session.id)).toMatchObject({
    reason: 'new',
    country: 'GB',
    risk_level: 'low',
    documents: { done: 3, total: 3 },
  })
  const known = await createSoftKyc(api, { country: 'AT' })
  await untilWaitingOn({ ...gatehouse, vaultId }, known, 'operator')
  expect(await entryOf(known)).toMatchObject({ country: 'AT', documents: null })
})

test('counts a person’s reply to a request for changes', async () => {
  const id = await createSoftKyc(api)
  await untilWaitingOn({ ...gatehouse, vaultId }, id, 'operator')
  const asked = { outcome: 'initiated', reason_code: 'other', client_comment: 'Which city?' }
  expect((await operator.post(`/identifications/${id}/decision`, asked)).status).toBe(200)
  await untilWaitingOn({ ...gatehouse, vaultId }, id, 'client')
  expect((await api.put(`/identifications/${id}`, { city: 'Paris' })).status).toBe(200)
  expect(await entryOf(id)).toMatchObject({ reason: 'resubmitted', corrections: null })
})

test('shows the other details if a beneficiary’s data is damaged', async () => {
  const { id } = await completeApplication(api)
  await gatehouse.db.orm.execute(
    sql`UPDATE beneficiaries SET person = '\\x00'::bytea WHERE kyb_application_id = ${id}`,
  )
  expect(await entryOf(id)).toMatchObject({
    title: 'Analytical Engines Ltd',
    country: 'DE',
    risk_level: 'low',
    documents: { done: 6, total: 6 },
  })
  await removeSummary(id)
  expect(await entryOf(id)).toMatchObject({ country: 'DE', risk_level: null, documents: null })
})

/** Rewrites the content as an earlier version wrote it. */
async function removeSummary(id: string) {
  const { encryption, orm } = gatehouse.db
  const [row] = await orm.select().from(kybApplications).where(eq(kybApplications.id, id))
  const context = sealedFor('kyb_applications.content', id)
  const { summary: _, ...content } = encryption.unsealJson<SealedContent>(row?.content as Buffer, context)
  await orm
    .update(kybApplications)
    .set({ content: encryption.sealJson(content, context) })
    .where(eq(kybApplications.id, id))
}

test('shows the documents and the risk of an application that an earlier version wrote', async () => {
  const { id } = await completeApplication(api)
  await api.patch(`/kyb/${id}`, {
    beneficiaries: { beneficiaries_list: [{ email: UBO, politically_exposed: true }] },
  })
  const current = await entryOf(id)
  expect(current).toMatchObject({ risk_level: 'medium', documents: { done: 6 } })
  await removeSummary(id)
  expect(await entryOf(id)).toEqual(current)
})

test('fails if the application that an earlier version wrote cannot be read', async () => {
  const { id } = await completeApplication(api)
  await removeSummary(id)
  await gatehouse.asOwner('ALTER TABLE files RENAME TO hidden_files')
  const { status } = await operator.get(`/queue?per_page=100&vault_id=${vaultId}`)
  await gatehouse.asOwner('ALTER TABLE hidden_files RENAME TO files')
  expect(status).toBe(500)
  expect(await entryOf(id)).toMatchObject({ documents: { done: 6 } })
})
