/** Opens the connection to Temporal, and names its task queues. */
import {
  Client,
  Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
  type TLSConfig,
} from '@temporalio/client'
import { CHECK_TASK_QUEUE } from '../../workflows/policies.ts'
import { linkToConsole } from './console-link.ts'

export const TASK_QUEUES = {
  /** Workflows of entities, the activities that apply transitions, and housekeeping, which needs few resources. */
  entities: 'gatehouse-entities',
  /** Deliveries have their own workers, so that hanging receivers never delay a command. */
  deliveries: 'gatehouse-deliveries',
  /** Deliveries to slow hosts wait here, so that they do not delay the others. */
  slowDeliveries: 'gatehouse-slow-deliveries',
  checks: CHECK_TASK_QUEUE,
} as const

export interface TemporalAddress {
  readonly address: string
  readonly namespace: string
  readonly tls?: TLSConfig
  readonly apiKey?: string
}

interface TemporalOptions extends TemporalAddress {
  /** The address of the console, for the details of new workflows. */
  readonly publicUrl?: string
}

/** Limits the delay after Temporal becomes available again, and the time by which deadlines are missed. */
const MAX_PAUSE_MS = 500
const retry = defaultGrpcRetryOptions({ maxAttempts: 20 })
const delay = (...failure: Parameters<typeof retry.delayFunction>) =>
  Math.min(MAX_PAUSE_MS, retry.delayFunction(...failure))
/**
 * Does not retry if the pause may outlast the call. Such a pause would end when the connection is closed, and
 * nothing would catch its error.
 */
const retryUntilAvailable: ReturnType<typeof makeGrpcRetryInterceptor> = (options, nextCall) =>
  makeGrpcRetryInterceptor({
    delayFunction: delay,
    retryableDecider: (...failure) =>
      retry.retryableDecider(...failure) && Date.now() + MAX_PAUSE_MS < Number(options.deadline ?? Infinity),
  })(options, nextCall)

/** Connects lazily, so that a process starts and serves reads while Temporal is unavailable. */
export function openTemporal({ namespace, publicUrl, ...reached }: TemporalOptions): Client {
  const connection = Connection.lazy({
    ...reached,
    connectTimeout: '2 seconds',
    interceptors: [retryUntilAvailable],
    channelArgs: { 'grpc.max_reconnect_backoff_ms': MAX_PAUSE_MS },
  })
  return new Client({
    connection,
    namespace,
    ...(publicUrl !== undefined && { interceptors: linkToConsole(publicUrl) }),
  })
}
