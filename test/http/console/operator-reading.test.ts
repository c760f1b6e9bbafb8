/** Tests the data that operators read before a decision. */
import { createHash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { CONSENT } from '../../../src/domain/identification/person-form.ts'
import { PDF } from '../../support/api.ts'
import { createImported, recordOf, untilWaitingOn } from '../../support/identification.ts'
import { addVault, eventually, sharedInstance, unique } from '../../support/instance.ts'
import { completeApplication } from '../../support/kyb.ts'
import { beginPerson, fillInPerson, openPerson, PERSON, submitPerson } from '../../support/person-page.ts'

const gatehouse = await sharedInstance({ worker: true })
const { api, baseUrl, vaultId } = gatehouse
const operator = await gatehouse.operator()

const vault = { id: vaultId, name: expect.any(String) }
const operatorId = expect.stringMatching(/^operator:/)
const readKyb = async (id: string) => (await operator.get(`/kyb/${id}`)).body.data
const readOne = async (id: string) => (await operator.get(`/identifications/${id}`)).body.data

test('returns an application with the client’s view and the data needed for a decision', async () => {
  const { id, files } = await completeApplication(api)
  const { data: client } = (await api.get(`/kyb/${id}`)).body
  const data = await readKyb(id)
  // A beneficiary's link authorises actions for that person.
  for (const person of client.beneficiaries.beneficiaries_list) {
    delete person.link
    delete person.link_expires_at
  }
  expect(data).toMatchObject(client)
  expect(JSON.stringify(data)).not.toContain('/verify/')
  expect(data).toMatchObject({
    vault,
    version: 7,
    status: { completed: true, processed: false },
    waiting_on: 'operator',
    waiting_since: expect.any(Number),
    review: null,
    holds: [],
  })
  expect(data.business_files.articles_of_association).toEqual([
    {
      id: files.articles_of_association,
      name: 'articles_of_association.pdf',
      side: null,
      content_type: 'application/pdf',
      size: PDF.size,
      sha256: createHash('sha256')
        .update(Buffer.from(await PDF.arrayBuffer()))
        .digest('hex'),
      warnings: [],
    },
  ])
  const [person] = data.beneficiaries.beneficiaries_list
  expect(person.check).toBeNull()
  expect(person.beneficiary_identification[0]).toMatchObject({
    id: files.beneficiary_identification,
    size: PDF.size,
  })
})

test('returns a beneficiary’s check, the latest review with its note, and the holds of the company', async () => {
  const { id } = await completeApplication(api)
  const [before] = (await api.get(`/kyb/${id}`)).body.data.beneficiaries.beneficiaries_list
  await openPerson(baseUrl, new URL(before.link).pathname)
  const decide = (outcome: string, internal_note: string) =>
    operator.post(`/kyb/${id}/decision`, {
      outcome,
      reason_code: 'other',
      client_comment: 'Once more.',
      internal_note,
    })
  await decide('revision_requested', 'First')
  await decide('approved', 'Second')
  const { identification_id } = await readKyb(id)
  await eventually(async () => expect((await readOne(identification_id)).status).toBe('approved'))
  const opened = await operator.post(`/identifications/${identification_id}/cases`, {
    owner: 'transaction_monitoring',
    reason: 'aml_review',
    notes: 'Look here',
  })
  const data = await readKyb(id)
  expect(data.review).toMatchObject({ outcome: 'approved', internal_note: 'Second', decided_by: operatorId })
  expect(data).toMatchObject({ status: { processed: true }, waiting_on: 'nobody' })
  expect(data.holds).toMatchObject([
    { id: opened.body.data.id, notes: 'Look here', opened_by: operatorId, lifted_at: null },
  ])
  const [{ check, external_id }] = data.beneficiaries.beneficiaries_list
  expect(check).toEqual({
    id: external_id,
    status: 'initiated',
    verified: null,
    version: 1,
    waiting_on: 'applicant',
    waiting_since: expect.any(Number),
  })
  expect((await readOne(external_id)).kyb_id).toBe(id)
  expect((await readOne(identification_id)).kyb_id).toBe(id)
  await gatehouse.db.orm.execute(sql`
    INSERT INTO holds (id, identification_id, owner, services, reason, opened_by, opened_at, applied_at, lifted_at)
    SELECT gen_random_uuid(), ${identification_id}, 'client', '{trades}', 'client_request', 'system', at, at, at
    FROM generate_series(1, 250) AS n, LATERAL (SELECT now() + n * interval '1 second') AS moments (at)`)
  const { holds } = await readOne(identification_id)
  expect(holds).toHaveLength(200)
  expect([holds[0].id, holds[0].lifted_at]).toEqual([opened.body.data.id, null])
  expect(holds[199].opened_at - holds[1].opened_at).toBe(198)
  expect(JSON.stringify((await api.get(`/kyb/${id}`)).body)).not.toMatch(/Second|Look here/)
})

test('returns a person with the profile, the consent, the photos with their warnings, and waiting_on', async () => {
  const person = await openPerson(baseUrl, await beginPerson(gatehouse))
  await fillInPerson(person)
  await submitPerson(person)
  await untilWaitingOn(gatehouse, person.id, 'operator')
  const data = await readOne(person.id)
  const { verified, ...seen } = (await api.get(`/identifications/${person.id}`)).body.data
  expect(verified).toBeNull()
  expect(data).toMatchObject(seen)
  expect(data).toMatchObject({
    vault,
    version: (await recordOf(gatehouse, person.id)).state.version,
    kind: 'person',
    origin: 'hosted',
    verification: 'initiated',
    status: 'initiated',
    waiting_on: 'operator',
    waiting_since: expect.any(Number),
    consent: { version: CONSENT, at: expect.any(Number), language: 'en' },
    accounts: [{ id: data.account_id, referral: data.account_referral }],
    kyb_id: null,
    name_in_application: null,
    review: null,
    holds: [],
    cases: [],
  })
  expect(data.profile).toEqual({ ...PERSON.details, ...PERSON.document })
  expect(data.files.map(({ attribute }: { attribute: string }) => attribute)).toEqual([
    'document_front',
    'document_back',
    'selfie',
  ])
  expect(data.files[0]).toEqual({
    attribute: 'document_front',
    id: (await recordOf(gatehouse, person.id)).profile.document_front,
    name: 'picture.jpg',
    content_type: 'image/jpeg',
    size: expect.any(Number),
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    warnings: [],
  })
})

test('returns a person’s requested corrections, and every hold with its actors and times', async () => {
  const person = await openPerson(baseUrl, await beginPerson(gatehouse))
  await fillInPerson(person)
  await submitPerson(person)
  const decide = (outcome: string, more: object) =>
    operator.post(`/identifications/${person.id}/decision`, { outcome, reason_code: 'other', ...more })
  await decide('attention', {})
  await decide('initiated', { client_comment: 'Once more', fields: ['selfie'] })
  expect((await readOne(person.id)).review).toMatchObject({
    fields: ['selfie'],
    corrections: [{ path: 'selfie', code: 'other', message: 'Once more' }],
  })

  const id = await createImported(api)
  const open = { owner: 'operator_operations', services: ['trades'], reason: 'aml_review', notes: 'Why' }
  const { data: opened } = (await operator.post(`/identifications/${id}/cases`, open)).body
  await operator.post(`/cases/${opened.id}/close`)
  await api.post(`/identifications/${id}/block`, { reason: 'other', notes: 'Theirs' })
  const { holds, cases } = await readOne(id)
  const moment = expect.any(Number)
  expect(holds).toEqual([
    {
      ...open,
      id: opened.id,
      opened_by: operatorId,
      opened_at: moment,
      in_force_since: moment,
      lifted_by: operatorId,
      lifted_at: moment,
    },
    expect.objectContaining({ owner: 'client', notes: 'Theirs', lifted_by: null, lifted_at: null }),
  ])
  expect(cases).toEqual([{ ...opened, status: 'closed', closed_at: moment }])
})

test('lists cases of all vaults, and filters them', async () => {
  const other = await addVault(gatehouse)
  const [one, two] = [await createImported(api), await createImported(other.api)]
  const open = async (id: string, owner: string): Promise<string> => {
    const asked = { owner, reason: 'aml_review', notes: 'Why' }
    return (await operator.post(`/identifications/${id}/cases`, asked)).body.data.id
  }
  const [first, second] = [await open(one, 'operator_operations'), await open(one, 'transaction_monitoring')]
  const third = await open(two, 'operator_operations')
  await operator.post(`/cases/${first}/close`)
  // A client's hold is not a case.
  await api.post(`/identifications/${one}/block`, { reason: 'other', notes: 'Theirs' })
  const found = async (query: string) => {
    const { data, pagination } = (await operator.get(`/cases?${query}`)).body
    expect(pagination.total_count).toBeGreaterThanOrEqual(data.length)
    return data.map(({ id }: { id: string }) => id)
  }
  expect((await found('')).slice(0, 3)).toEqual([third, second, first])
  expect((await found('per_page=1&page=2')).slice(0, 3)).toEqual([second])
  expect(await found(`identification_id=${one}`)).toEqual([second, first])
  expect(await found(`identification_id=${one}&status=open`)).toEqual([second])
  expect(await found(`identification_id=${one}&status=closed`)).toEqual([first])
  expect(await found(`identification_id=${one}&owner=operator_operations`)).toEqual([first])
  expect(await found(`vault_id=${other.vaultId}`)).toEqual([third])
  expect(await found(`vault_id=${other.vaultId}&status=closing`)).toEqual([])
  const { data } = (await operator.get(`/cases/${first}`)).body
  expect(data).toMatchObject({
    id: first,
    vault_id: vaultId,
    identification_id: one,
    status: 'closed',
    notes: 'Why',
    opened_by: operatorId,
    closed_by: operatorId,
    version: (await readOne(one)).version,
  })
  expect(await found(`identification_id=${one}&from=${data.opened_at}`)).toEqual([second, first])
  expect(await found(`identification_id=${one}&to=${data.opened_at - 1}`)).toEqual([])
  const { blocks } = (await api.get(`/identifications/${one}`)).body.data
  expect(blocks.length).toBeGreaterThan(0)
  const { holds } = await readOne(one)
  const theirs = holds.find(({ owner }: { owner: string }) => owner === 'client')
  for (const id of [unique(), theirs.id]) expect((await operator.get(`/cases/${id}`)).status).toBe(404)
})

test('returns the settings of a vault without its secret', async () => {
  const other = await addVault(gatehouse)
  const webhook_url = { account: ['https://receiver.example/hook'] }
  await other.api.put('/users/update_webhook', { webhook_url })
  const {
    webhook_secret,
    otp_required_for_login: _,
    ...settings
  } = (await other.api.get('/users/settings')).body.data
  const { data } = (await operator.get(`/vaults/${other.vaultId}/settings`)).body
  expect(data).toEqual(settings)
  expect(data).toMatchObject({ id: other.vaultId, webhook_url_list: webhook_url, secret_key_present: true })
  expect(JSON.stringify(data)).not.toContain(webhook_secret)
  expect((await operator.get(`/vaults/${unique()}/settings`)).status).toBe(404)
})

test('returns data of every vault, 404 for an unknown ID, and 400 for a malformed one', async () => {
  const other = await addVault(gatehouse)
  const kyb = await other.api.createKyb()
  const data = await readKyb(kyb)
  expect(data.vault.id).toBe(other.vaultId)
  expect((await readOne(data.identification_id)).vault.id).toBe(other.vaultId)
  for (const path of ['kyb', 'identifications']) {
    expect((await operator.get(`/${path}/${unique()}`)).status).toBe(404)
    expect((await operator.get(`/${path}/x`)).status).toBe(400)
  }
})
