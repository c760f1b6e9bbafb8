/** Tests that a killed worker loses no email, and that a repeated email has the same ID. */
import { eq } from 'drizzle-orm'
import { afterAll, expect, test } from 'vitest'
import { emails } from '../../drizzle/schema.ts'
import { eventually, startInstance, unique } from '../support/instance.ts'
import { startMailServer } from '../support/mail-server.ts'

const server = await startMailServer()
const gatehouse = await startInstance({
  env: { SMTP_URL: server.url, MAIL_FROM: 'no-reply@onboarding.example.com' },
})
const { api, db, vaultId } = gatehouse
afterAll(async () => {
  await gatehouse.stop()
  await server.stop()
})
await (await gatehouse.operator()).patch(`/vaults/${vaultId}`, { emails: true })

async function start() {
  const email = `${unique()}@client.example.com`
  const { body } = await api.post('/identifications/create_identify_process', { type: 'kyc', email })
  return { email, id: body.data.identification_id as string }
}
const statusOf = async (id: string) =>
  (await db.orm.select().from(emails).where(eq(emails.identificationId, id)))[0]?.status

test('an email written without a worker, or while a worker dies, is sent by the next one', async () => {
  const before = await start()
  const dying = await gatehouse.spawnWorker()
  await server.untilReceived(before.email)
  const held = server.hold()
  const during = await start()
  // The server has the whole email, but the worker does not get its response.
  await eventually(() => expect(server.receivedBy(during.email)).toHaveLength(1))
  dying.kill('SIGKILL')
  held.release()
  expect(await statusOf(during.id)).toBe('pending')
  const after = await start()
  await gatehouse.startWorker()
  await server.untilReceived(after.email)
  const repeated = await server.untilReceived(during.email, 2)
  const [first] = server.receivedBy(during.email)
  expect(repeated.headers['message-id']).toBe(first?.headers['message-id'])
  for (const { id } of [before, during, after])
    await eventually(async () => expect(await statusOf(id)).toBe('sent'))
  expect(server.receivedBy(before.email)).toHaveLength(1)
})
