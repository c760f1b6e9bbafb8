/** Tests what the client, the applicant and operators see after a removal, with and without a hold, and after it. */
import { eq, inArray } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { keptValues, timeline } from '../../../drizzle/schema.ts'
import { transaction } from '../../../src/db/connection/database.ts'
import { setLegalHold } from '../../../src/db/removal/retention.ts'
import { BY_COMMAND_LINE } from '../../../src/domain/access/audit.ts'
import { searchCases } from '../../../src/use-cases/review/queue.ts'
import { blobFolderOf, blobsIn } from '../../support/checks.ts'
import { beginCompany, sendForm, startForm } from '../../support/hosted-page.ts'
import { createImported } from '../../support/identification.ts'
import { eventually, sharedInstance, unique } from '../../support/instance.ts'
import { completeSections, UBO } from '../../support/kyb.ts'
import { beginPerson, fillInPerson, openPerson, PERSON } from '../../support/person-page.ts'
import { photoFile, photograph } from '../../support/photo.ts'
import { reconcile } from '../../support/webhook.ts'

const gatehouse = await sharedInstance({ worker: true })
const { api, baseUrl, db } = gatehouse
const operator = await gatehouse.operator()
const folder = blobFolderOf(gatehouse.config)

/** A hold, and how it ends. */
type Held = (ids: { readonly own: string; readonly other: string }) => Promise<() => Promise<unknown>>

const legalHold = async (id: string) => {
  const set = (on: boolean) => transaction(db, (tx) => setLegalHold(tx, BY_COMMAND_LINE, id, on))
  expect(await set(true)).toBe(null)
  return () => set(false)
}
const placeHold: Held = async ({ own }) => {
  const aCase = { owner: 'transaction_monitoring', reason: 'aml_review', services: ['trades'] }
  const opened = await operator.post(`/identifications/${own}/cases`, aCase)
  expect(opened.status).toBe(201)
  return async () => expect((await operator.post(`/cases/${opened.body.data.id}/close`)).status).toBe(200)
}
const HOLDS: Record<string, Held> = {
  'a legal hold': ({ own }) => legalHold(own),
  'an internal hold': placeHold,
  'a legal hold of a related identification': ({ other }) => legalHold(other),
}
const NO_HOLD: Record<string, Held> = { 'no hold': async () => async () => undefined }

const read = async (path: string) => (await operator.get(path)).body.data
const bytesOf = (id: string) => operator.get(`/files/${id}`)
const isStored = async (id: string) => (await blobsIn(folder)).some((name) => name.includes(id))
const keptOf = (id: string) => db.orm.$count(keptValues, eq(keptValues.entityId, id))

async function begunPerson() {
  const kyb = await api.post('/kyb', {
    external_id: unique(),
    beneficiaries: {
      beneficiaries_list: [{ email: UBO, full_name: 'Ada Lovelace', roles: ['director'] }],
    },
  })
  const [ada] = kyb.body.data.beneficiaries.beneficiaries_list
  const person = await openPerson(baseUrl, new URL(ada.link).pathname)
  await fillInPerson(person, {}, ['selfie'])
  return { person, other: kyb.body.data.identification_id as string }
}
type Person = Awaited<ReturnType<typeof begunPerson>>['person']

/** How a person removes data, and the fields and photos that are then gone. */
const OF_PERSON: Record<
  string,
  [remove: (person: Person) => Promise<Response>, gone: Record<string, string>]
> = {
  'withdraws consent': [
    (person) => person.post('/consent', { consent: 'no' }),
    { birthdate: PERSON.details.birthdate, document_number: PERSON.document.document_number, selfie: '' },
  ],
  'clears a field, removes a photo, and chooses a document without a back': [
    async (person) => {
      await person.post('/details', { ...PERSON.details, phone: '' })
      await person.post('/files/selfie/remove')
      return person.post('/document', { ...PERSON.document, document_number: 'Y1' })
    },
    { phone: PERSON.details.phone, document_number: PERSON.document.document_number, selfie: '' },
  ],
  'replaces a photo': [
    async (person) => person.upload('selfie', photoFile(await photograph())),
    { selfie: '' },
  ],
}

describe('a person', () => {
  const cases = Object.entries(OF_PERSON).flatMap(([how, [remove, gone]]) =>
    Object.entries({ ...NO_HOLD, ...HOLDS }).map(([hold, held]) => ({ how, remove, gone, hold, held })),
  )
  test.each(cases)('who $how under $hold', async ({ remove, gone, hold, held }) => {
    const { person, other } = await begunPerson()
    const { id } = person
    const before = await read(`/identifications/${id}`)
    const photo = before.files.find((file: { attribute: string }) => file.attribute === 'selfie').id
    const lift = await held({ own: id, other })
    const answer = await remove(person)
    expect([200, 303]).toContain(answer.status)

    const isHeld = hold !== 'no hold'
    const after = await read(`/identifications/${id}`)
    const values = Object.keys(gone).filter((name) => name !== 'selfie')
    const removed = after.removed.map(({ path }: { path: string }) => path)
    for (const name of values) {
      if (isHeld) expect(removed).toContain(name)
      else expect(after.profile[name]).not.toBe(gone[name])
      // A value without a successor remains in the profile that operators see.
      if (isHeld && name !== 'document_number') expect(after.profile[name]).toBe(gone[name])
    }
    const ids = after.files.map((file: { id: string }) => file.id)
    if ('selfie' in gone) {
      expect(ids.includes(photo)).toBe(isHeld)
      expect((await bytesOf(photo)).status).toBe(isHeld ? 200 : 404)
      expect(await (await person.get('/check')).text()).not.toContain(photo)
      expect((await person.get(`/files/${photo}`)).status).toBe(404)
      if (isHeld) expect(await isStored(photo)).toBe(true)
    }
    const shown = await (await person.get('/details')).text()
    for (const name of values) expect(shown).not.toContain(gone[name])

    await lift()
    await reconcile(gatehouse)
    await eventually(async () => expect(await keptOf(id)).toBe(0))
    const later = await read(`/identifications/${id}`)
    expect(later.removed).toEqual([])
    if ('selfie' in gone) {
      expect(later.files.map((file: { id: string }) => file.id)).not.toContain(photo)
      expect((await bytesOf(photo)).status).toBe(404)
      if (isHeld) await eventually(async () => expect(await isStored(photo)).toBe(false))
    }
  })

  test.each(Object.entries({ ...NO_HOLD, ...HOLDS }))(
    'never erases internal notes, under %s',
    async (_hold, held) => {
      const { person, other } = await begunPerson()
      await held({ own: person.id, other })
      const notes = 'Looks forged.'
      await db.orm
        .update(timeline)
        .set({ notes: db.encryption.sealJson({ internal_note: notes }, `timeline.notes:${person.id}`) })
        .where(eq(timeline.entityId, person.id))
      expect((await person.post('/consent', { consent: 'no' })).status).toBe(200)
      const entries = await read(`/identifications/${person.id}/timeline`)
      expect(entries.some(({ internal_note }: { internal_note: string }) => internal_note === notes)).toBe(
        true,
      )
    },
  )

  test('starts again with an empty form after a withdrawal under a legal hold', async () => {
    const link = await beginPerson(gatehouse)
    const person = await openPerson(baseUrl, link)
    await fillInPerson(person, {}, ['selfie'])
    await legalHold(person.id)
    await person.post('/consent', { consent: 'no' })
    const again = await openPerson(baseUrl, link)
    await again.post('/consent', { consent: 'yes' })
    for (const page of ['/document', '/details', '/document_front'])
      expect(await (await again.get(page)).text()).not.toMatch(/X1234567|1985-12-10|Ockham/)
    await again.post('/document', { ...PERSON.document, document_number: 'Z9' })
    const { profile, removed } = await read(`/identifications/${person.id}`)
    expect(profile).toMatchObject({ document_number: 'Z9', birthdate: '1985-12-10' })
    expect(removed).toContainEqual(
      expect.objectContaining({ path: 'document_number', value: PERSON.document.document_number }),
    )
  })

  test('loses no value that the client replaces under a legal hold', async () => {
    const id = await createImported(api, { name: 'Ada', city: 'London' })
    await legalHold(id)
    expect((await api.put(`/identifications/${id}`, { city: 'Paris' })).status).toBe(200)
    expect((await read(`/identifications/${id}`)).removed).toMatchObject([{ path: 'city', value: 'London' }])
  })
})

/** The people of a company. The first one opens the link, and so has an identification of their own. */
const PEOPLE = [UBO, 'grace@example.com', 'joan@example.com', 'mary@example.com']

async function begunCompany() {
  const begun = await beginCompany(gatehouse, unique())
  const form = await startForm(baseUrl, begun)
  const identification = form.base.split('/').at(-1) ?? ''
  const { kyb_id: id } = await read(`/identifications/${identification}`)
  const { nature_of_business } = completeSections()
  const beneficiaries_list = PEOPLE.map((email) => ({
    email,
    full_name: 'Ada Lovelace',
    roles: ['director'],
  }))
  const sections = { nature_of_business, beneficiaries: { beneficiaries_list } }
  expect((await api.patch(`/kyb/${id}`, sections)).status).toBe(200)
  const upload = async (attribute: string, email?: string): Promise<string> =>
    (await api.upload(id, { attribute, ...(email && { email }) })).body.id
  const { data } = (await api.get(`/kyb/${id}`)).body
  const owners: { external_id: string; link: string }[] = data.beneficiaries.beneficiaries_list
  const post = (path: string, more: object = {}) =>
    sendForm(`${baseUrl}${form.base}${path}`, { _csrf: form.csrf, ...more }, form.headers)
  const person = await openPerson(baseUrl, new URL(owners[0]?.link ?? '').pathname)
  return {
    id,
    identification,
    upload,
    owners: owners.map((each) => each.external_id),
    post,
    other: person.id,
  }
}

describe('a company', () => {
  test.each(Object.entries({ ...NO_HOLD, ...HOLDS }))(
    'that removes documents, values and people under %s',
    async (hold, held) => {
      const company = await begunCompany()
      const { id, identification, upload, owners, post, other } = company
      const patch = (sections: object) => api.patch(`/kyb/${id}`, sections)
      const remove = (blob_key: string, attribute_key: string) =>
        api.put(`/kyb/delete_file/${id}`, { blob_key, attribute_key })
      const documents = [
        await upload('legal_structures'),
        await upload('legal_structures'),
        await upload('articles_of_association'),
      ] as const
      const proofs: string[] = []
      for (const email of PEOPLE) proofs.push(await upload('proof_address', email))
      const lift = await held({ own: identification, other })
      for (const removal of [
        () => remove(documents[0], 'legal_structures'),
        () => post(`/files/legal_structures/${documents[1]}/remove`),
        () => patch({ business_files: { articles_of_association: null } }),
        () => patch({ nature_of_business: { legal_company_name: null, description_activity: 'Other' } }),
        () => remove(proofs[0] ?? '', 'proof_address'),
        () => patch({ beneficiaries: { beneficiaries_list: [{ external_id: owners[1], _destroy: true }] } }),
        () => post(`/owners/${owners[2]}/remove`),
      ])
        expect([200, 303]).toContain((await removal()).status)

      const isHeld = hold !== 'no hold'
      const text = async (whose: Pick<typeof api, 'get'>) => {
        const { duplicates: _, ...data } = (await whose.get(`/kyb/${id}`)).body.data
        return JSON.stringify(data)
      }
      const expectPeople = async (kept: readonly number[]) => {
        const { beneficiaries } = await read(`/kyb/${id}`)
        const shown = beneficiaries.beneficiaries_list.map(
          (each: { external_id: string }) => each.external_id,
        )
        expect(shown.toSorted()).toEqual((isHeld ? owners : kept.map((n) => owners[n])).toSorted())
      }
      await expectPeople([0, 3])
      expect((await patch({ beneficiaries: { beneficiaries_list: null } })).status).toBe(200)
      await expectPeople([])

      const { legal_company_name, description_activity } = completeSections().nature_of_business
      const files = [...documents, ...proofs]
      const gone = [...files, legal_company_name, description_activity]
      const [seen, kept] = [await text(api), await text(operator)]
      for (const old of gone) {
        expect(seen).not.toContain(old)
        expect([old, kept.includes(old)]).toEqual([old, isHeld])
      }
      for (const file of files) {
        expect((await bytesOf(file)).status).toBe(isHeld ? 200 : 404)
        expect((await api.get(`/kyb/${id}/files/${file}`)).status).toBe(404)
        const attached = await patch({ business_files: { legal_structures: [{ id: file }] } })
        expect(attached.body.errors).toMatchObject([{ code: 'unknown_file' }])
      }
      await lift()
      await reconcile(gatehouse)
      await eventually(async () => expect(await keptOf(id)).toBe(0))
      const later = await text(operator)
      for (const old of gone) expect(later).not.toContain(old)
      if (isHeld)
        for (const file of files) await eventually(async () => expect(await isStored(file)).toBe(false))
    },
  )
})

test('erases a removed person’s unsubmitted check only after the hold', async () => {
  const { person, other } = await begunPerson()
  const [{ id: kybId }] = (await api.get('/kyb')).body.data.filter(
    (each: { identification_id: string }) => each.identification_id === other,
  )
  const lift = await legalHold(person.id)
  await api.patch(`/kyb/${kybId}`, { beneficiaries: { beneficiaries_list: null } })
  await eventually(async () => expect(await keptOf(person.id)).toBe(1))
  expect((await read(`/identifications/${person.id}`)).profile).toMatchObject({ city: 'London' })
  await lift()
  await reconcile(gatehouse)
  await eventually(async () => expect((await read(`/identifications/${person.id}`)).profile).toEqual({}))
  expect(await db.orm.$count(keptValues, inArray(keptValues.entityId, [person.id, kybId]))).toBe(0)
})

describe('a search for removed values', () => {
  const search = async (q: string) => {
    const { entries } = await searchCases({ db }, BY_COMMAND_LINE, 'all', q, { page: 1, per_page: 50 })
    return entries.map(({ id }) => id)
  }
  const lookUp = async (query: Record<string, string>, path = 'identifications') => {
    const { body } = await operator.get(`/${path}?${new URLSearchParams(query)}`)
    return body.data.map(({ id }: { id: string }) => id)
  }

  test('finds a person by an earlier name and email only under a hold', async () => {
    const [surname, email] = [`Vexoria${unique().slice(0, 8)}`, `${unique()}@example.com`]
    const person = await openPerson(baseUrl, await beginPerson(gatehouse))
    await fillInPerson(person, { name: 'Zoltana', surname, email }, [])
    const { id } = person
    const lift = await legalHold(id)
    expect((await person.post('/details', PERSON.details)).status).toBe(303)
    expect(await search(`zoltana ${surname.slice(0, 12)}`)).toContain(id)
    expect(await search(email)).toContain(id)
    expect(await lookUp({ name: 'Zoltana', surname })).toContain(id)
    expect(await lookUp({ email })).toContain(id)
    await lift()
    await reconcile(gatehouse)
    await eventually(async () => expect(await keptOf(id)).toBe(0))
    expect(await search(`zoltana ${surname.slice(0, 12)}`)).not.toContain(id)
    expect(await search(email)).not.toContain(id)
    expect(await lookUp({ name: 'Zoltana', surname })).not.toContain(id)
  })

  test('finds a company by its earlier name and a removed person under a hold', async () => {
    const { id, identification } = await begunCompany()
    const name = `Vexoria${unique().slice(0, 8)} Lantern`
    const person = `Mirela Quast${unique().slice(0, 8)}`
    const patch = (legal: string, full: string) =>
      api.patch(`/kyb/${id}`, {
        nature_of_business: { legal_company_name: legal },
        beneficiaries: { beneficiaries_list: [{ email: UBO, full_name: full }] },
      })
    expect((await patch(name, person)).status).toBe(200)
    const lift = await legalHold(identification)
    await patch('Other', 'Ada Lovelace')
    for (const query of [name, name.slice(0, 11), person, `quast${person.slice(12, 18)}`])
      expect(await search(query)).toContain(id)
    expect(await lookUp({ name }, 'kyb')).toContain(id)
    await lift()
    await reconcile(gatehouse)
    await eventually(async () => expect(await keptOf(id)).toBe(0))
    for (const query of [name, person]) expect(await search(query)).not.toContain(id)
  })
})
