/** An instance that sends emails, for tests. */
import { eq } from 'drizzle-orm'
import { afterAll } from 'vitest'
import { emails } from '../../drizzle/schema.ts'
import { startInstance, unique } from './instance.ts'
import { startMailServer } from './mail-server.ts'

/** Starts an instance with a mail server of its own. Emails are on in its vault. Both stop after the tests of the file. */
export async function startWithEmails(options: Parameters<typeof startInstance>[0] = {}) {
  const server = await startMailServer()
  const env = { SMTP_URL: server.url, MAIL_FROM: 'no-reply@onboarding.example.com' }
  const gatehouse = await startInstance({ ...options, env: { ...options.env, ...env } })
  afterAll(async () => {
    await gatehouse.stop()
    await server.stop()
  })
  const { api, db, vaultId } = gatehouse
  const operator = await gatehouse.operator()
  await operator.patch(`/vaults/${vaultId}`, { emails: true })
  return {
    server,
    gatehouse,
    operator,
    /** Creates a verification, whose link is sent to the returned address. */
    async start() {
      const email = `${unique()}@client.example.com`
      const { body } = await api.post('/identifications/create_identify_process', { type: 'kyc', email })
      return { email, id: body.data.identification_id as string }
    },
    /** Returns the status of the email with the link. */
    statusOf: async (id: string) =>
      (await db.orm.select().from(emails).where(eq(emails.identificationId, id)))[0]?.status,
  }
}
