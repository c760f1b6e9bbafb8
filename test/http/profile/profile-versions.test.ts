/** Tests the move of open cases to later versions of a profile: on a date, and by an operator. */
import { eq, sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { profiles as profileRows, webhookLogs } from '../../../drizzle/schema.ts'
import { findAppliedProfiles } from '../../../src/db/access/profile.ts'
import { transaction } from '../../../src/db/connection/database.ts'
import { setLegalHold } from '../../../src/db/removal/retention.ts'
import { BY_COMMAND_LINE } from '../../../src/domain/access/audit.ts'
import { openConsole } from '../../support/console.ts'
import { logEvents, untilStatus } from '../../support/identification.ts'
import { addVault, eventually, sharedInstance, unique } from '../../support/instance.ts'
import { completeApplication, completeSections, UBO } from '../../support/kyb.ts'
import { beginPerson, fillInPerson, openPerson, submitPerson } from '../../support/person-page.ts'
import { documentOf, profilesOf, type Row, row, text } from '../../support/profile.ts'
import { reconcile } from '../../support/webhook.ts'

const gatehouse = await sharedInstance({ worker: true })

let vault: Awaited<ReturnType<typeof addVault>>
let profiles: Awaited<ReturnType<typeof profilesOf>>
beforeEach(async () => {
  vault = await addVault(gatehouse)
  profiles = await profilesOf(vault)
})

const TAX = row('tax_number', { required: true, max_length: 20 })
const LEI = row('lei', { format: 'lei' })
const inAnHour = () => Math.floor(Date.now() / 1_000) + 3_600
const create = async (): Promise<string> => (await completeApplication(vault.api)).id
const read = async (id: string) => (await vault.api.get(`/kyb/${id}`)).body.data
const timelineOf = async (id: string, of = 'kyb'): Promise<string[]> =>
  (await profiles.operator.get(`/${of}/${id}/timeline`)).body.data.map(
    ({ action }: { action: string }) => action,
  )
/** Lets the dates of the vault's versions come, an hour after their publication. */
const passDates = () =>
  gatehouse.db.orm
    .update(profileRows)
    .set({
      publishedAt: sql`published_at - interval '2 hours'`,
      appliesFrom: sql`applies_from - interval '2 hours'`,
    })
    .where(eq(profileRows.vaultId, vault.vaultId))

test('an application shows what it will owe, and moves on the date', async () => {
  await logEvents({ ...gatehouse, api: vault.api }, 'https://receiver.invalid/')
  await profiles.publish(documentOf([LEI]))
  const id = await create()
  expect((await read(id)).requirements).not.toHaveProperty('future')
  const from = inAnHour()
  await profiles.publish(documentOf([LEI, TAX]), { applies_from: from })
  const { requirements, version } = await read(id)
  expect(requirements.currently_due).toEqual([])
  expect(requirements.future).toEqual({
    profile_version: 2,
    applies_from: from,
    currently_due: ['additional.tax_number'],
    reasons: [{ path: 'additional.tax_number', code: 'missing', message: expect.any(String) }],
  })
  expect((await read(id)).additional).toEqual({ lei: null })

  await passDates()
  await reconcile(gatehouse)
  await eventually(async () =>
    expect((await read(id)).requirements.currently_due).toEqual(['additional.tax_number']),
  )
  const moved = await read(id)
  expect(moved).toMatchObject({ additional: { lei: null, tax_number: null }, status: { completed: false } })
  expect(moved.requirements).not.toHaveProperty('future')
  expect(moved.version).toBe(version + 1)
  expect(await timelineOf(id)).toContain('profile_applies')
  const logs = await gatehouse.db.orm
    .select({ payload: webhookLogs.payload })
    .from(webhookLogs)
    .where(sql`payload LIKE '%kyb_requirements_changed%' AND payload LIKE ${`%${id}%`}`)
  expect(logs.map(({ payload }) => JSON.parse(payload).data.attributes)).toMatchObject([
    { kyb_uuid: id, profile_version: 2, version: moved.version, status: 'requirements_changed' },
  ])
  expect((await vault.api.patch(`/kyb/${id}`, { additional: { tax_number: '12/345' } })).status).toBe(200)
  expect((await read(id)).requirements.currently_due).toEqual([])
})

test('an operator moves an application on purpose, in the API and in the console', async () => {
  const [first, second] = [await create(), await create()]
  await profiles.publish(documentOf([TAX]))
  expect((await read(first)).requirements).not.toHaveProperty('future')
  const move = (id: string, body: object = {}) => profiles.operator.post(`/kyb/${id}/profile`, body)
  expect(await move(first, { profile_version: 7 })).toMatchObject({
    status: 422,
    body: { errors: [{ code: 'invalid', field: 'profile_version' }] },
  })
  expect(await move(first)).toMatchObject({ status: 200 })
  expect((await read(first)).requirements.currently_due).toEqual(['additional.tax_number'])
  expect(await timelineOf(first)).toContain('change_profile')
  const { version } = await read(first)
  expect(await move(first, { profile_version: 1 })).toMatchObject({ status: 200 })
  expect((await read(first)).version).toBe(version)

  const console = await openConsole(gatehouse.baseUrl, vault.credentials)
  expect(await console.text(`/console/kyb/${second}`)).toContain('Move to version 1 of the profile')
  const answer = await console.post(`/console/kyb/${second}/profile`, { profile_version: '1' })
  expect(answer.status).toBe(303)
  expect((await read(second)).requirements.currently_due).toEqual(['additional.tax_number'])
  expect(await console.text(`/console/kyb/${second}`)).not.toContain('Move to version')
})

test('values outside the limits of the later version are due, and a correction of a lost field ends', async () => {
  await profiles.publish(documentOf([row('tax_number'), LEI]))
  const id = await vault.api.createKyb(unique(), {
    ...completeSections(),
    additional: { tax_number: 'x'.repeat(30) },
  })
  await profiles.operator.post(`/kyb/${id}/decision`, {
    outcome: 'revision_requested',
    reason_code: 'information_mismatch',
    client_comment: 'Check it.',
    fields: ['additional.lei'],
  })
  expect((await read(id)).requirements.errors).toHaveLength(1)
  await profiles.publish(documentOf([TAX]))
  await profiles.operator.post(`/kyb/${id}/profile`, {})
  const { requirements } = await read(id)
  expect(requirements.errors).toEqual([])
  expect(requirements.reasons.at(-1)).toMatchObject({ path: 'additional.tax_number', code: 'outside_limits' })
})

test('a version that a newer one replaced before its date moves no application', async () => {
  const id = await create()
  await profiles.publish(documentOf([LEI]), { applies_from: inAnHour() })
  await profiles.publish(documentOf([TAX]))
  await passDates()
  expect(await findAppliedProfiles(gatehouse.db, 'kyb', id.replace(/.$/, '0'), 10)).toEqual([])
  expect((await read(id)).requirements).not.toHaveProperty('future')
})

test.each([
  ['a text', { type: 'short_text' }, 'hello', { type: 'files', section: 'business_files' }],
  ['a text', { type: 'text' }, 'many', { type: 'number_text' }],
  ['an answer', { type: 'boolean' }, true, { type: 'date' }],
])('an open application is never judged by another type of a field: %s', async (_, before, value, after) => {
  const asked = (more: Row) => documentOf([row('licence', { ...more, required: true })])
  await profiles.publish(asked(before))
  const id = await vault.api.createKyb(unique(), { ...completeSections(), additional: { licence: value } })
  expect(await profiles.problems(asked(after))).toEqual(['company.rows.0.type: changed_type'])
  expect(await profiles.publish(asked(after), { applies_from: inAnHour() })).toMatchObject({
    status: 422,
    body: { errors: [{ code: 'invalid', field: 'document.company.rows.0.type' }] },
  })
  // The same applies if a version in between does not have the field.
  expect((await profiles.publish(documentOf([LEI]))).status).toBe(200)
  expect(await profiles.problems(asked(after))).toEqual(['company.rows.0.type: changed_type'])
  expect((await profiles.operator.get(`/kyb/${id}`)).status).toBe(200)
})

const legalHold = (id: string, on = true) =>
  transaction(gatehouse.db, (tx) => setLegalHold(tx, BY_COMMAND_LINE, id, on))
const openTab = async (path: string) => {
  return (await openConsole(gatehouse.baseUrl, vault.credentials)).text(`/console/${path}?tab=documents`)
}

const FLAG = { code: 'unreadable', comment: 'Blurred' }
/** Expects the page, marks and decision to refuse flags of these documents. The page offers marks of the other field. */
async function expectNoFlags(path: string, other: string, outcome: string, places: [string, string][]) {
  const page = await openTab(path)
  expect(page).toMatch(new RegExp(`data-mark="${other}["#]`))
  expect(page).toContain('name="accept"')
  const flags = places.flatMap(([place, file]) => [{ path: place }, { path: place, file_id: file }])
  for (const flag of flags) {
    expect(page).not.toContain(`data-mark="${[flag.path, flag.file_id].filter(Boolean).join('#')}"`)
    expect(await profiles.operator.patch(`/${path}/marks`, { marks: [{ ...flag, ...FLAG }] })).toMatchObject({
      status: 422,
      body: { errors: [{ code: 'invalid', field: 'marks' }] },
    })
    const refused = { outcome, reason_code: 'other', findings: [{ ...flag, ...FLAG }] }
    expect(await profiles.operator.post(`/${path}/decision`, refused)).toMatchObject({
      status: 422,
      body: { errors: [{ code: 'invalid', field: expect.stringContaining('findings.0.') }] },
    })
  }
}

test('operators still see documents of a company that a later version does not ask for', async () => {
  const list = (name: string, label: string, section: string) =>
    row(name, { type: 'files', section, label: text(label) })
  await profiles.publish(
    documentOf([list('licence', 'Licence', 'business_files')], [list('cv', 'Curriculum vitae', 'details')]),
  )
  const { id } = await completeApplication(vault.api)
  const identification = (await read(id)).identification_id
  const upload = async (fields: Record<string, string>) => (await vault.api.upload(id, fields)).body.id
  const licence = await upload({ attribute: 'additional.licence' })
  const cv = await upload({ attribute: 'additional.cv', email: UBO })
  const [owner] = (await read(id)).beneficiaries.beneficiaries_list
  const places: [string, string][] = [
    ['additional.licence', licence],
    [`beneficiaries.beneficiaries_list.${owner.external_id}.additional.cv`, cv],
  ]
  const flags = places.map(([path, file_id]) => ({ path, file_id, ...FLAG }))
  const marks = `/kyb/${id}/marks`
  expect((await profiles.operator.patch(marks, { marks: flags })).body.data).toHaveLength(2)
  await legalHold(identification)
  await profiles.publish(documentOf([LEI]))
  expect((await profiles.operator.post(`/kyb/${id}/profile`, {})).status).toBe(200)
  expect((await read(id)).additional).toEqual({ lei: null })
  const expectBoth = async () => {
    const page = await openTab(`kyb/${id}`)
    for (const each of ['Licence', 'Curriculum vitae']) expect(page).toContain(`${each} (no longer asked)`)
    for (const file of [licence, cv]) expect((await profiles.operator.get(`/files/${file}`)).status).toBe(200)
  }
  await expectBoth()
  const known = 'beneficiaries.evidence_of_ubos'
  for (const outcome of ['revision_requested', 'rejected'])
    await expectNoFlags(`kyb/${id}`, known, outcome, places)
  expect((await profiles.operator.get(marks)).body.data).toEqual([])
  // The removal of another file does not remove them.
  await legalHold(identification, false)
  const other = await upload({ attribute: 'aml_policies' })
  await vault.api.put(`/kyb/delete_file/${id}`, { blob_key: other, attribute_key: 'aml_policies' })
  await expectBoth()
  await profiles.publish(documentOf([list('licence', 'Licence', 'business_files')]))
  expect((await profiles.operator.post(`/kyb/${id}/profile`, {})).status).toBe(200)
  expect((await read(id)).additional.licence).toMatchObject([{ id: licence }])
})

describe('a verification', () => {
  const BIRTHPLACE = row('place_of_birth', { section: 'details', required: true })
  const PROOF = row('proof_of_address', { section: 'document', type: 'files', required: true })
  const open = async () => openPerson(gatehouse.baseUrl, await beginPerson({ api: vault.api }))
  const additionalOf = async (id: string) =>
    (await vault.api.get(`/identifications/${id}`)).body.data.additional
  const move = (id: string, body: object = {}) =>
    profiles.operator.post(`/identifications/${id}/profile`, body)
  const ofPerson = (...rows: Row[]) => documentOf([], [], rows)

  test('moves on the date while it waits on the applicant, and keeps its answers', async () => {
    await profiles.publish(ofPerson())
    const [waiting, submitted] = [await open(), await open()]
    await fillInPerson(waiting)
    await fillInPerson(submitted, { name: 'Attention Ada' })
    await submitPerson(submitted)
    await untilStatus(vault.api, submitted.id, 'attention')
    await profiles.publish(ofPerson(BIRTHPLACE), { applies_from: inAnHour() })
    expect(await waiting.text('/details')).not.toContain('place_of_birth')
    await passDates()
    await reconcile(gatehouse)
    await eventually(async () => expect(await additionalOf(waiting.id)).toEqual({ place_of_birth: null }))
    expect(await timelineOf(waiting.id, 'identifications')).toContain('profile_applies')
    expect((await waiting.post('/check')).status).toBe(422)
    expect(await waiting.text('/details')).toContain('Lovelace')
    await waiting.post('/details', { 'additional.place_of_birth': 'London' })
    await submitPerson(waiting)
    expect(await additionalOf(submitted.id)).toBeUndefined()
    const sent = await gatehouse.db.orm
      .select({ payload: webhookLogs.payload })
      .from(webhookLogs)
      .where(sql`payload LIKE ${`%${waiting.id}%`} AND payload LIKE '%requirements_changed%'`)
    expect(sent).toEqual([])

    await profiles.operator.post(`/identifications/${submitted.id}/decision`, {
      outcome: 'initiated',
      reason_code: 'information_mismatch',
      client_comment: 'Check it.',
      fields: ['city'],
    })
    await reconcile(gatehouse)
    await eventually(async () => expect(await additionalOf(submitted.id)).toEqual({ place_of_birth: null }))
    expect((await submitted.get('/details')).status).toBe(200)
  })

  test('keeps documents of other fields for operators under a legal hold', async () => {
    await profiles.publish(ofPerson({ ...PROOF, label: text('Proof of address') }))
    const person = await open()
    await fillInPerson(person, {}, ['document_front', PROOF.path as string])
    const [file] = (await additionalOf(person.id)).proof_of_address
    await legalHold(person.id)
    await profiles.publish(ofPerson(BIRTHPLACE))
    expect((await move(person.id)).status).toBe(200)
    expect(await additionalOf(person.id)).toEqual({ place_of_birth: null })
    expect(await openTab(`identifications/${person.id}`)).toContain('Proof of address (no longer asked)')
    const { files } = (await profiles.operator.get(`/identifications/${person.id}`)).body.data
    expect(files).toContainEqual(expect.objectContaining({ attribute: PROOF.path, id: file.id }))
    expect((await profiles.operator.get(`/files/${file.id}`)).status).toBe(200)
    await fillInPerson(person, { name: 'Attention Ada', 'additional.place_of_birth': 'London' })
    await submitPerson(person)
    await untilStatus(vault.api, person.id, 'attention')
    for (const outcome of ['initiated', 'rejected'])
      await expectNoFlags(`identifications/${person.id}`, 'selfie', outcome, [
        [PROOF.path as string, file.id],
      ])
    await legalHold(person.id, false)
    await reconcile(gatehouse)
    await eventually(async () => expect((await profiles.operator.get(`/files/${file.id}`)).status).toBe(404))
  })

  test('moves on purpose, in the API and in the console, and loses documents of other fields', async () => {
    await profiles.publish(ofPerson(PROOF))
    const [first, second] = [await open(), await open()]
    await fillInPerson(first, {}, ['document_front', 'document_back', 'selfie', PROOF.path as string])
    await profiles.publish(ofPerson(BIRTHPLACE))
    expect(await move(first.id, { profile_version: 7 })).toMatchObject({
      status: 422,
      body: { errors: [{ code: 'invalid', field: 'profile_version' }] },
    })
    const { version } = (await profiles.operator.get(`/identifications/${first.id}`)).body.data
    expect(await move(first.id)).toMatchObject({ status: 200, body: { data: { version: version + 1 } } })
    expect(await move(first.id, { profile_version: 2 })).toMatchObject({
      body: { data: { version: version + 1 } },
    })
    expect(await additionalOf(first.id)).toEqual({ place_of_birth: null })
    expect(await timelineOf(first.id, 'identifications')).toContain('change_profile')
    await first.post('/details', { 'additional.place_of_birth': 'London' })
    expect(await first.text('/check')).not.toContain('proof_of_address')
    await submitPerson(first)
    expect(await move(first.id, { profile_version: 1 })).toMatchObject({
      status: 422,
      body: { errors: [{ code: 'invalid_transition' }] },
    })

    const console = await openConsole(gatehouse.baseUrl, vault.credentials)
    const page = `/console/identifications/${second.id}`
    expect(await console.text(page)).toContain('Move to version 2 of the profile')
    expect((await console.post(`${page}/profile`, { profile_version: '2' })).status).toBe(303)
    expect(await additionalOf(second.id)).toEqual({ place_of_birth: null })
    expect(await console.text(page)).not.toContain('Move to version')
  })
})
