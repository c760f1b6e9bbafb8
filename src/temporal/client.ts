/** The connection to Temporal, and the names of its task queues. */
import { Client, Connection, type TLSConfig } from '@temporalio/client'
import { CHECK_TASK_QUEUE } from '../../workflows/policies.ts'
import { linkToConsole } from './console-link.ts'

export const TASK_QUEUES = {
  /** Entities: their workflows and the activities that apply transitions. */
  entities: 'gatehouse-entities',
  /** Deliveries have workers of their own, so that hanging receivers never delay a command. */
  deliveries: 'gatehouse-deliveries',
  /** Where deliveries to slow hosts wait, so that the others do not. */
  slowDeliveries: 'gatehouse-slow-deliveries',
  checks: CHECK_TASK_QUEUE,
  housekeeping: 'gatehouse-housekeeping',
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

/** Connects lazily: a process starts, and serves reads, while Temporal is away. */
export function openTemporal({ namespace, publicUrl, ...reached }: TemporalOptions): Client {
  const connection = Connection.lazy({ ...reached, connectTimeout: '2 seconds' })
  return new Client({
    connection,
    namespace,
    ...(publicUrl !== undefined && { interceptors: linkToConsole(publicUrl) }),
  })
}
