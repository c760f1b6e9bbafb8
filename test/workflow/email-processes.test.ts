/** Tests that three workers share the emails, and that a killed one causes only the documented repetitions. */
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

/** The maximum number of emails that one worker sends at the same time. */
const AT_ONCE = 5
const EMAILS = 30

test('three workers send each email once, except those that a killed one was sending', async () => {
  const workers = await Promise.all([1, 2, 3].map(() => gatehouse.spawnWorker()))
  const held = server.hold()
  const started = await Promise.all(Array.from({ length: EMAILS }, start))
  // The server has these emails, but the workers do not get its responses.
  await eventually(() => expect(server.received).toHaveLength(workers.length * AT_ONCE))
  const unanswered = new Set(server.received.flatMap(({ to }) => to))
  workers[0]?.kill('SIGKILL')
  held.release()
  for (const { id } of started) await eventually(async () => expect(await statusOf(id)).toBe('sent'))
  const copies = started.map(({ email }) => server.receivedBy(email))
  expect(copies.every((each) => each.length === 1 || each.length === 2)).toBe(true)
  const twice = copies.filter((each) => each.length === 2)
  expect(twice.length).toBeLessThanOrEqual(AT_ONCE)
  for (const [first, second] of twice) {
    expect(unanswered).toContain(first?.to[0])
    expect(second?.headers['message-id']).toBe(first?.headers['message-id'])
  }
})
