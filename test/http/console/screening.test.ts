/**
 * Tests screening: hits, the approvals that they block, the operators' decisions and changes to the lists.
 */
import { eq } from 'drizzle-orm'
import { afterAll, expect, test } from 'vitest'
import { identifications, kybApplications } from '../../../drizzle/schema.ts'
import { transaction } from '../../../src/db/connection/database.ts'
import { setLegalHold } from '../../../src/db/removal/retention.ts'
import { BY_COMMAND_LINE } from '../../../src/domain/access/audit.ts'
import { beginVerification } from '../../../src/use-cases/kyb/beneficiary-verification.ts'
import { decideAboutHit } from '../../../src/use-cases/review/screening-hit.ts'
import { createApi } from '../../support/api.ts'
import { openConsole } from '../../support/console.ts'
import {
  createImported,
  createSoftKyc,
  createWaiting,
  eventNamesOf,
  logEvents,
  recordOf,
  statusOf,
  untilStatus,
  untilWaitingOn,
} from '../../support/identification.ts'
import { addVault, eventually, startInstance, unique } from '../../support/instance.ts'
import { completeApplication, UBO } from '../../support/kyb.ts'
import { createList } from '../../support/list.ts'
import { PASSWORD, signedIn } from '../../support/people.ts'
import { openPerson, PERSON } from '../../support/person-page.ts'
import { reconcile } from '../../support/webhook.ts'

const LISTED = [
  { id: 'e1', name: 'Approvedia Krummbiegel', more: { birthDate: ['1961'], nationality: ['gb'] } },
  { id: 'e2', name: 'Mirela Quastova', more: { topics: ['role.pep'], alias: ['Mirela Kvastova'] } },
  { id: 'e3', schema: 'Company', name: 'Vexillum Maritime Ltd', more: { jurisdiction: ['de'] } },
]
const list = createList()
list.write(LISTED)
const gatehouse = await startInstance({ env: { SCREENING_LIST_DIR: list.folder } })
await gatehouse.startWorker()
const { api } = gatehouse
const operator = await gatehouse.operator()
afterAll(async () => {
  await gatehouse.stop()
  list.remove()
})

const readKyb = async (id: string) => (await operator.get(`/kyb/${id}`)).body.data
const read = async (id: string) => (await operator.get(`/identifications/${id}`)).body.data
const approveKyb = (id: string) =>
  operator.post(`/kyb/${id}/decision`, { outcome: 'approved', reason_code: 'complete' })
const approve = (id: string) =>
  operator.post(`/identifications/${id}/decision`, { outcome: 'approved', reason_code: 'complete' })
const decideHit = (id: string, outcome: string, comment?: string) =>
  operator.post(`/screening_hits/${id}/decision`, { outcome, ...(comment && { comment }) })
const codesOf = ({ status, body }: { status: number; body: { errors: { code: string }[] } }) => [
  status,
  ...body.errors.map(({ code }) => code),
]
const withHits = async (): Promise<string[]> =>
  (await operator.get('/queue?hits=true&per_page=100')).body.data.map(({ id }: { id: string }) => id)

async function listedCompany(): Promise<string> {
  const { id } = await completeApplication(api)
  const patch = {
    nature_of_business: { legal_company_name: 'VEXILLUM Maritime GmbH' },
    beneficiaries: { beneficiaries_list: [{ email: UBO, full_name: 'Mirela Kvastowa' }] },
  }
  expect((await api.patch(`/kyb/${id}`, patch)).status).toBe(200)
  return id
}

test('blocks a company’s approval until an operator has decided on its hits and its owner’s hits', async () => {
  const id = await listedCompany()
  const data = await eventually(async () => {
    const found = await readKyb(id)
    expect(found.screening.hits).toHaveLength(2)
    return found
  })
  const [company, owner] = data.screening.hits
  expect(company).toMatchObject({
    status: 'open',
    subject: 'company',
    looked_for: { names: ['VEXILLUM Maritime GmbH'], countries: ['de'] },
    score: 1,
    parts: [{ name: 'name_exact', score: 1, detail: 'VEXILLUM Maritime GmbH / Vexillum Maritime Ltd' }],
    entry: { id: 'e3', topics: ['sanction'], datasets: ['a_list'], countries: ['de'] },
    decided_by: null,
  })
  const [{ external_id }] = data.beneficiaries.beneficiaries_list
  expect(owner).toMatchObject({ subject: external_id, entry: { caption: 'Mirela Quastova' } })
  expect(data.screening.list_version).toMatch(/^names-5:0\.7:/)
  expect(await withHits()).toContain(id)
  expect(JSON.stringify((await api.get(`/kyb/${id}`)).body)).not.toContain('screening')

  expect(codesOf(await approveKyb(id))).toEqual([422, 'hits_open'])
  expect((await decideHit(company.id, 'confirmed')).status).toBe(200)
  expect(codesOf(await approveKyb(id))).toEqual([422, 'hits_open'])
  const dismissed = await decideHit(owner.id, 'dismissed', 'Another year of birth.')
  expect(dismissed.body.data).toMatchObject({
    status: 'dismissed',
    comment: 'Another year of birth.',
    decided_by: expect.stringMatching(/^operator:/),
  })
  expect((await decideHit(company.id, 'dismissed', 'Another register.')).status).toBe(200)
  expect(await withHits()).not.toContain(id)
  expect((await approveKyb(id)).status).toBe(200)
  const { body } = await operator.get(`/kyb/${id}/timeline`)
  expect(body.data).toContainEqual(
    expect.objectContaining({ action: 'screening_hit_dismissed', internal_note: 'Another year of birth.' }),
  )
  const { identification_id } = await readKyb(id)
  await untilStatus(api, identification_id, 'approved')
  expect((await read(identification_id)).screening.hits).toHaveLength(2)
})

test('screens a beneficiary with the birth date and nationality as soon as the person enters them', async () => {
  const { id } = await completeApplication(api)
  const owner = { email: UBO, full_name: 'Approvedia Krummbiegel' }
  const patch = { beneficiaries: { beneficiaries_list: [owner] } }
  expect((await api.patch(`/kyb/${id}`, patch)).status).toBe(200)
  const lookedFor = async () => (await readKyb(id)).screening.hits[0]?.looked_for
  await eventually(async () => expect(await lookedFor()).toMatchObject({ birth_date: null, countries: [] }))
  const { body } = await api.get(`/kyb/${id}`)
  const [{ link }] = body.data.beneficiaries.beneficiaries_list
  const person = await openPerson(gatehouse.baseUrl, new URL(link).pathname)
  await person.post('/consent', { consent: 'yes' })
  const details = { ...PERSON.details, name: 'Approvedia', surname: 'Krummbiegel' }
  expect((await person.post('/details', details)).status).toBe(303)
  await eventually(async () =>
    expect(await lookedFor()).toMatchObject({ birth_date: details.birthdate, countries: ['gb'] }),
  )
})

test('leaves a hit to operators if the check would approve, without an event', async () => {
  await logEvents(gatehouse, 'https://receiver.invalid/')
  const id = await createWaiting(gatehouse, {
    name: 'Approvedia',
    surname: 'Krummbiegel',
    birthdate: '1961-04-03',
  })
  expect(await statusOf(api, id)).toBe('initiated')
  expect(await eventNamesOf(gatehouse, id)).toEqual(['identification_created 1', 'account_created 1'])
  const { screening } = await read(id)
  expect(screening.hits).toMatchObject([{ subject: 'person', score: 1, entry: { birth_dates: ['1961'] } }])
  expect(codesOf(await approve(id))).toEqual([422, 'hits_open'])
  await decideHit(screening.hits[0].id, 'dismissed')
  expect((await approve(id)).status).toBe(200)
})

test('approves a person automatically if there are no hits', async () => {
  const id = await createSoftKyc(api, { name: 'Approved' })
  await untilStatus(api, id, 'approved')
  expect((await read(id)).screening).toMatchObject({ hits: [], screened_at: expect.any(Number) })
})

test('records one hit for an entry on several lists, and keeps the decision', async () => {
  list.write([...LISTED, { ...LISTED[1], more: { topics: ['sanction'] } } as (typeof LISTED)[number]])
  const id = await createSoftKyc(api, { name: 'Approved', surname: 'Waits' })
  await untilStatus(api, id, 'approved')
  const twice = await createSoftKyc(api, { name: 'Mirela', surname: 'Quastova' })
  await untilWaitingOn(gatehouse, twice, 'operator')
  const { hits } = (await read(twice)).screening
  expect(hits).toMatchObject([{ entry: { id: 'e2' }, status: 'open' }])
  await decideHit(hits[0].id, 'dismissed')
  expect((await approve(twice)).status).toBe(200)
  list.write(LISTED)
})

test('shows further hits after others are dismissed, including entries added later', async () => {
  const common = (id: string, more = {}) => ({ id, name: 'Approved Common', more })
  const many = Array.from({ length: 12 }, (_, index) => common(`c${index}`))
  list.write([...LISTED, ...many])
  const id = await createWaiting(gatehouse, { name: 'Approved', surname: 'Common', birthdate: '1985-12-10' })
  const open = async (): Promise<{ id: string; entry: { id: string } }[]> =>
    (await read(id)).screening.hits.filter(({ status }: { status: string }) => status === 'open')
  const dismiss = async () => {
    for (const hit of await open()) expect((await decideHit(hit.id, 'dismissed')).status).toBe(200)
  }
  const first = await open()
  expect(first).toHaveLength(10)
  await dismiss()
  const second = await open()
  expect(second).toHaveLength(2)
  expect(new Set([...first, ...second].map(({ entry }) => entry.id)).size).toBe(12)
  expect(codesOf(await approve(id))).toEqual([422, 'hits_open'])
  // Screening for further hits is impossible while the list is broken.
  list.break()
  await dismiss()
  expect(codesOf(await approve(id))).toEqual([422, 'not_screened'])
  list.write([...LISTED, ...many, common('later', { birthDate: ['1985-12-10'] })])
  expect(codesOf(await approve(id))).toEqual([422, 'hits_open'])
  expect(await open()).toMatchObject([{ entry: { id: 'later' } }])
  await dismiss()
  expect((await approve(id)).status).toBe(200)
  expect((await read(id)).screening.hits).toHaveLength(13)
  list.write(LISTED)
})

test('finds imported people, who stay approved', async () => {
  const id = await createImported(api, { name: 'Mirela', surname: 'Quastova' })
  await reconcile(gatehouse)
  await eventually(async () => expect(await withHits()).toContain(id))
  expect(await statusOf(api, id)).toBe('approved')
  const [{ id: hit }] = (await read(id)).screening.hits
  await decideHit(hit, 'confirmed')
  expect(await withHits()).not.toContain(id)
})

test('finds approved people on a new list, and reopens a dismissed hit only if the entry has changed', async () => {
  const later = await createSoftKyc(api, { name: 'Approved', surname: 'Nowlisted' })
  await untilStatus(api, later, 'approved')
  const known = await createSoftKyc(api, { name: 'Mirela', surname: 'Quastova', birthdate: '1972-01-02' })
  await untilWaitingOn(gatehouse, known, 'operator')
  const [hit] = (await read(known)).screening.hits
  await decideHit(hit.id, 'dismissed', 'Not her.')
  const before = (await read(known)).screening.list_version

  list.write([...LISTED, { id: 'e4', name: 'Approved Nowlisted' }])
  await reconcile(gatehouse)
  await eventually(async () => expect(await withHits()).toContain(later))
  await eventually(async () => {
    const { screening } = await read(known)
    expect(screening.list_version).not.toBe(before)
    expect(screening.hits).toMatchObject([{ id: hit.id, status: 'dismissed', comment: 'Not her.' }])
  })

  const [e1, e2, e3] = LISTED
  list.write([e1, { ...e2, more: { ...e2?.more, birthDate: ['1972'] } }, e3] as typeof LISTED)
  await reconcile(gatehouse)
  await eventually(async () =>
    expect((await read(known)).screening.hits).toMatchObject([{ id: hit.id, status: 'open', comment: null }]),
  )
  // The decision applies to an earlier version of the hit.
  const { found_at } = (await read(known)).screening.hits[0]
  const dismiss = (at: number) =>
    operator.post(`/screening_hits/${hit.id}/decision`, { outcome: 'dismissed', found_at: at })
  expect(codesOf(await dismiss(found_at - 1))).toEqual([409, 'stale_version'])
  expect((await dismiss(found_at)).status).toBe(200)
  // An open hit disappears if the entry is removed. A decided hit remains.
  await eventually(async () => expect((await read(later)).screening.hits).toEqual([]))
  expect(await withHits()).not.toContain(later)
})

test.each([
  { company: 'complete', outcomes: ['attention', 'approved'] },
  { company: 'incomplete', outcomes: ['attention', 'approved'] },
  { company: 'complete', outcomes: ['attention', 'initiated'] },
  { company: 'incomplete', outcomes: ['attention', 'initiated'] },
])(
  'finds a company that was $company at its rejection on a new list after $outcomes',
  async ({ company, outcomes }) => {
    const id = company === 'complete' ? (await completeApplication(api)).id : await api.createKyb()
    const name = { legal_company_name: 'Lately Sanctioned Shipping Ltd' }
    expect((await api.patch(`/kyb/${id}`, { nature_of_business: name })).status).toBe(200)
    const { identification_id } = (await api.get(`/kyb/${id}`)).body.data
    const rejected = { outcome: 'rejected', reason_code: 'high_risk' }
    expect((await operator.post(`/kyb/${id}/decision`, rejected)).status).toBe(200)
    await untilStatus(api, identification_id, 'rejected')
    for (const outcome of outcomes) {
      const decision = { outcome, reason_code: 'other' }
      const { status } = await operator.post(`/identifications/${identification_id}/decision`, decision)
      expect(status).toBe(200)
    }

    list.write([...LISTED, { id: 'e6', schema: 'Company', name: name.legal_company_name }])
    await reconcile(gatehouse)
    await eventually(async () => expect(await withHits()).toContain(id))
    list.write(LISTED)
    await reconcile(gatehouse)
    await eventually(async () => expect(await withHits()).not.toContain(id))
  },
)

test('refuses a new name in the profile of a company with an application, and screens the company', async () => {
  const external_uuid = unique()
  const started = await api.post('/identifications/create_identify_process', { external_uuid, type: 'kyb' })
  const id = started.body.data.identification_id
  expect((await api.put(`/identifications/${id}`, { name: 'Vexillum Maritime Ltd' })).status).toBe(422)
  await reconcile(gatehouse)
  await eventually(async () => {
    const isIt = eq(identifications.id, id)
    const [row] = await gatehouse.db.orm.select().from(identifications).where(isIt)
    expect(row?.screenedWith).not.toBeNull()
  })
  expect(await withHits()).not.toContain(id)
})

test('refuses a decision on a hit that another operator has changed', async () => {
  const id = await createWaiting(gatehouse, { name: 'Mirela', surname: 'Quastova' })
  const readHit = async () => (await read(id)).screening.hits[0]
  const hit = await readHit()
  const action = `/console/screening_hits/${hit.id}/decision`
  const enter = async () => {
    const { email } = await signedIn(gatehouse, 'operator', { operator_roles: ['operator_review'] })
    const session = await openConsole(gatehouse.baseUrl, { email, password: PASSWORD })
    /** Reads the current form. Returns a function that sends it. */
    const open = async () => {
      const [, form = ''] = (await session.text(`/console/identifications/${id}`)).split(`"${action}"`)
      const hidden =
        form.split('</form>')[0]?.matchAll(/type="hidden" name="(\w+_at)" value="([^"]*)"/g) ?? []
      const fields = Object.fromEntries([...hidden].map(([, name, value]) => [name, value]))
      return (said: Record<string, string>) => session.post(action, { ...fields, ...said })
    }
    return { open }
  }
  const [first, second] = [await enter(), await enter()]
  const [theirs, mine] = [await first.open(), await second.open()]
  const confirmed = { outcome: 'confirmed', comment: 'It is her.' }
  expect((await theirs(confirmed)).status).toBe(303)
  const stale = await mine({ outcome: 'dismissed', comment: 'Not her.' })
  const shown = await stale.text()
  expect([stale.status, shown]).toEqual([409, expect.stringContaining('It is her.')])
  expect(shown).toContain('>Not her.</textarea>')
  const tooLong = await theirs({ outcome: 'confirmed', comment: 'x'.repeat(5_001) })
  expect([tooLong.status, await tooLong.text()]).toEqual([
    422,
    expect.stringContaining(`>${'x'.repeat(5_001)}</textarea>`),
  ])
  expect(await readHit()).toMatchObject({ status: 'confirmed', comment: 'It is her.' })
  // Simulates a retry after a lost response.
  expect((await theirs(confirmed)).status).toBe(303)
  // Another operator confirmed the hit, so its dismissal requires both.
  for (const comment of ['Not her.', 'Really not.']) {
    expect((await (await second.open())({ outcome: 'dismissed', comment })).status).toBe(303)
    expect(await readHit()).toMatchObject({
      status: 'confirmed',
      comment: 'Not her.',
      dismissal_proposed_by: expect.stringMatching(/^operator:/),
    })
  }
  expect((await (await first.open())({ outcome: 'dismissed' })).status).toBe(303)
  const { decided_at, ...now } = await readHit()
  expect(now).toMatchObject({ status: 'dismissed', comment: 'Not her.', dismissal_proposed_by: null })
  const confirm = (at: number | null) =>
    operator.post(`/screening_hits/${hit.id}/decision`, { outcome: 'confirmed', decided_at: at })
  expect(codesOf(await confirm(null))).toEqual([409, 'stale_version'])
  expect((await confirm(decided_at)).status).toBe(200)
})

test('requires two operators for a dismissal if the vault requires them for approvals', async () => {
  const { vaultId, api: client } = await addVault(gatehouse)
  const admin = await gatehouse.operator()
  expect((await admin.patch(`/vaults/${vaultId}`, { four_eyes: ['high_risk_approvals'] })).status).toBe(200)
  const id = await createSoftKyc(client, { name: 'Mirela', surname: 'Quastova' })
  await untilWaitingOn({ ...gatehouse, vaultId }, id, 'operator')
  const [hit] = (await read(id)).screening.hits
  const { api: second } = await signedIn(gatehouse, 'operator', { operator_roles: ['operator_review'] })
  const proposed = await decideHit(hit.id, 'dismissed', 'Not her.')
  expect(proposed.body.data).toMatchObject({ status: 'open', dismissal_proposed_by: expect.any(String) })
  expect((await decideHit(hit.id, 'dismissed')).body.data.status).toBe('open')
  expect(codesOf(await approve(id))).toEqual([422, 'hits_open'])
  const dismissed = await second.post(`/screening_hits/${hit.id}/decision`, { outcome: 'dismissed' })
  expect(dismissed.body.data).toMatchObject({ status: 'dismissed', comment: 'Not her.' })
  const { body } = await operator.get(`/identifications/${id}/timeline`)
  expect(body.data.map(({ action }: { action: string }) => action)).toEqual(
    expect.arrayContaining(['screening_hit_dismissal_proposed', 'screening_hit_dismissed']),
  )
})

test('refuses an approval if the person has just been added to a list', async () => {
  const id = await createWaiting(gatehouse, { name: 'Just', surname: 'Sanctioned' })
  expect((await read(id)).screening.hits).toEqual([])
  list.write([...LISTED, { id: 'e5', name: 'Just Sanctioned' }])
  expect(codesOf(await approve(id))).toEqual([422, 'hits_open'])
  list.write(LISTED)
  expect((await approve(id)).status).toBe(200)
})

test('screens again if a name changes', async () => {
  const id = await listedCompany()
  await eventually(async () => expect((await readKyb(id)).screening.hits).toHaveLength(2))
  const patch = { nature_of_business: { legal_company_name: 'Analytical Engines Ltd' } }
  expect((await api.patch(`/kyb/${id}`, patch)).status).toBe(200)
  await eventually(async () =>
    expect((await readKyb(id)).screening.hits).toMatchObject([{ entry: { id: 'e2' } }]),
  )
  const person = { email: UBO, full_name: 'Ada Lovelace' }
  await api.patch(`/kyb/${id}`, { beneficiaries: { beneficiaries_list: [person] } })
  expect((await approveKyb(id)).status).toBe(200)
  expect((await readKyb(id)).screening.hits).toEqual([])
})

test('keeps hits under a legal hold, and deletes those of earlier names after it', async () => {
  const id = await listedCompany()
  await eventually(async () => expect((await readKyb(id)).screening.hits).toHaveLength(2))
  const { identification_id: own } = await readKyb(id)
  const hold = (on: boolean) => transaction(gatehouse.db, (tx) => setLegalHold(tx, BY_COMMAND_LINE, own, on))
  expect(await hold(true)).toBe(null)
  const rename = async (name: string) => {
    const patch = { nature_of_business: { legal_company_name: name } }
    expect((await api.patch(`/kyb/${id}`, patch)).status).toBe(200)
  }
  const names = async () =>
    (await readKyb(id)).screening.hits
      .filter(({ subject }: { subject: string }) => subject === 'company')
      .flatMap((hit: { looked_for: { names: string[] } }) => hit.looked_for.names)
      .sort()
  await rename('Vexillum Maritime Limited')
  const both = ['VEXILLUM Maritime GmbH', 'Vexillum Maritime Limited']
  await eventually(async () => expect(await names()).toEqual(both))
  await rename('Analytical Engines Ltd')
  await eventually(async () => expect((await readKyb(id)).screening.list_version).not.toBe(null))
  expect(await names()).toEqual(both)

  expect(await hold(false)).toBe(null)
  await eventually(async () => {
    await reconcile(gatehouse)
    expect(await names()).toEqual([])
  })
})

/** Creates a complete application with a second director, who is on the list. */
async function withListedDirector() {
  const { id } = await completeApplication(api)
  const more = { roles: ['director'], stake_in_company: '0', politically_exposed: false }
  const person = { email: 'mirela@example.com', full_name: 'Mirela Quastova', ...more }
  expect((await patchPeople(id, person)).status).toBe(200)
  const file = { attribute: 'beneficiary_identification', email: person.email }
  expect((await api.upload(id, file)).status).toBe(201)
  await eventually(async () => expect((await readKyb(id)).screening.hits).toHaveLength(1))
  const [{ subject }] = (await readKyb(id)).screening.hits
  const remove = async () =>
    expect((await patchPeople(id, { email: person.email, _destroy: true })).status).toBe(200)
  return { id, subject, remove }
}
const patchPeople = (id: string, person: object) =>
  api.patch(`/kyb/${id}`, { beneficiaries: { beneficiaries_list: [person] } })

test('deletes the hits of a removed person', async () => {
  const { id, remove } = await withListedDirector()
  expect(codesOf(await approveKyb(id))).toEqual([422, 'hits_open'])
  await remove()
  expect((await approveKyb(id)).status).toBe(200)
  expect((await readKyb(id)).screening.hits).toEqual([])
})

test('keeps the hits of a removed person under a legal hold', async () => {
  const { id, remove } = await withListedDirector()
  const { identification_id: own } = await readKyb(id)
  const hold = (on: boolean) => transaction(gatehouse.db, (tx) => setLegalHold(tx, BY_COMMAND_LINE, own, on))
  expect(await hold(true)).toBe(null)
  await remove()
  await eventually(async () => expect((await readKyb(id)).screening.list_version).not.toBe(null))
  expect((await readKyb(id)).screening.hits).toMatchObject([{ entry: { id: 'e2' } }])
  expect(await hold(false)).toBe(null)
  await eventually(async () => {
    await reconcile(gatehouse)
    expect((await readKyb(id)).screening.hits).toEqual([])
  })
})

test('ignores the hits of a person who is being erased', async () => {
  const { id, subject, remove } = await withListedDirector()
  expect(await beginVerification(gatehouse.db, { id: subject, vaultId: gatehouse.vaultId })).toBe(true)
  // The broken list prevents screening, so only the erasure can delete the hit.
  list.break()
  await remove()
  await eventually(async () => expect((await readKyb(id)).screening.hits).toEqual([]))
  expect(codesOf(await approveKyb(id))).toEqual([422, 'not_screened'])
  list.write(LISTED)
  expect((await approveKyb(id)).status).toBe(200)
})

test.each([
  ['are broken', () => list.break()],
  ['are missing', () => list.empty()],
  [
    'have no relevant topic',
    () => list.write([{ id: 'e9', name: 'Mirela Quastova', more: { topics: ['asset.frozen'] } }]),
  ],
])('approves no one while the lists %s, and screens them later', async (_, spoil) => {
  const listed = await createSoftKyc(api, { name: 'Mirela', surname: 'Quastova' })
  await untilWaitingOn(gatehouse, listed, 'operator')
  const id = await createSoftKyc(api, { name: 'Approved', surname: 'Patient' })
  await untilStatus(api, id, 'approved')
  spoil()
  const waiting = await createSoftKyc(api, { name: 'Approved', surname: 'Waiting' })
  await untilWaitingOn(gatehouse, waiting, 'operator')
  expect((await read(waiting)).screening).toEqual({
    screened_at: null,
    list_version: null,
    hits: [],
    more_hits: false,
  })
  expect(codesOf(await approve(waiting))).toEqual([422, 'not_screened'])
  expect(codesOf(await approve(listed))).toEqual([422, 'hits_open'])
  list.write(LISTED)
  expect((await approve(waiting)).status).toBe(200)
  expect((await recordOf(gatehouse, waiting)).screenedWith).not.toBeNull()
})

test('reports that screening is off, and finds no hits', async () => {
  const off = await startInstance({ env: { SCREENING: 'off', SCREENING_LIST_DIR: list.folder } })
  try {
    await off.startWorker()
    const id = await createSoftKyc(off.api, { name: 'Approvedia', surname: 'Krummbiegel' })
    await untilStatus(off.api, id, 'approved')
    const { screening } = (await (await off.operator()).get(`/identifications/${id}`)).body.data
    expect(screening).toMatchObject({ list_version: 'off', hits: [] })
  } finally {
    await off.stop()
  }
})

test('requires screening for cases that passed while it was off', async () => {
  const off = await startInstance({ env: { SCREENING: 'off' } })
  const broken = createList()
  broken.break()
  const { DATABASE_URL, ENCRYPTION_KEYS, HASH_KEY } = off.env
  const env = { ENCRYPTION_KEYS, HASH_KEY, SCREENING: 'local', SCREENING_LIST_DIR: broken.folder }
  let on: Awaited<ReturnType<typeof startInstance>> | undefined
  try {
    const before = await off.startWorker()
    const { id } = await completeApplication(off.api)
    const decision = { outcome: 'approved', reason_code: 'complete' }
    const versionSeenBy = async (instance: typeof off) =>
      (await (await instance.operator()).get(`/kyb/${id}`)).body.data.screening.list_version
    await eventually(async () => {
      const [row] = await off.db.orm.select().from(kybApplications).where(eq(kybApplications.id, id))
      expect(row?.screenedWith).toBe('off')
    })
    await before.stop()
    on = await startInstance({ databaseUrl: DATABASE_URL, env })
    await on.startWorker()
    const its = await on.operator()
    expect(await versionSeenBy(off)).toBe('off')
    expect(await versionSeenBy(on)).toBeNull()
    expect(codesOf(await its.post(`/kyb/${id}/decision`, decision))).toEqual([422, 'not_screened'])
    broken.write(LISTED)
    expect((await its.post(`/kyb/${id}/decision`, decision)).status).toBe(200)
  } finally {
    await on?.stop()
    await off.stop()
    broken.remove()
  }
})

test('returns 404 for an unknown hit', async () => {
  expect((await decideHit(unique(), 'dismissed')).status).toBe(404)
  expect((await decideHit(unique(), 'open')).status).toBe(422)
})

test('keeps the later decision of another operator if an earlier decision is repeated', async () => {
  const id = await createImported(api, { name: 'Approvedia', surname: 'Krummbiegel' })
  await reconcile(gatehouse)
  const [hit] = await eventually(async () => {
    const { hits } = (await read(id)).screening
    expect(hits).toHaveLength(1)
    return hits
  })
  const nothing = async () => {}
  const deps = { db: gatehouse.db, spend: nothing, screening: { screen: nothing, idle: nothing } }
  const grants = [{ role: 'senior_reviewer', vaultId: null }] as const
  const decide = (actor: string, effectId: string, outcome: 'confirmed' | 'dismissed', isRerun = false) =>
    decideAboutHit(
      deps as never,
      { by: { actor, address: null }, grants, effect: { id: effectId, isRerun } },
      hit.id,
      { outcome },
    )
  const first = unique()
  await decide('operator:one', first, 'dismissed')
  await decide('operator:two', unique(), 'confirmed')
  expect(await decide('operator:one', first, 'dismissed', true)).toMatchObject({
    status: 'confirmed',
    decidedBy: 'operator:two',
  })
  expect((await read(id)).screening.hits).toMatchObject([{ status: 'confirmed' }])
})

test('records who reads a hit by repeating the decision of another operator', async () => {
  const id = await createImported(api, { name: 'Approvedia', surname: 'Krummbiegel' })
  await reconcile(gatehouse)
  const [hit] = await eventually(async () => {
    const { hits } = (await read(id)).screening
    expect(hits).toHaveLength(1)
    return hits
  })
  expect((await decideHit(hit.id, 'confirmed')).status).toBe(200)
  const { id: userId, token } = await signedIn(gatehouse, 'operator', { operator_roles: ['operator_review'] })
  const curious = createApi(`${gatehouse.baseUrl}/operator/v1`, token)
  const { body } = await curious.post(`/screening_hits/${hit.id}/decision`, { outcome: 'confirmed' })
  expect(body.data.looked_for.names).toEqual(['Approvedia Krummbiegel'])
  const { data } = (await operator.get(`/audit?action=case_read&actor=operator:${userId}`)).body
  expect(data).toMatchObject([{ subject: 'identification', subject_id: id }])
})
