/** Tests emails to a client's administrators about a webhook URL that fails, and that works again. */
import { eq, sql } from 'drizzle-orm'
import { afterAll, expect, test } from 'vitest'
import { emails, vaultUsers, webhookFailingUrls } from '../../drizzle/schema.ts'
import { historyText } from '../support/history.ts'
import { eventually, startInstance } from '../support/instance.ts'
import { startMailServer } from '../support/mail-server.ts'
import { signedIn } from '../support/people.ts'
import { startReceiver } from '../support/receiver.ts'
import { reconcile } from '../support/webhook.ts'
import { vaultWith } from '../support/webhook-url.ts'

const server = await startMailServer()
const gatehouse = await startInstance({
  env: { SMTP_URL: server.url, MAIL_FROM: 'no-reply@onboarding.example.com' },
})
await gatehouse.startWorker()
const operator = await gatehouse.operator()
afterAll(async () => {
  await gatehouse.stop()
  await server.stop()
})
const { db } = gatehouse

async function seat(vaultId: string, role: string): Promise<{ id: string; email: string }> {
  const { email, id } = await signedIn(gatehouse, 'client', { vaults: [{ id: vaultId, roles: [role] }] })
  return { email, id }
}

/** Makes a new vault's only URL fail for an hour. */
async function failing(isOn = true) {
  const answer = { status: 500 }
  const receiver = await startReceiver((res) => res.writeHead(answer.status).end())
  const url = `${receiver.url}/private?token=secret`
  const vault = await vaultWith(gatehouse, url)
  const { vaultId } = vault
  await operator.patch(`/vaults/${vaultId}`, { emails: isOn })
  const admins = [await seat(vaultId, 'client_admin'), await seat(vaultId, 'client_admin')] as const
  const viewer = await seat(vaultId, 'client_viewer')
  const ofVault = eq(webhookFailingUrls.vaultId, vaultId)
  const untilFailing = (count: number) =>
    eventually(async () => expect(await db.orm.$count(webhookFailingUrls, ofVault)).toBe(count))
  await vault.publish(1)
  await untilFailing(1)
  const age = () =>
    db.orm
      .update(webhookFailingUrls)
      .set({ failingSince: sql`failing_since - interval '1 hour'` })
      .where(ofVault)
  const recover = async () => {
    answer.status = 200
    await vault.publish(1)
    await untilFailing(0)
  }
  return { vaultId, id: vault.idOf(url), host: new URL(url).host, admins, viewer, age, recover, receiver }
}
const rowsOf = (vaultId: string) =>
  db.orm.select().from(emails).where(eq(emails.vaultId, vaultId)).orderBy(emails.createdAt)
const untilEnded = (vaultId: string, count: number) =>
  eventually(async () => {
    const rows = await rowsOf(vaultId)
    expect([rows.length, rows.filter(({ status }) => status === 'pending').length]).toEqual([count, 0])
    return rows
  })

test('each administrator gets one email per failure, and one on recovery', async () => {
  const { vaultId, id, host, admins, viewer, age, recover, receiver } = await failing()
  await age()
  await Promise.all([reconcile(gatehouse), reconcile(gatehouse)])
  await reconcile(gatehouse)
  for (const { email } of admins) {
    const { headers, text, html } = await server.untilReceived(email)
    expect(headers.subject).toBe(`${host} does not accept webhooks`)
    expect(text).toContain(`/console/client/${vaultId}/webhooks/urls/${id}`)
    expect(text + html).not.toMatch(/secret|private|valid until|password/)
    expect(text).toContain('You receive this email because you administer the webhooks of')
  }
  await recover()
  await reconcile(gatehouse)
  for (const { email } of admins) {
    const { headers } = await server.untilReceived(email, 2)
    expect(headers.subject).toBe(`${host} accepts webhooks again`)
  }
  const rows = await untilEnded(vaultId, 4)
  expect(rows.map(({ status }) => status)).toEqual(Array(4).fill('sent'))
  expect(server.receivedBy(viewer.email)).toEqual([])
  expect(rows.map(({ address }) => address)).toEqual(Array(4).fill(null))
  expect(await historyText(gatehouse, `email-${rows[0]?.id}`)).not.toContain(admins[0].email)
  await receiver.stop()
})

test('an email is not sent if the administrator has lost the seat, or the URL already works', async () => {
  const { vaultId, admins, age, recover, receiver } = await failing()
  const [first, second] = admins
  const later = { code: 451, message: '4.7.1 later' }
  for (const { email } of admins) server.refuse(email, 'recipient', later, later, later, later)
  await age()
  await reconcile(gatehouse)
  await eventually(() => expect(server.attempts).toEqual(expect.arrayContaining([first.email, second.email])))
  await db.orm.delete(vaultUsers).where(eq(vaultUsers.userId, first.id))
  await recover()
  for (const { email } of admins) server.refuse(email, 'recipient')
  await reconcile(gatehouse)
  const { headers } = await server.untilReceived(second.email)
  expect(headers.subject).toContain('accepts webhooks again')
  const rows = await untilEnded(vaultId, 3)
  expect(rows.map(({ notice, status }) => [notice, status])).toEqual([
    ['webhook_failing', 'dropped'],
    ['webhook_failing', 'dropped'],
    ['webhook_recovered', 'sent'],
  ])
  expect(server.receivedBy(first.email)).toEqual([])
  await receiver.stop()
})

test('no email is written if the vault sends no emails', async () => {
  const { vaultId, age, receiver } = await failing(false)
  await age()
  await reconcile(gatehouse)
  expect(await rowsOf(vaultId)).toEqual([])
  await receiver.stop()
})
