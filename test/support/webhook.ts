/** Helpers for tests of deliveries: settings, logs and attempts of an instance. */
import { Client } from '@temporalio/client'
import { NativeConnection } from '@temporalio/worker'
import { and, asc, eq, inArray, like } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import { expect } from 'vitest'
import { webhookAttempts, webhookLogs } from '../../drizzle/schema.ts'
import { lowestIdAt } from '../../src/db/connection/id-time.ts'
import { sealedFor } from '../../src/db/connection/sealed.ts'
import type { Topic } from '../../src/domain/base/topics.ts'
import type { LogStatus } from '../../src/domain/webhook/events.ts'
import { TASK_QUEUES } from '../../src/temporal/client.ts'
import { SCHEDULE_ID } from '../../src/temporal/setup.ts'
import { startBatch as start } from '../../src/temporal/webhook-deliveries.ts'
import type { Api } from './api.ts'
import { eventually, type Instance, unique } from './instance.ts'

/** Sends the identification topic to these URLs, and all other topics to none. */
export async function deliverTo(gatehouse: Instance, ...urls: string[]): Promise<void> {
  const { status } = await gatehouse.api.put('/users/update_webhook', {
    webhook_url: { identification: urls, account: [] },
  })
  expect(status).toBe(200)
}

export const secretOf = async (gatehouse: Instance): Promise<string> =>
  (await gatehouse.api.get('/users/settings')).body.data.webhook_secret

/** Creates an application and returns the log of its only event, identification_created. */
export async function causeEvent(gatehouse: Instance) {
  const kybId = await gatehouse.api.createKyb()
  const { body } = await gatehouse.api.get(`/kyb/${kybId}`)
  return logOf(gatehouse, body.data.identification_id)
}

/** Returns an event about a new identification that does not exist. */
export const creationEvent = (external_uuid = unique()) => ({
  name: 'identification_created' as const,
  attributes: { identification_uuid: newId(), external_uuid, version: 1, status: 'initiated' as const },
})

/** Returns the log of an identification event. */
export async function logOf(gatehouse: Instance, identificationId: string) {
  const { topic, payload } = webhookLogs
  const [row] = await gatehouse.db.orm
    .select()
    .from(webhookLogs)
    .where(and(eq(topic, 'identification'), like(payload, `%${identificationId}%`)))
    .limit(1)
  if (!row) throw new Error('the event has no log')
  return row
}

export async function readLog(gatehouse: Instance, id: string) {
  const [row] = await gatehouse.db.orm.select().from(webhookLogs).where(eq(webhookLogs.id, id))
  if (!row) throw new Error('there is no such log')
  return row
}

/** Publishes this number of events of a topic. Returns the IDs of their logs. */
export async function publish(
  operator: Api,
  vaultId: string,
  topic: string,
  count: number,
): Promise<string[]> {
  const event = { vault_id: vaultId, topic, event: `${topic}_made`, attributes: { status: 'open' } }
  const { status, body } = await operator.post('/events', Array(count).fill(event))
  expect(status).toBe(202)
  return body.data.flatMap(({ webhook_log_ids }: { webhook_log_ids: string[] }) => webhook_log_ids)
}

export const readLogs = ({ db }: Instance, ids: readonly string[]) =>
  db.orm
    .select()
    .from(webhookLogs)
    .where(inArray(webhookLogs.id, [...ids]))

/** Waits for the final status of a log and returns the log. */
export const settledLog = (gatehouse: Instance, id: string) =>
  eventually(async () => {
    const row = await readLog(gatehouse, id)
    if (row.status === 'pending' || row.status === 'processing') throw new Error(`still ${row.status}`)
    return row
  })

/** Returns the attempts of a log with decrypted excerpts. */
export async function attemptsOf({ db }: Instance, id: string) {
  const rows = await db.orm
    .select()
    .from(webhookAttempts)
    .where(eq(webhookAttempts.webhookLogId, id))
    .orderBy(asc(webhookAttempts.number), asc(webhookAttempts.url))
  const context = sealedFor('webhook_attempts.excerpt', id)
  return rows.map(({ excerpt, ...row }) => ({
    ...row,
    excerpt: excerpt && db.encryption.unseal(excerpt, context).toString(),
  }))
}

/** Runs one pass of housekeeping. */
export const reconcile = (gatehouse: Instance) =>
  gatehouse.temporal.workflow.execute('housekeeping', {
    workflowId: `housekeeping-${unique()}`,
    taskQueue: TASK_QUEUES.entities,
  })

/**
 * Ends the scheduled passes of housekeeping, so that only those of the test run. Must be called without a worker, because
 * a pass that has started waits for one.
 */
export async function stopScheduledPasses({ temporal }: Pick<Instance, 'temporal'>): Promise<void> {
  const schedule = temporal.schedule.getHandle(SCHEDULE_ID)
  await schedule.pause()
  const { info } = await schedule.describe()
  for (const { workflow } of info.runningActions)
    await temporal.workflow.getHandle(workflow.workflowId).terminate()
}

/** Returns a batch ID old enough for recovery by housekeeping. */
export const oldBatchId = () => newId({ msecs: Date.now() - 11_000 })

/** Returns a client with its own connection, as workers have. The caller must close the connection. */
export const workersClient = async ({ config, name }: Instance): Promise<Client> =>
  new Client({
    connection: await NativeConnection.connect({ address: config.TEMPORAL_ADDRESS }),
    namespace: name,
  })

/** Starts a batch as a worker does. */
export async function startBatch(gatehouse: Instance, batchId: string, ids: readonly string[]) {
  const temporal = await workersClient(gatehouse)
  await start(temporal, batchId, ids)
  await temporal.connection.close()
}

export interface LogValues {
  readonly id?: string
  readonly topic?: Topic
  readonly eventTopic?: Topic
  readonly status?: LogStatus
  readonly text?: string
  readonly failReason?: string
  readonly urlsDestiny?: string[]
  readonly createdAt?: Date
  /** The name of the event in the payload. */
  readonly name?: string
  /** The whole body of the event, instead of one with `name` and `text`. */
  readonly payload?: string
}

/** Inserts logs of deliveries, each newer than the one before. Returns their IDs. */
export async function insertLogs({ db }: Instance, vaultId: string, ...logs: LogValues[]): Promise<string[]> {
  const rows = logs.map(({ text = '', name = 'account_created', createdAt, ...log }) => ({
    id: createdAt ? lowestIdAt(createdAt).slice(0, 14) + newId().slice(14) : newId(),
    vaultId,
    topic: 'account' as const,
    status: 'completed' as const,
    payload: JSON.stringify({ data: { event: name, attributes: { event_id: newId(), text } } }),
    urlsDestiny: ['https://receiver.example/hook'],
    retries: 2,
    ...(createdAt && { createdAt }),
    ...log,
  }))
  await db.orm.insert(webhookLogs).values(rows)
  return rows.map(({ id }) => id)
}
