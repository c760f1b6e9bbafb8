/** Tests that workflows that cannot be started do not block others. */
import { eq } from 'drizzle-orm'
import { afterAll, expect, test } from 'vitest'
import { kybApplications } from '../../drizzle/schema.ts'
import type { Logger } from '../../src/process/log.ts'
import { createStarter } from '../../src/temporal/starter.ts'
import { eventually, startInstance } from '../support/instance.ts'
import { workersClient } from '../support/webhook.ts'

const gatehouse = await startInstance()
afterAll(() => gatehouse.stop())

test('starts later workflows despite many failures, and the failed workflows as soon as they can start', async () => {
  const { api, db } = gatehouse
  const messages: string[] = []
  const log = {
    ...gatehouse.log,
    info: (text: string) => messages.push(text),
    warn() {},
  } as unknown as Logger
  const temporal = await workersClient(gatehouse)
  const poison = new Set<string>()
  // Each application has an identification.
  for (let n = 0; n < 3; n += 1) {
    const id = await api.createKyb()
    const { body } = await api.get(`/kyb/${id}`)
    poison.add(id).add(body.data.identification_id)
  }
  const behind = await api.createKyb()
  const start = (type: string, options: { workflowId: string }) =>
    [...poison].some((id) => options.workflowId.endsWith(id))
      ? Promise.reject(new Error('it cannot be started'))
      : temporal.workflow.start(type, options as never)
  const workflow = Object.create(temporal.workflow, { start: { value: start } })
  const starter = createStarter({
    db,
    log,
    temporal: Object.create(temporal, { workflow: { value: workflow } }),
  })
  const untilStarted = (id: string) =>
    eventually(async () => {
      starter.resume()
      const [row] = await db.orm
        .select({ at: kybApplications.workflowStartedAt })
        .from(kybApplications)
        .where(eq(kybApplications.id, id))
      expect(row?.at).not.toBeNull()
    })
  await untilStarted(behind)
  // The log does not report a recovery at this point.
  expect(messages).not.toContain('workflow starts have resumed')
  const [first = ''] = poison
  poison.clear()
  await untilStarted(first)
  await starter.stop()
  await temporal.connection.close()
})
