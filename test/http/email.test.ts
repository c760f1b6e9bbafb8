/** Tests emails to applicants: the link, the limits, refusals by the mail server, and hostile values. */
import { eq } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { emails, verificationLinks } from '../../drizzle/schema.ts'
import { eventually, startInstance, unique } from '../support/instance.ts'
import { startMailServer } from '../support/mail-server.ts'

const server = await startMailServer()
const gatehouse = await startInstance({
  env: { SMTP_URL: server.url, MAIL_FROM: 'no-reply@onboarding.example.com' },
})
const { api, db, vaultId } = gatehouse
const operator = await gatehouse.operator()
await gatehouse.startWorker()
afterAll(async () => {
  await gatehouse.stop()
  await server.stop()
})

const newAddress = () => `${unique()}@client.example.com`
const setVault = async (changes: object) => {
  const { status } = await operator.patch(`/vaults/${vaultId}`, changes)
  expect(status).toBe(200)
}
await setVault({ emails: true })

async function start(more: object = {}) {
  const email = newAddress()
  const { status, body } = await api.post('/identifications/create_identify_process', {
    type: 'kyc',
    email,
    ...more,
  })
  expect(status).toBe(201)
  return { email, id: body.data.identification_id as string, url: body.data.url as string, body: body.data }
}

const rowsOf = (id: string) => db.orm.select().from(emails).where(eq(emails.identificationId, id))
const untilStatus = (id: string, status: string) =>
  eventually(async () => {
    const [row] = await rowsOf(id)
    expect(row?.status).toBe(status)
    return row
  })
const timelineOf = async (id: string): Promise<{ action: string; internal_note: string | null }[]> => {
  const { body } = await operator.get(`/identifications/${id}/timeline`)
  return body.data
}

describe('the link', () => {
  test('is sent once, with the name and the link that the response contains', async () => {
    const { email, id, url } = await start({ name: 'Ada', surname: 'Lovelace' })
    const received = await server.untilReceived(email)
    expect(received).toMatchObject({ from: 'no-reply@onboarding.example.com', to: [email] })
    expect(received.headers['message-id']).toMatch(/^<[\da-f-]{36}@onboarding\.example\.com>$/)
    expect(received.text).toContain('Hello Ada Lovelace,')
    expect(received.text).toContain(url)
    expect(received.html).toContain(`href="${url}"`)
    await untilStatus(id, 'sent')
    expect((await fetch(gatehouse.baseUrl + new URL(url).pathname)).status).toBe(200)
    expect(await timelineOf(id)).toContainEqual(expect.objectContaining({ action: 'email_sent' }))
    expect(server.receivedBy(email)).toHaveLength(1)
  })

  test('is sent again if the client requests a new one', async () => {
    const external_uuid = unique()
    const { email } = await start({ external_uuid })
    await server.untilReceived(email)
    const again = await start({ external_uuid, email })
    const { text } = await server.untilReceived(email, 2)
    expect(text).toContain(again.url)
  })

  test('is not sent if the vault has emails off, or if the client sends no address', async () => {
    const without = await start({ email: undefined })
    await setVault({ emails: false })
    const off = await start()
    await setVault({ emails: true })
    for (const { id } of [without, off]) expect(await rowsOf(id)).toEqual([])
    const [link] = await db.orm
      .select()
      .from(verificationLinks)
      .where(eq(verificationLinks.identificationId, off.id))
    expect(link).toMatchObject({ email: null, token: null })
  })
})
