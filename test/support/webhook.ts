/** What tests of deliveries share: settings, logs and attempts of an instance. */
import { Client } from '@temporalio/client'
import { NativeConnection } from '@temporalio/worker'
import { asc, eq } from 'drizzle-orm'
import { expect } from 'vitest'
import { webhookAttempts, webhookLogs } from '../../drizzle/schema.ts'
import { TASK_QUEUES } from '../../src/temporal/client.ts'
import { startBatch as start } from '../../src/webhooks/dispatcher.ts'
import { eventually, type Instance, unique } from './instance.ts'

/** Sends the identification topic to these URLs and everything else nowhere. */
export async function deliverTo(gatehouse: Instance, ...urls: string[]): Promise<void> {
  const { status } = await gatehouse.api.put('/users/update_webhook', {
    webhook_url: { identification: urls, account: [] },
  })
  expect(status).toBe(200)
}

export const secretOf = async (gatehouse: Instance): Promise<string> =>
  (await gatehouse.api.get('/users/settings')).body.data.webhook_secret

/** Creates an application, whose identification_created is the one event, and gives its log. */
export async function causeEvent(gatehouse: Instance) {
  const kybId = await gatehouse.api.createKyb()
  const { body } = await gatehouse.api.get(`/kyb/${kybId}`)
  return logOf(gatehouse, body.data.identification_id)
}

export async function logOf(gatehouse: Instance, identificationId: string) {
  const rows = await gatehouse.db.orm.select().from(webhookLogs)
  const row = rows.find(({ payload }) => payload.includes(identificationId))
  if (!row) throw new Error('the event has no log')
  return row
}

export async function readLog(gatehouse: Instance, id: string) {
  const [row] = await gatehouse.db.orm.select().from(webhookLogs).where(eq(webhookLogs.id, id))
  if (!row) throw new Error('there is no such log')
  return row
}

/** The log once its state is final. */
export const settledLog = (gatehouse: Instance, id: string, withinMs = 50_000) =>
  eventually(async () => {
    const row = await readLog(gatehouse, id)
    if (row.status === 'pending' || row.status === 'processing') throw new Error(`still ${row.status}`)
    return row
  }, withinMs)

export const attemptsOf = (gatehouse: Instance, id: string) =>
  gatehouse.db.orm
    .select()
    .from(webhookAttempts)
    .where(eq(webhookAttempts.webhookLogId, id))
    .orderBy(asc(webhookAttempts.number), asc(webhookAttempts.url))

/** Runs one pass of the reconciler now. */
export const reconcile = (gatehouse: Instance) =>
  gatehouse.temporal.workflow.execute('housekeeping', {
    workflowId: `housekeeping-${unique()}`,
    taskQueue: TASK_QUEUES.housekeeping,
  })

/** Starts a batch as a worker does. */
export async function startBatch(gatehouse: Instance, batchId: string, ids: readonly string[]) {
  const connection = await NativeConnection.connect({ address: gatehouse.config.TEMPORAL_ADDRESS })
  await start(new Client({ connection, namespace: gatehouse.name }), batchId, ids)
  await connection.close()
}
