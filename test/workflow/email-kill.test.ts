/** Tests that a killed worker or Temporal loses no email, and that a repeated email has the same ID. */
import { eq, sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { emails } from '../../drizzle/schema.ts'
import { startWithEmails } from '../support/email-instance.ts'
import { eventually } from '../support/instance.ts'
import { spawnProcess } from '../support/processes.ts'
import { reconcile as runHousekeeping } from '../support/webhook.ts'

const { server, gatehouse, start, statusOf } = await startWithEmails()

test('an email whose workflow Temporal has lost or completed is sent after `reconcile`', async () => {
  const { id, email } = await start()
  const { db, env } = gatehouse
  const ofCase = eq(emails.identificationId, id)
  const [row] = await db.orm
    .update(emails)
    .set({ workflowStartedAt: sql`clock_timestamp()` })
    .where(ofCase)
    .returning()
  const worker = await gatehouse.startWorker()
  await runHousekeeping(gatehouse)
  expect(server.receivedBy(email)).toHaveLength(0)
  await spawnProcess('src/cli/main.ts', env, 'reconcile').ended
  await runHousekeeping(gatehouse)
  await server.untilReceived(email)
  await eventually(async () => expect(await statusOf(id)).toBe('sent'))

  // A restored backup is older than Temporal, in which the workflow is complete.
  if (!row) throw new Error('the email has no row')
  await db.orm.update(emails).set(row).where(ofCase)
  await spawnProcess('src/cli/main.ts', env, 'reconcile').ended
  await runHousekeeping(gatehouse)
  await server.untilReceived(email, 2)
  await worker.stop()
})

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
