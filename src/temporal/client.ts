/** Opens the connection to Temporal, and names its task queues. */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  Client,
  Connection,
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
  type TLSConfig,
} from '@temporalio/client'
import { CHECK_TASK_QUEUE } from '../../workflows/policies.ts'
import { linkToConsole } from './console-link.ts'

export const TASK_QUEUES = {
  /** All workflows, the activities that apply transitions, and housekeeping, which needs few resources. */
  entities: 'gatehouse-entities',
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
  /** The time limit of each call, including its retries. */
  readonly callMs?: number
}

/**
 * Limits the delay after Temporal becomes available again, and the time by which a deadline can be exceeded.
 */
const MAX_PAUSE_MS = 500
/** Long enough for a command line that starts together with Temporal. */
const CALL_MS = 10_000
const { delayFunction, retryableDecider } = defaultGrpcRetryOptions({ maxAttempts: 20 })

/** Ends each call after `callMs`, and retries it until then while Temporal is unavailable. */
function createRetries(callMs: number) {
  let pausedUntil = 0
  let isEnding = false
  const interceptor: ReturnType<typeof makeGrpcRetryInterceptor> = (options, nextCall) => {
    const deadline = Date.now() + callMs
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
  /** Waits for the pauses. If one ended after the connection was closed, nothing would catch its error. */
  async function end(): Promise<void> {
    isEnding = true
    while (Date.now() <= pausedUntil) await sleep(pausedUntil - Date.now() + 1)
  }
  return { interceptor, end }
}

/**
 * Keeps `AsyncLocalStorage` out of the process. The SDK passes the deadlines and the metadata of calls in it. Once a
 * process has used it, each promise costs more under Node.js 20 and 22. The API would need a tenth more processor time.
 */
class PlainConnection extends Connection {
  endRetries = async (): Promise<void> => {}

  /** Stops waiting at the deadline. A call in progress continues until `callMs` have passed. */
  override async withDeadline<R>(deadline: number | Date, work: () => Promise<R>): Promise<R> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(deadlineExceeded()), Number(deadline) - Date.now())
    })
    try {
      return await Promise.race([work(), late])
    } finally {
      clearTimeout(timer)
    }
  }

  /** The SDK calls this only for the namespace, which is in the metadata of the connection. */
  override withMetadata<R>(_metadata: ConnectionOptions['metadata'], work: () => Promise<R>): Promise<R> {
    return work()
  }

  override async close(): Promise<void> {
    await this.endRetries()
    await super.close()
  }
}

/** Returns an error with the fields by which callers recognise gRPC's own. */
const deadlineExceeded = () =>
  Object.assign(new Error('Deadline exceeded'), { code: 4, details: 'Deadline exceeded', metadata: {} })

/** Connects lazily, so that a process starts and serves reads while Temporal is unavailable. */
export function openTemporal({
  namespace,
  publicUrl,
  callMs = CALL_MS,
  ...reached
}: TemporalOptions): Client {
  const retries = createRetries(callMs)
  const connection = PlainConnection.lazy({
    ...reached,
    connectTimeout: '2 seconds',
    metadata: { 'temporal-namespace': namespace },
    interceptors: [retries.interceptor],
    channelArgs: { 'grpc.max_reconnect_backoff_ms': MAX_PAUSE_MS },
  }) as PlainConnection
  connection.endRetries = retries.end
  return new Client({
    connection,
    namespace,
    ...(publicUrl !== undefined && { interceptors: linkToConsole(publicUrl) }),
  })
}
