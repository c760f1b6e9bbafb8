/** Adds search attributes and the housekeeping schedule to a Temporal namespace, and waits until they can be used. */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Client,
  type Connection,
  ScheduleAlreadyRunning,
  type ScheduleOptions,
  type ScheduleOptionsStartWorkflowAction,
  ScheduleOverlapPolicy,
} from '@temporalio/client'
import type { housekeeping } from '../../workflows/housekeeping.ts'
import { SEARCH_ATTRIBUTES } from '../../workflows/search-attributes.ts'
import { connectTemporal, requireSupportedServer, TASK_QUEUES, type TemporalAddress } from './client.ts'

/** The value of `INDEXED_VALUE_TYPE_KEYWORD` in Temporal's API. */
const KEYWORD = 2
export const SCHEDULE_ID = 'gatehouse-housekeeping'
const EVERY = '20 seconds'
const DAY_SECONDS = 86_400
const PAUSE_MS = 100
const MAX_TRIES = 300

interface TemporalSetup extends TemporalAddress {
  /**
   * Whether to limit the retention of ended histories to one day, because the development server stores all histories
   * in one file.
   */
  readonly embedded: boolean
}

/** Sets up the namespace. Must run before the first worker starts, and can run again. */
export async function setupTemporal({ embedded, ...address }: TemporalSetup): Promise<void> {
  const client = connectTemporal(address)
  try {
    await requireSupportedServer(client.connection.workflowService)
    if (embedded) await setRetention(client, address.namespace)
    await registerSearchAttributes(client, address.namespace)
    await createSchedule(client)
  } finally {
    await client.connection.close()
  }
}

async function setRetention({ connection }: Client, namespace: string): Promise<void> {
  await connection.workflowService.updateNamespace({
    namespace,
    config: { workflowExecutionRetentionTtl: { seconds: DAY_SECONDS as never } },
  })
}

/**
 * Registers the attributes and waits until all of them can be used, because an unregistered one makes every start fail.
 */
async function registerSearchAttributes({ connection }: Client, namespace: string): Promise<void> {
  const { operatorService } = connection as Connection
  const names = Object.values(SEARCH_ATTRIBUTES).map((key) => key.name)
  const { customAttributes } = await operatorService.listSearchAttributes({ namespace })
  const absent = names.filter((name) => customAttributes?.[name] === undefined)
  if (absent.length > 0) {
    await operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(absent.map((name) => [name, KEYWORD])),
    })
  }
  // Servers cache the registered attributes, so listing them is not enough. A query that uses them must succeed.
  const query = names.map((name) => `${name} = 'none'`).join(' OR ')
  for (let tries = 1; ; tries += 1) {
    try {
      await connection.workflowService.countWorkflowExecutions({ namespace, query })
      return
    } catch (error) {
      if (tries === MAX_TRIES) throw error
      await sleep(PAUSE_MS)
    }
  }
}

async function createSchedule(client: Client): Promise<void> {
  const options: Omit<
    ScheduleOptions<ScheduleOptionsStartWorkflowAction<typeof housekeeping>>,
    'scheduleId'
  > = {
    spec: { intervals: [{ every: EVERY }] },
    action: {
      type: 'startWorkflow',
      workflowType: 'housekeeping',
      workflowId: SCHEDULE_ID,
      taskQueue: TASK_QUEUES.entities,
      workflowExecutionTimeout: '2 minutes',
    },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
  }
  try {
    await client.schedule.create({ scheduleId: SCHEDULE_ID, ...options })
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
    await client.schedule.getHandle(SCHEDULE_ID).update(({ state }) => ({ ...options, state }))
  }
}
