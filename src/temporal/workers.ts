/** Creates the workers of a process, one for each task queue, so that slow hosts do not delay other work. */

import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { WorkerDeploymentVersion } from '@temporalio/common'
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

/** The folder, not the file, because the index file has another extension in compiled code. */
const WORKFLOWS = fileURLToPath(new URL('../../workflows', import.meta.url))

/** Temporal logs this message for workers that only run activities. Gatehouse has such workers on purpose. */
const EXPECTED = 'No workflows registered, not polling for workflow tasks'

/**
 * Creates a logger that sends Temporal's messages to Gatehouse's log. Omits their arguments, which may quote failures.
 * If a message is not about a workflow, logs it once in ten minutes, whatever numbers it contains. While the server
 * hangs, about sixty pollers report their retries every minute.
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

/** Installs Temporal's runtime. Serves its metrics at `metricsAddress`, if this is set. */
export function installRuntime(log: Logger, metricsAddress?: string): void {
  Runtime.install({
    logger: createTemporalLogger(log),
    // Otherwise, Temporal's core would write its own lines to stderr.
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

/** Connects, and retries until Temporal responds. Returns null if `stopping` is aborted before that. */
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
          'Temporal does not respond; only webhook deliveries continue',
        )
    }
    await sleep(pause, undefined, { signal: stopping }).catch(() => {})
  }
  return null
}

interface WorkersOptions {
  /** The version, if workers of several versions run at the same time. */
  readonly version?: WorkerDeploymentVersion | undefined
  readonly connection: NativeConnection
  readonly namespace: string
  readonly activities: Activities
  readonly workflowBundle: WorkflowBundleOption
}

export function createWorkers({ workflowBundle, version, ...options }: WorkersOptions): Promise<Worker[]> {
  const workerDeploymentOptions = version && {
    version,
    useWorkerVersioning: true as const,
    // Workflows continue on the current version, unless they state otherwise.
    defaultVersioningBehavior: 'AUTO_UPGRADE' as const,
  }
  const activitiesAlone = {
    ...options,
    ...(workerDeploymentOptions && { workerDeploymentOptions }),
    shutdownGraceTime: '8 seconds',
  } as const
  return Promise.all([
    // Only this worker runs workflows, because starting their thread takes 50 MB and half a second of CPU time.
    Worker.create({
      ...activitiesAlone,
      workflowBundle,
      // The time after which another worker takes over a workflow whose worker has died.
      stickyQueueScheduleToStartTimeout: '2 seconds',
      taskQueue: TASK_QUEUES.entities,
      // The maximum number of cached workflows. Each takes about 0.3 MB of memory. If a workflow is not cached, the
      // next message to it replays its history.
      maxCachedWorkflows: 150,
      // A batch of deliveries occupies one slot of each limit for one to three seconds. Commands need a few dozen
      // slots.
      maxConcurrentLocalActivityExecutions: 400,
      maxConcurrentWorkflowTaskExecutions: 400,
    }),
    Worker.create({
      ...activitiesAlone,
      taskQueue: TASK_QUEUES.slowDeliveries,
      // Limits the memory, because each activity keeps the payloads that it is waiting to send.
      maxConcurrentActivityTaskExecutions: 40,
    }),
    Worker.create({
      ...activitiesAlone,
      taskQueue: TASK_QUEUES.checks,
      maxConcurrentActivityTaskExecutions: 400,
    }),
    Worker.create({
      ...activitiesAlone,
      taskQueue: TASK_QUEUES.emails,
      // Mail servers limit the connections of a sender.
      maxConcurrentActivityTaskExecutions: 5,
      maxConcurrentActivityTaskPolls: 1,
    }),
  ])
}

/**
 * Bundles the workflows. All workflows of a thread share Gatehouse's modules, which are evaluated once and frozen, so
 * that they cannot have state. Separate modules would cost each workflow half a millisecond and 50 kB.
 */
export const bundleWorkflows = (workflowsPath: string = WORKFLOWS): Promise<WorkflowBundle> =>
  bundleWorkflowCode({ workflowsPath, preloadModules: [workflowsPath], logger: new DefaultLogger('ERROR') })
