/** Tests emails to the owners and directors of a company with the links to their own verifications. */
import { and, eq, isNotNull, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { beneficiaries, emails } from '../../../drizzle/schema.ts'
import { transaction } from '../../../src/db/connection/database.ts'
import { insertPersonLinks, remindPerson } from '../../../src/db/email/person-notice.ts'
import { TYPING_SECONDS } from '../../../src/domain/email/notice.ts'
import { startWithEmails } from '../../support/email-instance.ts'
import { companyPages, sendForm } from '../../support/hosted-page.ts'
import { eventually, unique } from '../../support/instance.ts'
import { completeSections } from '../../support/kyb.ts'
import { fillInPerson, openPerson, submitPerson } from '../../support/person-page.ts'

const { server, gatehouse, operator } = await startWithEmails()
const { api, baseUrl, db, vaultId } = gatehouse
await gatehouse.startWorker()
const setVault = (changes: object) => operator.patch(`/vaults/${vaultId}`, changes)
await setVault({ emails: true, languages: ['en', 'de', 'pl'] })

const newAddress = () => `${unique()}@client.example.com`
const withPeople = (people: object[]) => {
  const sections = completeSections()
  return { ...sections, beneficiaries: { ...sections.beneficiaries, beneficiaries_list: people } }
}
const ADA = { full_name: 'Ada Lovelace', roles: ['ubo', 'director'], stake_in_company: '60' }

async function begin(email = newAddress(), more: object = {}) {
  const id = await api.createKyb(unique(), withPeople([{ ...ADA, email, ...more }]))
  return { id, email, ...(await personOf(id)) }
}
async function personOf(id: string) {
  const { data } = (await api.get(`/kyb/${id}`)).body
  const [{ external_id: personId, link }] = data.beneficiaries.beneficiaries_list
  return { personId: personId as string, link: link as string }
}
const patchPerson = async (id: string, person: object) => {
  const { status } = await api.patch(`/kyb/${id}`, { beneficiaries: { beneficiaries_list: [person] } })
  expect(status).toBe(200)
}
const rowsOf = (personId: string) =>
  db.orm.select().from(emails).where(eq(emails.beneficiaryId, personId)).orderBy(emails.id)
const untilEnded = (personId: string) =>
  eventually(async () => {
    const statuses = (await rowsOf(personId)).map(({ status }) => status)
    expect(statuses).not.toContain('pending')
    return statuses
  })
const pathIn = ({ text }: { text: string }) => {
  const [, url = ''] = /(http\S+\/verify\/\S+)/.exec(text) ?? []
  return new URL(url).pathname
}

describe('the link', () => {
  test('is sent once to a person of a new application, and names the company', async () => {
    const { id, email, personId, link } = await begin()
    const { headers, text, html } = await server.untilReceived(email)
    expect(headers.subject).toBe('Verify your identity for First vault')
    expect(text).toContain('Hello Ada Lovelace,')
    expect(text).toContain('Analytical Engines Ltd has named you as an owner in its application')
    expect(text).toContain(link)
    expect(html).toContain(`href="${link}"`)
    expect(await untilEnded(personId)).toEqual(['sent'])
    await patchPerson(id, { external_id: personId, full_name: 'Ada King' })
    expect(await rowsOf(personId)).toHaveLength(1)
    const { body } = await operator.get(`/kyb/${id}/timeline`)
    expect(body.data).toContainEqual(expect.objectContaining({ action: 'email_sent', internal_note: 'link' }))
    // The address is not kept after the end.
    expect((await rowsOf(personId))[0]?.address).toBeNull()
  })

  test('is sent to a person who is added later, and to a new address', async () => {
    const id = await api.createKyb(unique(), withPeople([]))
    const [first, second] = [newAddress(), newAddress()]
    await patchPerson(id, { ...ADA, email: first })
    const { link, personId } = await personOf(id)
    expect((await server.untilReceived(first)).text).toContain(link)
    await patchPerson(id, { external_id: personId, email: second })
    expect((await server.untilReceived(second)).text).toContain(link)
    expect(await untilEnded(personId)).toEqual(['sent', 'sent'])
  })

  test('is sent again if the client renews it', async () => {
    const { id, email, personId } = await begin()
    await server.untilReceived(email)
    const { body } = await api.post(`/kyb/${id}/beneficiaries/${personId}/link`)
    expect((await server.untilReceived(email, 2)).text).toContain(body.data.link)
  })

  test('is not sent with emails off, or after the documents were uploaded', async () => {
    await setVault({ emails: false })
    const { id, personId } = await begin()
    await setVault({ emails: true })
    expect(await rowsOf(personId)).toEqual([])
    const uploaded = await api.upload(id, { attribute: 'beneficiary_identification', external_id: personId })
    expect(uploaded.status).toBe(201)
    await patchPerson(id, { external_id: personId, email: newAddress() })
    expect(await untilEnded(personId)).toEqual(['dropped'])
  })

  test('omits a name of the company that could be more than a name', async () => {
    const email = newAddress()
    const sections = withPeople([{ ...ADA, email }])
    sections.nature_of_business.legal_company_name = 'Win a prize at https://evil.example/a'
    await api.createKyb(unique(), sections)
    const { text } = await server.untilReceived(email)
    expect(text).not.toContain('evil')
    expect(text).toContain('asks you to verify your identity')
  })
})

/** Returns a function that writes an email with the link to a person of the application, which is sent after a delay. */
async function writerTo(id: string, person: { id: string; address: string }) {
  const { data } = (await api.get(`/kyb/${id}`)).body
  const about = { vaultId, identificationId: data.identification_id as string }
  return (delay: number) => transaction(db, (tx) => insertPersonLinks(tx, about, [person], { delay }))
}

describe('an address that an applicant enters', () => {
  const { begin: beginForm, kybOf, send, signIn } = companyPages(gatehouse)
  const field = 'beneficiaries.beneficiaries_list.new.'

  test('gets the email after a pause, and only if it is still the address', async () => {
    const externalUuid = unique()
    const { base, headers, csrf } = await signIn(await beginForm(externalUuid))
    const [typed, final] = [newAddress(), newAddress()]
    const form = { _csrf: csrf, [`${field}email`]: typed, [`${field}full_name`]: 'Ada Lovelace' }
    expect((await send(`${base}/owners/new`, form, headers)).status).toBe(303)
    const { id } = await kybOf(externalUuid)
    const { personId } = await personOf(id)
    const [row] = await rowsOf(personId)
    expect(Number(row?.dueAt) - Number(row?.createdAt)).toBeCloseTo(TYPING_SECONDS * 1_000, -5)
    await patchPerson(id, { external_id: personId, email: final })
    await server.untilReceived(final)
    expect(server.receivedBy(typed)).toEqual([])
  })

  test('is skipped after the pause if a newer email has the same link', async () => {
    const { id, personId, email } = await begin()
    await server.untilReceived(email)
    const write = await writerTo(id, { id: personId, address: email })
    await write(2)
    await write(1)
    gatehouse.notifier.notify([id])
    await server.untilReceived(email, 2)
    expect((await untilEnded(personId)).sort()).toEqual(['dropped', 'sent', 'sent'])
  })

  test('is not written to after the removal of the person', async () => {
    const { id, personId, email } = await begin()
    await server.untilReceived(email)
    const write = await writerTo(id, { id: personId, address: email })
    await patchPerson(id, { external_id: personId, _destroy: true })
    await write(0)
    gatehouse.notifier.notify([id])
    expect((await untilEnded(personId)).sort()).toEqual(['dropped', 'sent'])
  })
})

describe('reminders', () => {
  const silentFor = async (id: string, personId: string, days: number) => {
    const past = sql`clock_timestamp() - make_interval(days => ${days}::int)`
    await db.orm
      .update(beneficiaries)
      .set({ remindAt: sql`clock_timestamp()`, tokenExpiresAt: sql`${past} + interval '7 days'` })
      .where(and(eq(beneficiaries.id, personId), isNotNull(beneficiaries.remindAt)))
    await remindPerson(db, personId)
    gatehouse.notifier.notify([id])
  }
  const noticesOf = async (personId: string) => (await rowsOf(personId)).map(({ notice }) => notice)

  test('follow after three and seven days of silence, with a new link if the first has expired', async () => {
    const { id, email, personId, link } = await begin()
    await server.untilReceived(email)
    await silentFor(id, personId, 2)
    expect(await noticesOf(personId)).toEqual(['link'])
    await silentFor(id, personId, 3)
    expect((await server.untilReceived(email, 2)).text).toContain(link)
    await silentFor(id, personId, 8)
    const { text } = await server.untilReceived(email, 3)
    expect(text).not.toContain(link)
    expect((await fetch(baseUrl + pathIn({ text }))).status).toBe(200)
    await silentFor(id, personId, 30)
    expect(await noticesOf(personId)).toEqual(['link', 'reminder', 'reminder'])
  })

  test('end with one click', async () => {
    const { id, email, personId } = await begin()
    await server.untilReceived(email)
    await silentFor(id, personId, 3)
    const { headers } = await server.untilReceived(email, 2)
    const [, url = ''] = /^<(.+)>$/.exec(headers['list-unsubscribe'] ?? '') ?? []
    const page = baseUrl + new URL(url).pathname
    expect((await fetch(page)).status).toBe(200)
    const clicked = await fetch(page, {
      method: 'POST',
      body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
    })
    expect(clicked.status).toBe(200)
    await silentFor(id, personId, 7)
    expect(await noticesOf(personId)).toEqual(['link', 'reminder'])
    const { body } = await operator.get(`/kyb/${id}/timeline`)
    expect(body.data).toContainEqual(expect.objectContaining({ action: 'reminders_declined' }))
  })

  test('stop when the person has submitted the verification', async () => {
    const { id, email, personId, link } = await begin()
    await server.untilReceived(email)
    const person = await openPerson(baseUrl, new URL(link).pathname)
    await fillInPerson(person)
    await submitPerson(person)
    await silentFor(id, personId, 7)
    expect(await noticesOf(personId)).toEqual(['link'])
  })
})

describe('the language', () => {
  test('is that of the pages that the person read last, if the vault offers it', async () => {
    const { id, email, personId, link } = await begin()
    await server.untilReceived(email)
    const person = await openPerson(baseUrl, new URL(link).pathname)
    const polish = { ...person.headers, 'Accept-Language': 'pl' }
    expect((await sendForm(`${baseUrl}${person.base}/consent`, undefined, polish)).status).toBe(200)
    await api.post(`/kyb/${id}/beneficiaries/${personId}/link`)
    expect((await server.untilReceived(email, 2)).headers.subject).toContain('Weryfikacja')
    await setVault({ languages: ['en', 'de'] })
    await api.post(`/kyb/${id}/beneficiaries/${personId}/link`)
    const { headers } = await server.untilReceived(email, 3)
    await setVault({ languages: ['en', 'de', 'pl'] })
    expect(headers.subject).toContain('Verify')
  })

  test('is that of the company’s form until the person has opened the link', async () => {
    const { begin: beginForm, kybOf, send, signIn } = companyPages(gatehouse)
    const externalUuid = unique()
    const { base, headers } = await signIn(await beginForm(externalUuid))
    await send(base, undefined, { ...headers, 'Accept-Language': 'de' })
    const email = newAddress()
    await patchPerson((await kybOf(externalUuid)).id, { ...ADA, email })
    expect((await server.untilReceived(email)).headers.subject).toContain('Identitätsprüfung')
  })
})

test('a company’s link is sent to the address of a request for a new one', async () => {
  const id = await api.createKyb(unique(), {})
  const email = newAddress()
  const { status, body } = await api.post(`/kyb/${id}/form_link`, { email })
  expect(status).toBe(201)
  const { text } = await server.untilReceived(email)
  expect(text).toContain(body.data.url)
  expect((await api.post(`/kyb/${id}/form_link`, { email: 'x' })).status).toBe(422)
})
