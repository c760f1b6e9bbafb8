/** Tests that a flood of creations does not delay commands, although each creation starts a workflow. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { Client } from 'undici'
import { afterAll, expect, test } from 'vitest'
import { TASK_QUEUES } from '../../src/temporal/client.ts'
import { eventually, startInstance } from '../support/instance.ts'

const IS_FULL = process.env.CHAOS === 'full'
const [CREATIONS, CALLERS] = IS_FULL ? [500, 100] : [80, 20]
/** The limit for a command if no other test runs at the same time. */
const SLOW_MS = 5_000
/** The limit for workflow tasks in the Temporal backlog. Without the workflow starter, there would be hundreds. */
const MAX_WAITING_TASKS = 20
const STARTED_WITHIN_MS = 90_000

const gatehouse = await startInstance()
const { api, baseUrl, credentials, db, temporal, name } = gatehouse
/** Uses a separate connection, because the requests of the flood queue on the shared one. */
const caller = new Client(baseUrl)
const headers = { Authorization: credentials.api_key, 'Content-Type': 'application/json' }
afterAll(async () => {
  await caller.close()
  await gatehouse.stop()
})

async function unstarted(): Promise<number> {
  const [row] = await db.orm.execute<{ count: number }>(sql`
    SELECT count(*)::int FROM (
      SELECT FROM kyb_applications WHERE workflow_started_at IS NULL
      UNION ALL SELECT FROM identifications WHERE workflow_started_at IS NULL
    ) AS unstarted`)
  return row?.count ?? 0
}

async function waitingTasks(): Promise<number> {
  const { stats } = await temporal.workflowService.describeTaskQueue({
    namespace: name,
    taskQueue: { name: TASK_QUEUES.entities },
    taskQueueType: 1, // workflow tasks
    reportStats: true,
  })
  return Number(stats?.approximateBacklogCount ?? 0)
}

test('refuses and delays no command during a flood of creations, and starts every workflow', async () => {
  await gatehouse.spawnWorker()
  const known = await api.createKyb()
  const patch = async () => {
    const began = performance.now()
    const body = JSON.stringify({ usage_of_account: { usage: crypto.randomUUID() } })
    const asked = { method: 'PATCH', path: `/v1/kyb/${known}`, headers, body } as const
    const { statusCode: status, body: answer } = await caller.request(asked)
    await answer.dump()
    return { status, ms: performance.now() - began }
  }
  await patch()

  let left = CREATIONS
  let most = 0
  const create = async () => {
    while (left-- > 0) await api.createKyb()
  }
  const flood = Promise.all(Array.from({ length: CALLERS }, create))
  const commands: { status: number; ms: number }[] = []
  const started = flood.then(() =>
    eventually(async () => expect(await unstarted()).toBe(0), STARTED_WITHIN_MS),
  )
  let over = false
  started.finally(() => (over = true)).catch(() => {})
  while (!over) {
    commands.push(await patch())
    most = Math.max(most, await waitingTasks())
    await sleep(50)
  }
  await started

  const slowest = Math.max(...commands.map(({ ms }) => ms))
  console.log(
    `${commands.length} commands, the slowest ${Math.round(slowest)} ms; ${most} tasks waited at most`,
  )
  expect(commands.filter(({ status }) => status !== 200)).toEqual([])
  if (IS_FULL) expect(slowest).toBeLessThan(SLOW_MS)
  expect(most).toBeLessThanOrEqual(MAX_WAITING_TASKS)
})
