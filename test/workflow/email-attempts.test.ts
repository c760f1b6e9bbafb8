/** Tests that two attempts never send an email at the same time, and that a result is recorded even if this fails at first. */
import { MockActivityEnvironment } from '@temporalio/testing'
import { eq } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import type { ActivityDeps } from '../../activities/deps.ts'
import { createEmailActivities } from '../../activities/email.ts'
import { emails } from '../../drizzle/schema.ts'
import { createMailer } from '../../src/process/mailer.ts'
import { createLeases } from '../../src/webhooks/leases.ts'
import { eventually, startInstance, unique } from '../support/instance.ts'
import { startMailServer } from '../support/mail-server.ts'

const server = await startMailServer()
const env = { SMTP_URL: server.url, MAIL_FROM: 'no-reply@onboarding.example.com' }
const gatehouse = await startInstance({ env })
const { api, db, vaultId, log } = gatehouse
await (await gatehouse.operator()).patch(`/vaults/${vaultId}`, { emails: true })

/** Returns the activity with its own lease, as in a separate worker process. */
function newProcess() {
  const leases = createLeases({ db, log })
  const emailLimits = { perAddress: 10, perVault: 100 }
  const deps = { db, leases, log, emailLimits, mailer: createMailer(env), publicUrl: gatehouse.baseUrl }
  const { sendEmail } = createEmailActivities(deps as unknown as ActivityDeps)
  return {
    send: (id: string): Promise<void> => new MockActivityEnvironment().run(sendEmail, id),
    stop: leases.stop,
  }
}
const [one, other] = [newProcess(), newProcess()]

afterAll(async () => {
  await Promise.all([one.stop(), other.stop()])
  await gatehouse.stop()
  await server.stop()
})

async function start() {
  const to = `${unique()}@client.example.com`
  const { body } = await api.post('/identifications/create_identify_process', { type: 'kyc', email: to })
  const [row] = await db.orm
    .select()
    .from(emails)
    .where(eq(emails.identificationId, body.data.identification_id))
  return { to, id: row?.id ?? '' }
}
const statusOf = async (id: string) =>
  (await db.orm.select().from(emails).where(eq(emails.id, id)))[0]?.status
const untilSending = (to: string) => eventually(() => expect(server.receivedBy(to)).toHaveLength(1))

describe('a second attempt', () => {
  test.each([
    ['the same process', one],
    ['another process', other],
  ])('of %s does not send the email while the first one may', async (_, second) => {
    const { to, id } = await start()
    const held = server.hold()
    const first = one.send(id)
    await untilSending(to)
    await expect(second.send(id)).rejects.toMatchObject({ type: 'held' })
    held.release()
    await first
    await second.send(id)
    expect([await statusOf(id), server.receivedBy(to).length]).toEqual(['sent', 1])
  })

  test('of another process sends the email if the first one has failed', async () => {
    const { to, id } = await start()
    server.refuse(to, 'recipient', { code: 451, message: '4.7.1 try again' })
    await expect(one.send(id)).rejects.toMatchObject({ type: 'not_accepted' })
    await other.send(id)
    expect([await statusOf(id), server.receivedBy(to).length]).toEqual(['sent', 1])
  })
})

test('an attempt records its result even if the database refuses it at first', async () => {
  const { to, id } = await start()
  const held = server.hold()
  const sending = one.send(id)
  await untilSending(to)
  await gatehouse.asOwner(`ALTER TABLE emails ADD CONSTRAINT refused CHECK (status <> 'sent') NOT VALID`)
  held.release()
  await expect(other.send(id)).rejects.toMatchObject({ type: 'held' })
  await gatehouse.asOwner('ALTER TABLE emails DROP CONSTRAINT refused')
  await sending
  expect([await statusOf(id), server.receivedBy(to).length]).toEqual(['sent', 1])
})
