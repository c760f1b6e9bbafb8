/** Tests the fields that profiles add to the verification of people, in the API, on pages and for reviewers. */
import { and, eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { files } from '../../../drizzle/schema.ts'
import { consolePath } from '../../../src/domain/entity/console-path.ts'
import { PDF } from '../../support/api.ts'
import { openConsole } from '../../support/console.ts'
import { conclude, eraseHere } from '../../support/erasure.ts'
import { person as softPerson, untilStatus } from '../../support/identification.ts'
import { addVault, sharedInstance } from '../../support/instance.ts'
import { beginPerson, fillInPerson, openPerson, submitPerson } from '../../support/person-page.ts'
import { photoFile, photograph } from '../../support/photo.ts'
import { documentOf, labelled, profilesOf, type Row, row, text } from '../../support/profile.ts'

const gatehouse = await sharedInstance({ worker: true })

let vault: Awaited<ReturnType<typeof addVault>>
let profiles: Awaited<ReturnType<typeof profilesOf>>
beforeEach(async () => {
  vault = await addVault(gatehouse)
  profiles = await profilesOf(vault)
})

const ofPerson = (name: string, more: Row = {}) => row(name, { section: 'details', ...more })
const BIRTHPLACE = ofPerson('place_of_birth', { label: text('Place of birth'), required: true })
const RESIDENT = ofPerson('tax_resident', { type: 'boolean', label: text('Do you pay tax here?') })
const TAX = ofPerson('tax_number', {
  label: text('Tax number'),
  asked: { field: 'additional.tax_resident', is: true },
  required: true,
  max_length: 20,
})
const LANGUAGES = ofPerson('languages', labelled('some_of', ['en', 'de', 'fr']))
const EXPIRY = { path: 'document_expires_on', section: 'document', type: 'date', required: true }

const open = async () => openPerson(gatehouse.baseUrl, await beginPerson({ api: vault.api }))
const read = async (id: string) => (await vault.api.get(`/identifications/${id}`)).body.data

describe('the API', () => {
  test('reads and writes added fields, and validates them', async () => {
    await profiles.publish(documentOf([], [], [BIRTHPLACE, RESIDENT, TAX, LANGUAGES]))
    const { body } = await vault.api.post('/identifications/soft_kyc', softPerson())
    const { id } = body.data
    const empty = { place_of_birth: null, tax_resident: null, tax_number: null, languages: [] }
    expect((await read(id)).additional).toEqual(empty)
    const put = (values: object | null) => vault.api.put(`/identifications/${id}`, { additional: values })
    const values = { place_of_birth: 'London', tax_resident: false, languages: ['de', 'en'] }
    expect((await put(values)).body.data.additional).toEqual({ ...values, tax_number: null })
    for (const [bad, field] of [
      [{ place_of_birth: 7 }, 'additional.place_of_birth'],
      [{ tax_resident: 'no' }, 'additional.tax_resident'],
      [{ languages: ['pl'] }, 'additional.languages'],
      [{ tax_number: 'x'.repeat(21) }, 'additional.tax_number'],
      [{ unknown: 'x' }, 'additional.unknown'],
    ] as const) {
      const refused = await put(bad)
      expect(refused, field).toMatchObject({ status: 422 })
      expect(JSON.stringify(refused.body)).toContain(field)
    }
    expect((await put({ place_of_birth: null })).body.data.additional).toMatchObject({ place_of_birth: null })
    expect((await put(null)).body.data.additional).toEqual(empty)
  })

  test('has no added fields under the default profile', async () => {
    const { body } = await vault.api.post('/identifications/soft_kyc', softPerson())
    expect(body.data).not.toHaveProperty('additional')
    const refused = await vault.api.put(`/identifications/${body.data.id}`, { additional: { x: '1' } })
    expect(refused).toMatchObject({ status: 422 })
  })

  test('keeps the version with which a person began', async () => {
    const before = await vault.api.post('/identifications/soft_kyc', softPerson())
    await profiles.publish(documentOf([], [], [BIRTHPLACE]))
    expect(await read(before.body.data.id)).not.toHaveProperty('additional')
    const after = await vault.api.post('/identifications/soft_kyc', softPerson())
    expect(await read(after.body.data.id)).toHaveProperty('additional')
  })

  test('accepts when the document of an imported person expires', async () => {
    const { body } = await vault.api.post('/identifications/soft_kyc', {
      ...softPerson({ name: 'Approved Ada' }),
      document_expires_on: '2090-05-04',
    })
    await untilStatus(vault.api, body.data.id, 'approved')
    expect((await read(body.data.id)).verified.document.expires_on).toBe('2090-05-04')
  })
})

test('pages ask people for added fields and the expiry date, and reviewers see and flag them', async () => {
  await profiles.publish(
    documentOf([], [], [BIRTHPLACE, RESIDENT, TAX, LANGUAGES, EXPIRY, { ...SELFIE, required: false }]),
  )
  const person = await open()
  await fillInPerson(person, { name: 'Attention Ada' }, ['document_front', 'document_back'])
  const details = await person.text('/details')
  for (const each of ['Place of birth', 'Do you pay tax here?', 'Tax number']) expect(details).toContain(each)
  expect(details).toMatch(/data-asked="[^"]*additional.tax_resident[^"]*" hidden/)
  expect(await person.text('/document')).toContain('Expiry date of the document')
  expect((await person.get('/selfie')).status).toBe(404)
  expect(await person.text('/check')).toContain('Place of birth')

  const refused = await person.post('/document', { document_expires_on: '2020-01-01' })
  expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('outside the limits')])
  await person.post('/document', { document_expires_on: '2090-05-04' })
  await person.post('/details', {
    'additional.place_of_birth': 'London',
    'additional.tax_resident': 'true',
    'additional.languages': 'en',
  })
  expect(await person.text('/check')).toContain('Tax number')
  expect((await person.post('/check')).status).toBe(422)
  await person.post('/details', { 'additional.tax_number': '12/345' })
  await submitPerson(person)
  await untilStatus(vault.api, person.id, 'attention')
  const queue = await profiles.operator.get(`/queue?vault_id=${vault.vaultId}`)
  expect(queue.body.data).toEqual([
    expect.objectContaining({ id: person.id, documents: { done: 2, total: 2 } }),
  ])
  expect((await read(person.id)).additional).toEqual({
    place_of_birth: 'London',
    tax_resident: true,
    tax_number: '12/345',
    languages: ['en'],
  })

  const console = await openConsole(gatehouse.baseUrl, vault.credentials)
  const reviewed = await console.text(consolePath('identification', person.id))
  for (const each of ['Place of birth', 'London', '12/345', '4\u00a0May\u00a02090'])
    expect(reviewed).toContain(each)
})

const PROOF = row('proof_of_address', {
  section: 'document',
  type: 'files',
  label: text('Proof of address'),
  help: text('Such as an electricity bill.'),
  values: ['bill', 'bank_statement'],
  value_labels: { bill: text('Electricity bill'), bank_statement: text('Bank statement') },
  required: { field: 'address_country', isNot: 'GB' },
  max_age: 'P3M',
})
const today = new Date().toISOString().slice(0, 10)

test('people add documents, whose age is checked, and reviewers see and flag them', async () => {
  expect(await profiles.problems(documentOf([], [], [PROOF]))).toEqual([])
  await profiles.publish(documentOf([], [], [PROOF]))
  const british = await open()
  await fillInPerson(british, { name: 'Attention Ada' })
  expect((await british.get('/additional.proof_of_address')).status).toBe(404)
  const early = await british.upload('additional.proof_of_address', photoFile(await photograph()))
  expect(early.status).toBe(422)
  await submitPerson(british)

  const person = await open()
  await fillInPerson(person, { name: 'Attention Ada', address_country: 'DE' })
  const page = await person.text('/additional.proof_of_address')
  for (const each of ['Proof of address', 'Such as an electricity bill.', 'Bank statement'])
    expect(page).toContain(each)
  const refused = await person.post('/check')
  expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('Proof of address')])
  const old = await person.post('/document', { 'additional.proof_of_address_issued_on': '2020-01-01' })
  expect(old.status).toBe(422)
  await person.post('/document', { 'additional.proof_of_address_issued_on': today })
  const bill = await person.upload('additional.proof_of_address', photoFile(await photograph()))
  expect([bill.status, bill.headers.get('Location')]).toEqual([
    303,
    `${person.base}/additional.proof_of_address`,
  ])
  expect(await person.text('/check')).toContain('Proof of address')
  await submitPerson(person)
  await untilStatus(vault.api, person.id, 'attention')
  expect((await read(person.id)).additional).toEqual({
    proof_of_address: [{ id: expect.any(String) }],
    proof_of_address_issued_on: today,
  })

  const console = await openConsole(gatehouse.baseUrl, vault.credentials)
  expect(await console.text(`${consolePath('identification', person.id)}?tab=documents`)).toContain(
    'Proof of address',
  )
  const decide = (body: object) => profiles.operator.post(`/identifications/${person.id}/decision`, body)
  const asked = await decide({
    outcome: 'initiated',
    reason_code: 'documents_unreadable',
    client_comment: 'Send a sharp one.',
    fields: ['additional.proof_of_address'],
  })
  expect(asked).toMatchObject({ status: 200 })
  expect(await person.text('/additional.proof_of_address')).toContain('Send a sharp one.')
  await person.upload('additional.proof_of_address', photoFile(await photograph()))
  await submitPerson(person)
  await untilStatus(vault.api, person.id, 'attention')
  expect(await decide({ outcome: 'approved', reason_code: 'complete' })).toMatchObject({ status: 200 })
  const { additional, verified } = await read(person.id)
  const [file] = additional.proof_of_address
  expect(verified.document.photos).toContainEqual({ attribute: 'additional.proof_of_address', id: file.id })
  expect((await vault.api.get(`/identifications/${person.id}/files/${file.id}`)).status).toBe(200)
})

test('clients upload documents, which replace earlier ones', async () => {
  await profiles.publish(documentOf([], [], [PROOF]))
  const { id } = (await vault.api.post('/identifications/soft_kyc', softPerson())).body.data
  const photo = photoFile(await photograph())
  const upload = (attribute = 'additional.proof_of_address', file: Blob | null = photo, headers = {}) =>
    vault.api.uploadOfPerson(id, attribute, file, headers)
  const listed = async () => (await read(id)).additional.proof_of_address
  const headers = { 'Idempotency-Key': crypto.randomUUID() }
  const first = await upload(undefined, undefined, headers)
  expect(first).toMatchObject({ status: 201, body: { name: 'file.jpg', id: expect.any(String) } })
  expect(await listed()).toEqual([{ id: first.body.id }])
  const second = await upload(undefined, PDF)
  expect(await listed()).toEqual([{ id: second.body.id }])
  expect((await upload(undefined, undefined, headers)).body).toEqual(first.body)
  expect(await listed()).toEqual([{ id: second.body.id }])

  const small = photoFile(await photograph({ width: 300 }))
  for (const [answer, field] of [
    [await upload('selfie'), 'attribute'],
    [await upload('additional.unknown'), 'attribute'],
    [await upload(undefined, null), 'file'],
    [await upload(undefined, small), 'file'],
    [await upload(undefined, new Blob(['text'])), 'file'],
  ] as const)
    expect(answer, field).toMatchObject({ status: 422, body: { errors: [{ field }] } })
  expect(await listed()).toEqual([{ id: second.body.id }])
  const left = await gatehouse.db.orm.$count(
    files,
    and(eq(files.identificationId, id), eq(files.state, 'attached')),
  )
  expect(left).toBe(1)

  await vault.api.put(`/identifications/${id}/close`)
  expect((await upload()).status).toBe(403)
  const before = (await addVault(gatehouse)).api
  const plain = (await before.post('/identifications/soft_kyc', softPerson())).body.data.id
  expect(await before.uploadOfPerson(plain, 'additional.proof_of_address', photo)).toMatchObject({
    status: 422,
    body: { errors: [{ code: 'invalid', field: 'attribute' }] },
  })
})

test('an erasure leaves no added document', async () => {
  await profiles.publish(documentOf([], [], [{ ...PROOF, required: true }]))
  const person = await open()
  await fillInPerson(person, { name: 'Attention Ada' })
  await person.upload('additional.proof_of_address', photoFile(await photograph()))
  await person.upload('additional.proof_of_address', photoFile(await photograph()))
  await person.post('/files/additional.proof_of_address/remove')
  expect((await read(person.id)).additional.proof_of_address).toEqual([])
  await person.upload('additional.proof_of_address', photoFile(await photograph()))
  await person.post('/consent', { consent: 'no' })
  expect((await read(person.id)).additional.proof_of_address).toEqual([])
  const left = await gatehouse.db.orm.$count(
    files,
    and(eq(files.identificationId, person.id), eq(files.state, 'attached')),
  )
  expect(left).toBe(0)
})

const SELFIE = { path: 'selfie', section: 'document', type: 'files' }

test('a reviewer asks a person to correct an added field', async () => {
  await profiles.publish(documentOf([], [], [BIRTHPLACE]))
  const person = await open()
  await fillInPerson(person, { name: 'Attention Ada' })
  await person.post('/details', { 'additional.place_of_birth': 'Lodnon' })
  await submitPerson(person)
  await untilStatus(vault.api, person.id, 'attention')
  const decided = await profiles.operator.post(`/identifications/${person.id}/decision`, {
    outcome: 'initiated',
    reason_code: 'information_mismatch',
    client_comment: 'Check the spelling.',
    fields: ['additional.place_of_birth'],
  })
  expect(decided).toMatchObject({ status: 200 })
  expect((await read(person.id)).review.fields).toEqual(['additional.place_of_birth'])
  expect(await person.text('/check')).toContain('Place of birth')
  await person.post('/details', { 'additional.place_of_birth': 'London' })
  expect((await read(person.id)).review.fields).toEqual([])
})

test('a withdrawal of consent and an erasure leave no added value', async () => {
  await profiles.publish(documentOf([], [], [BIRTHPLACE]))
  const person = await open()
  await fillInPerson(person)
  await person.post('/details', { 'additional.place_of_birth': 'Withdrawn Town' })
  await person.post('/consent', { consent: 'no' })
  expect((await read(person.id)).additional).toEqual({ place_of_birth: null })

  const { body } = await vault.api.post('/identifications/soft_kyc', softPerson())
  await vault.api.put(`/identifications/${body.data.id}`, { additional: { place_of_birth: 'Erased Town' } })
  await vault.api.put(`/identifications/${body.data.id}/close`)
  await conclude(gatehouse, body.data.id, 30)
  await eraseHere(gatehouse, { identification: body.data.id })
  expect((await read(body.data.id)).additional).toEqual({ place_of_birth: null })
})

test.each<[string, Row, string[]]>([
  ['a document of another kind', ofPerson('bill', { type: 'files' }), []],
  ['the name of a specified field', ofPerson('birthdate'), ['person.rows.0.path: taken_name']],
  ['an unknown field', { ...ofPerson('x'), path: 'shoe_size' }, ['person.rows.0.path: unknown_path']],
  [
    'a choice of documents by country',
    {
      path: 'document_type',
      section: 'document',
      type: 'one_of',
      required: true,
      value_asked: { driving_licence: { field: 'document_country', in: ['GB'] } },
    },
    [],
  ],
])('%s is checked', async (_, each, found) => {
  expect(await profiles.problems(documentOf([], [], [each]))).toEqual(found)
})

test('the default document has no problems', async () => {
  const { body } = await profiles.operator.get(profiles.path)
  expect(await profiles.problems(body.data.document)).toEqual([])
  await profiles.publish(body.data.document)
  const person = await open()
  await fillInPerson(person, { name: 'Approved Ada' })
  await submitPerson(person)
  await untilStatus(vault.api, person.id, 'approved')
  expect(await read(person.id)).not.toHaveProperty('additional')
})
