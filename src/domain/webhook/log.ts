/** Webhook deliveries as clients and operators see them, and when one can be sent again. */
import { isUnfinished, type LogStatus, type Topic } from './events.ts'

/** The delivery of one event to the URLs of its topic. */
export interface WebhookLog {
  readonly id: string
  readonly vaultId: string
  readonly topic: Topic
  /** The topic of the event if `topic` stood in for it, else null. */
  readonly eventTopic: Topic | null
  readonly status: LogStatus
  readonly failReason: string | null
  /** The exact text that is signed and sent. */
  readonly payload: string
  readonly retries: number
  /** Counts manual retries; attempts belong to a round. */
  readonly round: number
  readonly urlsDestiny: readonly string[]
  /** The lease under which a process attempts it, or null. */
  readonly leaseId: string | null
  /** When the next attempt is due if that is hours away, else null. */
  readonly dueAt: Date | null
  readonly createdAt: Date
}

/** One attempt at one URL. */
export interface WebhookAttempt {
  readonly round: number
  readonly number: number
  readonly url: string
  readonly statusCode: number | null
  readonly error: string | null
  readonly durationMs: number
  /** The beginning of the receiver's answer. */
  readonly excerpt: string | null
  readonly createdAt: Date
}

export interface Delivery extends WebhookLog {
  /** Oldest first. */
  readonly attempts: readonly WebhookAttempt[]
}

export interface WebhookLogFilter {
  readonly topic: Topic | 'all'
  readonly status: LogStatus | 'all'
  readonly search?: string | undefined
  readonly from?: Date | undefined
  /** Not included. */
  readonly before?: Date | undefined
}

/** Which deliveries are sent again together. */
export interface RetryRange {
  readonly topic: Topic
  readonly status: 'failed' | 'partial'
  /** Unix seconds, both included. */
  readonly from: number
  readonly to: number
  /** Only to URLs that failed. */
  readonly onlyFailed?: boolean | undefined
}

/** Returns true if an attempt is made soon. A delivery that is next attempted hours from now can be sent again. */
export const isInProgress = (log: Pick<WebhookLog, 'status' | 'leaseId' | 'dueAt'>): boolean =>
  isUnfinished(log.status) && !isDueInHours(log)

const isDueInHours = ({ leaseId, dueAt }: Pick<WebhookLog, 'leaseId' | 'dueAt'>): boolean =>
  leaseId === null && dueAt !== null && dueAt.getTime() > Date.now()
