/** The connection to Temporal, and the names of its task queues. */
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
  /** Entities: their workflows and the activities that apply transitions. Housekeeping, which asks for little. */
  entities: 'gatehouse-entities',
  /** Deliveries have workers of their own, so that hanging receivers never delay a command. */
  deliveries: 'gatehouse-deliveries',
  /** Where deliveries to slow hosts wait, so that the others do not. */
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
  /** Where the console is, for the details of the workflows that are started. */
  readonly publicUrl?: string
}

/** What comes back is noticed soon, and deadlines are missed by no more than this. */
const MAX_PAUSE_MS = 500
const retry = defaultGrpcRetryOptions({ maxAttempts: 20 })
const delay = (...failure: Parameters<typeof retry.delayFunction>) =>
  Math.min(MAX_PAUSE_MS, retry.delayFunction(...failure))
/** A pause that outlasts its call would wake when the connection is closed, where nobody catches what it throws. */
const untilItAnswers: ReturnType<typeof makeGrpcRetryInterceptor> = (options, nextCall) =>
  makeGrpcRetryInterceptor({
    delayFunction: delay,
    retryableDecider: (...failure) =>
      retry.retryableDecider(...failure) && Date.now() + MAX_PAUSE_MS < Number(options.deadline ?? Infinity),
  })(options, nextCall)

/** Connects lazily: a process starts, and serves reads, while Temporal is away. */
export function openTemporal({ namespace, publicUrl, ...reached }: TemporalOptions): Client {
  const connection = Connection.lazy({
    ...reached,
    connectTimeout: '2 seconds',
    interceptors: [untilItAnswers],
    channelArgs: { 'grpc.max_reconnect_backoff_ms': MAX_PAUSE_MS },
  })
  return new Client({
    connection,
    namespace,
    ...(publicUrl !== undefined && { interceptors: linkToConsole(publicUrl) }),
  })
}
