/** Opens the connection to Temporal, and names the task queues. */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  Client,
  Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
  type TLSConfig,
  type WorkflowService,
} from '@temporalio/client'
import { CHECK_TASK_QUEUE, EMAIL_TASK_QUEUE } from '../../workflows/policies.ts'
import { requireSupported } from '../process/versions.ts'
import { linkToConsole } from './console-link.ts'

export const TASK_QUEUES = {
  /**
   * The queue of all workflows, of activities that apply transitions, and of housekeeping, which needs few resources.
   */
  entities: 'gatehouse-entities',
  /** The queue of deliveries to slow hosts, which must not delay other deliveries. */
  slowDeliveries: 'gatehouse-slow-deliveries',
  checks: CHECK_TASK_QUEUE,
  emails: EMAIL_TASK_QUEUE,
} as const

export interface TemporalAddress {
  readonly address: string
  readonly namespace: string
  readonly tls?: TLSConfig
  readonly apiKey?: string
}

/** Returns the version of the server. Throws UnsupportedVersion if it is too old. */
export async function requireSupportedServer(service: WorkflowService): Promise<string> {
  const { serverVersion } = await service.getSystemInfo({})
  requireSupported('Temporal server', serverVersion ?? '')
  return serverVersion ?? ''
}

interface TemporalOptions extends TemporalAddress {
  /** The public URL, which the console links of new workflows start with. */
  readonly publicUrl?: string
  /** The time limit of each call, including retries. */
  readonly callMs?: number
}

/**
 * The maximum pause between retries. It limits the delay after Temporal becomes available again, and the time by which
 * a call can exceed its deadline.
 */
const MAX_PAUSE_MS = 500
/** Long enough for a command that is started at the same time as Temporal. */
const CALL_MS = 10_000
const { delayFunction, retryableDecider } = defaultGrpcRetryOptions({ maxAttempts: 20 })

/**
 * Creates an interceptor that retries each call while Temporal is unavailable, and ends it at its deadline, at the
 * latest after `callMs`.
 */
function createRetries(callMs: number) {
  let pausedUntil = 0
  let isEnding = false
  const interceptor: ReturnType<typeof makeGrpcRetryInterceptor> = (options, nextCall) => {
    const deadline = Math.min(Number(options.deadline ?? Infinity), Date.now() + callMs)
    return makeGrpcRetryInterceptor({
      delayFunction(...failure) {
        const pauseMs = Math.min(MAX_PAUSE_MS, delayFunction(...failure))
        pausedUntil = Math.max(pausedUntil, Date.now() + pauseMs)
        return pauseMs
      },
      retryableDecider: (...failure) =>
        !isEnding && retryableDecider(...failure) && Date.now() + MAX_PAUSE_MS < deadline,
    })({ ...options, deadline }, nextCall)
  }
  /**
   * Waits until all pauses have ended. If a pause ended after the connection was closed, nothing would catch its error.
   */
  async function end(): Promise<void> {
    isEnding = true
    while (Date.now() <= pausedUntil) await sleep(pausedUntil - Date.now() + 1)
  }
  return { interceptor, end }
}

/**
 * Creates a client that connects at the first call, so that a process can start and serve reads while Temporal is
 * unavailable.
 */
export function connectTemporal({ namespace, publicUrl, callMs = CALL_MS, ...reached }: TemporalOptions) {
  const retries = createRetries(callMs)
  const connection = Connection.lazy({
    ...reached,
    connectTimeout: '2 seconds',
    metadata: { 'temporal-namespace': namespace },
    interceptors: [retries.interceptor],
    channelArgs: { 'grpc.max_reconnect_backoff_ms': MAX_PAUSE_MS },
  })
  const close = connection.close.bind(connection)
  connection.close = () => retries.end().then(close)
  return new Client({
    connection,
    namespace,
    ...(publicUrl !== undefined && { interceptors: linkToConsole(publicUrl) }),
  })
}
