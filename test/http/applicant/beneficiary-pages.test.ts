/** Tests the hosted verification of beneficiaries: their links, and what remains of people who were removed. */
import { and, eq, ne, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { beneficiaries, files, identifications } from '../../../drizzle/schema.ts'
import { beneficiaryRemoved } from '../../../src/domain/identification/identification.ts'
import { conclude, eraseHere } from '../../support/erasure.ts'
import { sendForm } from '../../support/hosted-page.ts'
import { actionsOf, recordOf, untilStatus, untilWaitingOn } from '../../support/identification.ts'
import { eventually, sharedInstance, unique } from '../../support/instance.ts'
import { insertLostFact } from '../../support/pending-fact.ts'
import { beginPerson, fillInPerson, openPerson, submitPerson } from '../../support/person-page.ts'
import { reconcile } from '../../support/webhook.ts'

const gatehouse = await sharedInstance({ worker: true })

const { api, baseUrl, db } = gatehouse
const open = (link: string) => openPerson(baseUrl, link)
const filesOf = (id: string) =>
  db.orm
    .select()
    .from(files)
    .where(and(eq(files.identificationId, id), ne(files.state, 'detached')))

const EMAIL = 'ada@example.com'
async function application() {
  const { body } = await api.post('/kyb', {
    external_id: unique(),
    beneficiaries: {
      beneficiaries_list: [
        { email: EMAIL, full_name: 'Approved Ada Lovelace', roles: ['director'] },
        { email: 'charles@example.com', full_name: 'Charles Babbage', roles: ['director'] },
      ],
    },
  })
  const [ada] = body.data.beneficiaries.beneficiaries_list
  ada.kybId = body.data.id
  return body.data
}
const kyb = async (id: string) => (await api.get(`/kyb/${id}`)).body.data
const pathOf = ({ link }: { link: string }) => new URL(link).pathname
const identificationDue = (id: string) => `beneficiaries.beneficiaries_list.${id}.beneficiary_identification`

describe('a beneficiary', () => {
  test('sees on the first page which company named them, and in which role', async () => {
    const { id, beneficiaries: people } = await application()
    const [ada] = people.beneficiaries_list
    const page = async () =>
      (await (await sendForm(baseUrl + pathOf(ada))).text()).replaceAll(/<[^>]+>/g, ' ')
    expect(await page()).toMatch(/^(?!.*Ada Lovelace).+Anti-money-laundering law requires/s)
    await api.patch(`/kyb/${id}`, { nature_of_business: { legal_company_name: 'Example GmbH' } })
    expect(await page()).toMatch(
      /Example GmbH has named you in its application to .+Ada Lovelace\s+.*Director of Example GmbH.+About five minutes.+Only .+ can see your details/s,
    )
  })
  test('meets the identification requirement through their own link', async () => {
    const { id, beneficiaries: people } = await application()
    const [ada] = people.beneficiaries_list
    expect(ada).toMatchObject({ verification: 'initiated', link_expires_at: expect.any(Number) })
    expect((await kyb(id)).requirements.currently_due).toContain(identificationDue(ada.external_id))
    const person = await open(pathOf(ada))
    expect(person.id).toBe(ada.external_id)
    await person.post('/consent', { consent: 'yes' })
    const details = await (await person.get('/details')).text()
    for (const known of ['Approved Ada', 'Lovelace', EMAIL]) expect(details).toContain(`value="${known}"`)
    await fillInPerson(person, { name: 'Approved Ada' })
    await submitPerson(person)
    await eventually(async () => {
      const { requirements, beneficiaries: now } = await kyb(id)
      expect(requirements.currently_due).not.toContain(identificationDue(ada.external_id))
      expect(now.beneficiaries_list[0].verification).toBe('approved')
    })
    expect(await actionsOf(gatehouse, person.id)).toContain('check_finished')
  })
  test('is decided like any other person, and is listed only by external_uuid', async () => {
    const { id, beneficiaries: people } = await application()
    const [, charles] = people.beneficiaries_list
    const due = identificationDue(charles.external_id)
    const currentlyDue = async () => (await kyb(id)).requirements.currently_due
    const person = await open(pathOf(charles))
    await fillInPerson(person, { name: 'Charles', surname: 'Babbage' })
    expect(await currentlyDue()).toContain(due)
    await submitPerson(person)
    await untilWaitingOn(gatehouse, person.id, 'operator')
    // The person counts until the review ends.
    await eventually(async () => expect(await currentlyDue()).not.toContain(due))
    const listed = (await api.get('/identifications?per_page=100')).body.data
    expect(listed.map(({ id }: { id: string }) => id)).not.toContain(person.id)
    const { external_uuid } = (await api.get(`/identifications/${person.id}`)).body.data
    const filtered = await api.get(`/identifications?filter[external_uuid]=${external_uuid}`)
    expect(filtered.body).toMatchObject({ data: [{ id: person.id }], pagination: { total_count: 1 } })
    const operator = await gatehouse.operator()
    const decision = { outcome: 'rejected', reason_code: 'information_mismatch' }
    const decided = await operator.post(`/identifications/${person.id}/decision`, decision)
    expect(decided.body.data).toMatchObject({ status: 'rejected', account_id: null })
    await eventually(async () => expect(await currentlyDue()).toContain(due))
    const timeline = await operator.get(`/identifications/${person.id}/timeline`)
    expect(timeline.status).toBe(200)
  })
  test('requires a new verification if the application names a different person', async () => {
    const { id, beneficiaries: people } = await application()
    const [ada] = people.beneficiaries_list
    const list = (...beneficiaries_list: object[]) =>
      api.patch(`/kyb/${id}`, { beneficiaries: { beneficiaries_list } })
    const nowOf = async () => (await kyb(id)).beneficiaries.beneficiaries_list[0]
    const dueOf = async () => (await kyb(id)).requirements.currently_due
    const path = `beneficiaries.beneficiaries_list.${ada.external_id}.beneficiary_identification`
    const straw = await open(pathOf(ada))
    await fillInPerson(straw, { name: 'Approved Ada' })
    await submitPerson(straw)
    await eventually(async () => expect(await dueOf()).not.toContain(path))
    await untilStatus(api, ada.external_id, 'approved')
    expect((await list({ email: EMAIL, full_name: 'APPROVED  Ada Lovelacé' })).status).toBe(200)
    expect([(await nowOf()).link, (await nowOf()).verification]).toEqual([ada.link, 'approved'])

    expect((await list({ email: EMAIL, full_name: 'Approved Real Owner' })).status).toBe(200)
    const swapped = await nowOf()
    expect(swapped).toMatchObject({ external_id: ada.external_id, verification: 'initiated' })
    expect(swapped.link).not.toBe(ada.link)
    expect(await dueOf()).toContain(path)
    await untilStatus(api, straw.id, 'closed')
    expect(await actionsOf(gatehouse, straw.id)).toContain('beneficiary_changed')
    expect((await sendForm(baseUrl + pathOf(ada))).status).toBe(404)
    expect((await straw.get('')).status).toBe(401)

    const owner = await open(pathOf(swapped))
    expect(owner.id).not.toBe(straw.id)
    await fillInPerson(owner, { name: 'Approved Real', surname: 'Owner', nationality: 'IR' })
    const operator = await gatehouse.operator()
    const read = async () => (await operator.get(`/kyb/${id}`)).body.data
    const [shown] = (await read()).beneficiaries.beneficiaries_list
    const timeline = (await operator.get(`/kyb/${id}/timeline`)).body.data
    expect(timeline).toContainEqual(
      expect.objectContaining({
        action: 'verification_ended',
        fields: [`beneficiaries.beneficiaries_list.${ada.external_id}.full_name`],
      }),
    )
    expect(shown).toMatchObject({
      full_name: 'Approved Real Owner',
      check: { id: owner.id, verified: null },
      earlier_checks: [
        { id: straw.id, status: 'closed', verified: { name: 'Approved Ada', birthdate: '1985-12-10' } },
      ],
    })
    await submitPerson(owner)
    await eventually(async () => expect(await dueOf()).not.toContain(path))
    expect((await read()).risks).toContain('high_risk_country')
    expect((await operator.get(`/identifications/${straw.id}`)).body.data.kyb_id).toBe(id)
    await list({ external_id: ada.external_id, _destroy: true })
    await untilStatus(api, owner.id, 'closed')
  })
  test('does not meet the requirement under a different name, and gets a new check with a new link', async () => {
    const { id, beneficiaries: people } = await application()
    const [ada] = people.beneficiaries_list
    const path = `beneficiaries.beneficiaries_list.${ada.external_id}.beneficiary_identification`
    const reasons = async () => (await kyb(id)).requirements.reasons
    const person = await open(pathOf(ada))
    await fillInPerson(person, { name: 'Approved Straw', surname: 'Man' })
    await submitPerson(person)
    await untilStatus(api, person.id, 'approved')
    await eventually(async () =>
      expect(await reasons()).toContainEqual(expect.objectContaining({ path, code: 'verified_as_another' })),
    )
    const { body } = await api.post(`/kyb/${id}/beneficiaries/${ada.external_id}/link`, {})
    expect(body.data.verification).toBe('initiated')
    expect((await open(pathOf(body.data))).id).not.toBe(person.id)
    await untilStatus(api, person.id, 'closed')
  })
  test('gets a new link from the client, which revokes the earlier one and its sessions', async () => {
    const { id, beneficiaries: people } = await application()
    const [ada] = people.beneficiaries_list
    const person = await open(pathOf(ada))
    const path = `/kyb/${id}/beneficiaries/${ada.external_id}/link`
    const { status, body } = await api.post(path, {})
    expect([status, body.data.verification]).toEqual([201, 'initiated'])
    expect((await sendForm(baseUrl + pathOf(ada), {})).status).toBe(404)
    expect((await person.get('')).status).toBe(401)
    expect((await open(pathOf(body.data))).id).toBe(person.id)
    expect((await kyb(id)).beneficiaries.beneficiaries_list[0].link).toBe(body.data.link)
    expect((await api.post(`/kyb/${id}/beneficiaries/${unique()}/link`, {})).status).toBe(404)
    const other = await application()
    expect((await api.post(`/kyb/${other.id}/beneficiaries/${ada.external_id}/link`, {})).status).toBe(404)
  })
  test('needs a new link if the link has expired', async () => {
    const { beneficiaries: people } = await application()
    const [ada] = people.beneficiaries_list
    await db.orm
      .update(beneficiaries)
      .set({ tokenExpiresAt: sql`clock_timestamp()` })
      .where(eq(beneficiaries.id, ada.external_id))
    const expired = await sendForm(baseUrl + pathOf(ada))
    expect([expired.status, await expired.text()]).toEqual([
      404,
      expect.stringContaining('Contact First vault.'),
    ])
  })
  test('is closed if removed after submission, but kept with the application until both are erased', async () => {
    const { id, identification_id: companyId, beneficiaries: people } = await application()
    const [ada, charles] = people.beneficiaries_list
    const [sent, closed] = [await open(pathOf(ada)), await open(pathOf(charles))]
    for (const person of [sent, closed]) await fillInPerson(person)
    await submitPerson(sent)
    await api.put(`/identifications/${closed.id}/close`)
    const gone = [ada, charles].map(({ email }) => ({ email, _destroy: true }))
    await api.patch(`/kyb/${id}`, { beneficiaries: { beneficiaries_list: gone } })
    await untilStatus(api, sent.id, 'closed')
    await reconcile(gatehouse)
    for (const person of [sent, closed])
      expect((await recordOf(gatehouse, person.id)).profile.city).toBe('London')
    await api.post(`/sandbox/kyb/${id}/simulate_review`, { outcome: 'rejected' })
    await untilStatus(api, companyId, 'rejected')
    await conclude(gatehouse, companyId, 6)
    await db.orm.update(identifications).set({ legalHold: true }).where(eq(identifications.id, sent.id))
    expect((await eraseHere(gatehouse, { kyb: id })).output).toContain('legal hold')
    await db.orm.update(identifications).set({ legalHold: false }).where(eq(identifications.id, sent.id))
    expect((await eraseHere(gatehouse, { kyb: id })).complete).toBe(true)
    for (const person of [sent, closed]) {
      const record = await recordOf(gatehouse, person.id)
      expect([record.profile, record.erasedAt]).toEqual([{}, expect.any(Date)])
      expect(await filesOf(person.id)).toEqual([])
      const queue = await (await gatehouse.operator()).get('/queue?kind=identification&per_page=100')
      expect(JSON.stringify(queue.body)).not.toContain(person.id)
    }
  })
  test('can be verified if the client has used the same ID for another identification', async () => {
    const { beneficiaries: people } = await application()
    const [ada] = people.beneficiaries_list
    await beginPerson(gatehouse, { external_uuid: ada.external_id })
    expect((await open(pathOf(ada))).id).toBe(ada.external_id)
  })
  test('can start only while the application is open, but can finish afterwards', async () => {
    const { id, beneficiaries: people } = await application()
    const [ada, charles] = people.beneficiaries_list
    await open(pathOf(ada))
    await api.post(`/sandbox/kyb/${id}/simulate_review`, { outcome: 'approved' })
    expect((await sendForm(baseUrl + pathOf(charles), {})).status).toBe(404)
    const renew = (personId: string) => api.post(`/kyb/${id}/beneficiaries/${personId}/link`, {})
    expect((await renew(charles.external_id)).status).toBe(403)
    const { status, body } = await renew(ada.external_id)
    expect(status).toBe(201)
    expect((await open(pathOf(body.data))).id).toBe(ada.external_id)
  })
  test('has no account, and cannot be blocked', async () => {
    const { beneficiaries: people } = await application()
    const [ada] = people.beneficiaries_list
    const person = await open(pathOf(ada))
    await api.post(`/sandbox/identifications/${person.id}/simulate`, { outcome: 'approved' })
    const blocked = await api.post(`/identifications/${person.id}/block`, { reason: 'client_request' })
    expect([blocked.status, blocked.body.errors[0].code]).toEqual([422, 'cannot_block'])
    const operator = await gatehouse.operator()
    expect((await operator.post(`/identifications/${person.id}/accounts`)).status).toBe(422)
  })
  test('is erased by housekeeping if the signal of the removal was lost', async () => {
    const { id: kybId, beneficiaries: people } = await application()
    const [ada, charles] = people.beneficiaries_list
    const person = await open(pathOf(ada))
    await person.post('/consent', { consent: 'yes' })
    for (const { external_id } of [ada, charles]) {
      await db.orm
        .update(beneficiaries)
        .set({ removedAt: sql`clock_timestamp() - interval '1 minute'` })
        .where(eq(beneficiaries.id, external_id))
      const target = { entity: 'identification', id: external_id, vaultId: gatehouse.vaultId } as const
      await insertLostFact(gatehouse, kybId, target, beneficiaryRemoved(external_id))
    }
    await reconcile(gatehouse)
    await eventually(async () => expect((await recordOf(gatehouse, person.id)).erasedAt).not.toBe(null))
    for (const { external_id } of [ada, charles])
      await eventually(async () =>
        expect(await db.orm.$count(beneficiaries, eq(beneficiaries.id, external_id))).toBe(0),
      )
  })
  test('leaves no link, photo or name behind if removed', async () => {
    const { id, beneficiaries: people } = await application()
    const [ada, charles] = people.beneficiaries_list
    const person = await open(pathOf(ada))
    await fillInPerson(person)
    const [file] = await filesOf(person.id)
    const gone = [ada, charles].map(({ email }) => ({ email, _destroy: true }))
    await api.patch(`/kyb/${id}`, { beneficiaries: { beneficiaries_list: gone } })
    await eventually(async () => {
      const record = await recordOf(gatehouse, person.id)
      expect(record.state.verification).toBe('closed')
      expect(record.profile).toEqual({})
    })
    await eventually(async () => expect(await filesOf(person.id)).toEqual([]))
    await eventually(async () => expect(await gatehouse.blobs.keyId(file?.id ?? '')).toBe(null))
    expect((await sendForm(baseUrl + pathOf(ada), {})).status).toBe(404)
    expect((await sendForm(baseUrl + pathOf(charles), {})).status).toBe(404)
    expect((await person.get('')).status).toBe(401)
    for (const each of [ada, charles])
      await eventually(async () =>
        expect(await db.orm.$count(beneficiaries, eq(beneficiaries.id, each.external_id))).toBe(0),
      )
  })
  test('leaves no photo behind if removed while it is uploaded', async () => {
    const { beneficiaries: people } = await application()
    const [ada] = people.beneficiaries_list
    const person = await open(pathOf(ada))
    await person.post('/consent', { consent: 'yes' })
    let inserted = false
    const slow = new ReadableStream<Uint8Array>({
      async start(stream) {
        const head = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n'
        stream.enqueue(Buffer.concat([Buffer.from(head), Buffer.of(0xff, 0xd8, 0xff, 0xe0)]))
        await eventually(async () => expect(await filesOf(person.id)).toHaveLength(1))
        inserted = true
        await eventually(async () => expect(await filesOf(person.id)).toEqual([]))
        stream.enqueue(Buffer.concat([Buffer.alloc(20_000), Buffer.from('\r\n--x--\r\n')]))
        stream.close()
      },
    })
    const sending = fetch(`${baseUrl}${person.base}/files/selfie`, {
      method: 'POST',
      headers: { ...person.headers, 'Content-Type': 'multipart/form-data; boundary=x' },
      body: slow,
      duplex: 'half',
    } as RequestInit)
    await eventually(() => expect(inserted).toBe(true))
    const [file] = await filesOf(person.id)
    const gone = [{ email: ada.email, _destroy: true }]
    await api.patch(`/kyb/${ada.kybId}`, { beneficiaries: { beneficiaries_list: gone } })
    // Either the request or housekeeping removes detached files.
    await eventually(async () => {
      await reconcile(gatehouse)
      expect(await filesOf(person.id)).toEqual([])
    })
    expect((await sending).status).toBeGreaterThanOrEqual(400)
    await eventually(async () => expect(await gatehouse.blobs.keyId(file?.id ?? '')).toBe(null))
  })
})
