/** Tests the erasure of identifications and applications that are unfinished. */
import { eq, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { emails, identifications, kybApplications, verificationLinks } from '../../drizzle/schema.ts'
import { changeLegalHold } from '../../src/cli/erasure.ts'
import { remind } from '../../src/db/email/notice.ts'
import { startWithEmails } from '../support/email-instance.ts'
import { eraseHere } from '../support/erasure.ts'
import { createSoftKyc, untilStatus } from '../support/identification.ts'
import { eventually, unique } from '../support/instance.ts'
import { agePendingFacts } from '../support/pending-fact.ts'
import { fillInPerson, openPerson, submitPerson } from '../support/person-page.ts'
import { reconcile } from '../support/webhook.ts'

const { server, gatehouse, operator } = await startWithEmails()
const { api, baseUrl, db, temporal } = gatehouse
await gatehouse.startWorker()

async function start(type: 'kyc' | 'kyb', more: object = {}) {
  const { body } = await api.post('/identifications/create_identify_process', { type, ...more })
  return { id: body.data.identification_id as string, path: new URL(body.data.url).pathname }
}

/** Lets days pass without a change to the case. */
async function pass(id: string, days: number): Promise<void> {
  const past = sql`make_interval(days => ${days}::int)`
  const { updatedAt, waitingSince } = identifications
  await db.orm
    .update(identifications)
    .set({ updatedAt: sql`${updatedAt} - ${past}`, waitingSince: sql`${waitingSince} - ${past}` })
    .where(eq(identifications.id, id))
  await db.orm
    .update(kybApplications)
    .set({ updatedAt: sql`${kybApplications.updatedAt} - ${past}` })
    .where(eq(kybApplications.identificationId, id))
  const { createdAt, remindAt } = verificationLinks
  await db.orm
    .update(verificationLinks)
    .set({ createdAt: sql`${createdAt} - ${past}`, remindAt: sql`${remindAt} - ${past}` })
    .where(eq(verificationLinks.identificationId, id))
  const { createdAt: writtenAt } = emails
  await db.orm
    .update(emails)
    .set({ createdAt: sql`${writtenAt} - ${past}` })
    .where(eq(emails.identificationId, id))
}

const erase = (sendsEmails = false) => eraseHere(gatehouse, { due: true }, { sendsEmails })
const preview = async () => (await eraseHere(gatehouse, { due: true }, { dryRun: true })).output
const kybOf = async (id: string) =>
  (await db.orm.select().from(kybApplications).where(eq(kybApplications.identificationId, id)))[0]
const isEnded = async (workflowId: string) =>
  (await temporal.workflow.getHandle(workflowId).describe()).status.name === 'COMPLETED'

describe('an unfinished case', () => {
  test('of a person is closed and erased after 180 days of silence', async () => {
    const { id, path } = await start('kyc', { name: 'Ada', surname: 'Lovelace' })
    const person = await openPerson(baseUrl, path)
    await person.post('/consent', { consent: 'yes' })
    await pass(id, 179)
    expect(await preview()).not.toContain(id)
    const { output } = await eraseHere(gatehouse, { identification: id })
    expect(output).toMatch(/because it is unfinished, and it is due on \d{4}-\d\d-\d\d if nothing changes/)
    await pass(id, 1)
    expect(await preview()).toMatch(new RegExp(`Would erase identification ${id} \\(unfinished, due since`))
    await erase()
    const { data } = (await api.get(`/identifications/${id}`)).body
    expect(data).toMatchObject({ status: 'closed', name: '', erased_at: expect.any(Number) })
    expect((await person.post('/details', { name: 'Ada' })).status).toBe(401)
    const { body } = await api.get(`/webhook_logs?type=identification&status=all&search=${id}`)
    expect(JSON.stringify(body.data)).toContain('identification_closed')
    await agePendingFacts(gatehouse, id)
    await reconcile(gatehouse)
    await eventually(async () => expect(await isEnded(`identification-${id}`)).toBe(true))
    const timeline = (await operator.get(`/identifications/${id}/timeline`)).body.data
    expect(timeline.slice(-2).map(({ action }: { action: string }) => action)).toEqual(['close', 'erased'])
  })

  test('of a company is closed with its application, which cannot be continued', async () => {
    const { id } = await start('kyb', { external_uuid: unique() })
    const kyb = await kybOf(id)
    await api.patch(`/kyb/${kyb?.id}`, { nature_of_business: { legal_company_name: 'Analytical Engines' } })
    await pass(id, 181)
    await erase()
    const refused = await api.patch(`/kyb/${kyb?.id}`, { nature_of_business: { phone: '+442012345678' } })
    expect(refused.body.errors).toMatchObject([{ code: 'kyb_abandoned' }])
    await agePendingFacts(gatehouse, id)
    await reconcile(gatehouse)
    await eventually(async () => expect((await kybOf(id))?.status).toBe('abandoned'))
    await eventually(async () => expect(await isEnded(`kyb-${kyb?.id}`)).toBe(true))
    expect(JSON.stringify((await api.get(`/kyb/${kyb?.id}`)).body)).not.toContain('Analytical Engines')
  })

  test('stays if anything changes, or if the client requests a new link', async () => {
    const external_uuid = unique()
    const [changed, linked] = [await start('kyb'), await start('kyc', { external_uuid })]
    for (const { id } of [changed, linked]) await pass(id, 181)
    const kyb = await kybOf(changed.id)
    await api.patch(`/kyb/${kyb?.id}`, { nature_of_business: { legal_company_name: 'Analytical Engines' } })
    await start('kyc', { external_uuid })
    const output = await preview()
    for (const { id } of [changed, linked]) expect(output).not.toContain(id)
  })

  test('stays under a legal hold, which the command counts', async () => {
    const { id } = await start('kyc')
    await pass(id, 181)
    const say = () => {}
    await changeLegalHold({ db, say }, id, true)
    const { output } = await erase()
    expect(output).not.toContain(id)
    expect(output).toMatch(/cannot be erased because of a legal hold/)
    await changeLegalHold({ db, say }, id, false)
  })

  test('that was submitted, or that waits on someone else, stays', async () => {
    const { id, path } = await start('kyc')
    const person = await openPerson(baseUrl, path)
    await fillInPerson(person, { name: 'Attention Ada' })
    await submitPerson(person)
    await untilStatus(api, id, 'attention')
    const other = await createSoftKyc(api)
    for (const each of [id, other]) await pass(each, 400)
    const output = await preview()
    for (const each of [id, other]) expect(output).not.toContain(each)
  })
})

test('an unfinished case with an address gets a last reminder two weeks before its erasure', async () => {
  const email = `${unique()}@client.example.com`
  const { id } = await start('kyc', { email })
  const silent = async (days: number) => {
    await pass(id, days)
    await remind(db, id, 180)
    gatehouse.notifier.notify([id])
  }
  // An email that is not sent yet would grow too old.
  await server.untilReceived(email)
  await silent(3)
  await server.untilReceived(email, 2)
  await silent(4)
  await server.untilReceived(email, 3)
  await pass(id, 180)
  expect((await erase(true)).output).not.toContain(id)
  await remind(db, id, 180)
  gatehouse.notifier.notify([id])
  const { headers, text } = await server.untilReceived(email, 4)
  expect(headers.subject).toContain('will erase your details')
  expect(headers['list-unsubscribe-post']).toBeDefined()
  expect(text).toMatch(/after \d+ \w+ \d{4}/)
  // The new link in the reminder is no activity of the applicant.
  await pass(id, 16)
  expect((await erase(true)).output).not.toContain(id)
  await pass(id, 1)
  expect((await erase(true)).output).toContain(`Erased ${id}.`)
})
