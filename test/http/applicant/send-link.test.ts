/** Tests links that an administrator of a client sends by email from the console. */
import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { verificationLinks } from '../../../drizzle/schema.ts'
import { openConsole } from '../../support/console.ts'
import { startWithEmails } from '../../support/email-instance.ts'
import { eventually, unique } from '../../support/instance.ts'
import { PASSWORD, signedIn } from '../../support/people.ts'

const { server, gatehouse, operator } = await startWithEmails()
const { api, db, vaultId, baseUrl } = gatehouse
await gatehouse.startWorker()
const setEmails = (isOn: boolean) => operator.patch(`/vaults/${vaultId}`, { emails: isOn })

const HOME = `/console/client/${vaultId}`
const { email: user } = await signedIn(gatehouse, 'client', {
  vaults: [{ id: vaultId, roles: ['client_admin'] }],
})
const admin = await openConsole(baseUrl, { email: user, password: PASSWORD })
const newAddress = () => `${unique()}@client.example.com`

const company = async () => {
  const { body } = await api.post('/kyb', { external_id: unique() })
  const { id, identification_id: identificationId } = body.data
  return { path: `${HOME}/kyb/${id}`, identificationId: identificationId as string }
}
const person = async () => {
  const { body } = await api.post('/identifications/create_identify_process', { type: 'kyc' })
  const identificationId = body.data.identification_id as string
  return { path: `${HOME}/identifications/${identificationId}`, identificationId }
}

test.each([
  ['company', company],
  ['person', person],
])('a new link of a %s is sent, opens the form, and is then the address of reminders', async (_, create) => {
  const { path, identificationId } = await create()
  expect(await admin.text(path)).toContain('name="email"')
  const email = newAddress()
  const page = await (await admin.post(`${path}/link`, { email })).text()
  expect(page).toContain('Gatehouse sends this link by email')
  const { text } = await server.untilReceived(email)
  const [link = ''] = /http\S+\/verify\/\S+/.exec(text) ?? []
  expect(page).toContain(link)
  expect((await fetch(baseUrl + new URL(link).pathname)).status).toBe(200)
  const ofLink = eq(verificationLinks.identificationId, identificationId)
  const [row] = await db.orm.select().from(verificationLinks).where(ofLink)
  expect(row?.remindAt).not.toBeNull()
  await eventually(() => expect(server.receivedBy(email)).toHaveLength(1))
})

test('a link is only shown if the form has no address, and changes nothing with a wrong one', async () => {
  const { path, identificationId } = await company()
  const ofLink = eq(verificationLinks.identificationId, identificationId)
  const page = await (await admin.post(`${path}/link`, { email: '' })).text()
  expect(page).toContain('Send this link to the applicant')
  const [before] = await db.orm.select().from(verificationLinks).where(ofLink)
  for (const email of ['nonsense', 'a@x.example, b@x.example', 'a@x.example\r\nBcc: b@x.example']) {
    const refused = await admin.post(`${path}/link`, { email })
    expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('name="email"')])
  }
  expect(await db.orm.select().from(verificationLinks).where(ofLink)).toEqual([before])
})

test('the form has no address if the vault sends no emails, and a sent one is ignored', async () => {
  const { path } = await company()
  await setEmails(false)
  expect(await admin.text(path)).not.toContain('name="email"')
  const page = await (await admin.post(`${path}/link`, { email: newAddress() })).text()
  expect(page).toContain('Send this link to the applicant')
  await setEmails(true)
})
