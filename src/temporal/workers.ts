/** The workers of a process: one per task queue, so that nothing waits behind deliveries. */

import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import {
  bundleWorkflowCode,
  DefaultLogger,
  makeTelemetryFilterString,
  NativeConnection,
  Runtime,
  TransportError,
  Worker,
  type WorkflowBundle,
  type WorkflowBundleOption,
} from '@temporalio/worker'
import type { Activities } from '../../workflows/activities.ts'
import { createLogThrottle, type Logger } from '../process/log.ts'
import { TASK_QUEUES, type TemporalAddress } from './client.ts'

/** The folder, since its index has another ending once compiled. */
const WORKFLOWS = fileURLToPath(new URL('../../workflows', import.meta.url))

/** Said of the workers that are for activities alone. */
const EXPECTED = 'No workflows registered, not polling for workflow tasks'

/**
 * Temporal's own messages go to our log; its arguments may quote failures, so only the message does. What is not said
 * of a workflow is said once in ten minutes, however often it comes and whatever numbers are in it: each of some sixty
 * pollers says every minute how often it has tried, as long as the server stands still.
 */
export function createTemporalLogger(log: Logger): DefaultLogger {
  const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const
  const isDue = createLogThrottle()
  return new DefaultLogger('WARN', ({ level, message, meta }) => {
    const { workflowId, activityType: activity } = meta ?? {}
    const kind = workflowId === undefined ? message.replaceAll(/\d+/g, '#') : null
    const isSilent = message === EXPECTED || (kind !== null && !isDue(kind))
    log[isSilent ? 'debug' : LEVELS[level]]({ workflowId, activity }, message)
  })
}

/** Temporal's metrics are answered at the address that is given. */
export function installRuntime(log: Logger, metricsAddress?: string): void {
  Runtime.install({
    logger: createTemporalLogger(log),
    // Without this its core writes lines of its own to stderr.
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} },
      ...(metricsAddress !== undefined && {
        metrics: {
          prometheus: {
            bindAddress: metricsAddress,
            countersTotalSuffix: true,
            unitSuffix: true,
            useSecondsForDurations: true,
          },
        },
      }),
    },
    shutdownSignals: [],
  })
}

const MAX_PAUSE_MS = 5_000

/** Tries until Temporal answers. Null when it has not and nobody waits for it any more. */
export async function connectWorkers(
  address: Omit<TemporalAddress, 'namespace'>,
  log: Logger,
  stopping: AbortSignal,
): Promise<NativeConnection | null> {
  for (let pause = 250; !stopping.aborted; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
    try {
      return await NativeConnection.connect(address)
    } catch (err) {
      if (!(err instanceof TransportError)) throw err
      if (pause === 250)
        log.warn(
          { err, address: address.address },
          'Temporal does not answer; only webhook deliveries continue',
        )
    }
    await sleep(pause, undefined, { signal: stopping }).catch(() => {})
  }
  return null
}

interface WorkersOptions {
  readonly connection: NativeConnection
  readonly namespace: string
  readonly activities: Activities
  readonly workflowBundle: WorkflowBundleOption
}

export function createWorkers({ workflowBundle, ...options }: WorkersOptions): Promise<Worker[]> {
  const activitiesAlone = { ...options, shutdownGraceTime: '8 seconds' } as const
  // Each with workflows has a thread for them, which takes half a second of a processor to start.
  const shared = {
    ...activitiesAlone,
    workflowBundle,
    // A workflow whose worker died is picked up by another one after this time.
    stickyQueueScheduleToStartTimeout: '2 seconds',
  } as const
  return Promise.all([
    // A thousand workflows with long histories take twice the memory. The next message to another one replays it.
    Worker.create({ ...shared, taskQueue: TASK_QUEUES.entities, maxCachedWorkflows: 400 }),
    Worker.create({
      ...shared,
      taskQueue: TASK_QUEUES.deliveries,
      maxCachedWorkflows: 200,
      maxConcurrentLocalActivityExecutions: 400,
      // A local attempt under way holds its workflow task.
      maxConcurrentWorkflowTaskExecutions: 400,
    }),
    Worker.create({
      ...activitiesAlone,
      taskQueue: TASK_QUEUES.slowDeliveries,
      // Each holds the payloads of what it waits to send.
      maxConcurrentActivityTaskExecutions: 40,
    }),
    Worker.create({
      ...activitiesAlone,
      taskQueue: TASK_QUEUES.checks,
      maxConcurrentActivityTaskExecutions: 400,
    }),
  ])
}

/**
 * Our modules are evaluated once for all workflows of a thread, which share them frozen: they keep no state. Of its own,
 * each workflow would take half a millisecond and 50 kB more.
 */
export const bundleWorkflows = (workflowsPath: string = WORKFLOWS): Promise<WorkflowBundle> =>
  bundleWorkflowCode({ workflowsPath, preloadModules: [workflowsPath], logger: new DefaultLogger('ERROR') })
