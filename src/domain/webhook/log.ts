/** Rules for webhook deliveries as clients and operators see them, and for repeating a delivery. */

import type { Period } from '../base/page.ts'
import type { Topic } from '../base/topics.ts'
import { isUnfinished, type LogStatus } from './events.ts'

/** The delivery of one event to the URLs of its topic. */
export interface WebhookLog {
  readonly id: string
  readonly vaultId: string
  readonly topic: Topic
  /** The topic of the event if `topic` is its fallback topic, or null otherwise. */
  readonly eventTopic: Topic | null
  readonly status: LogStatus
  readonly failReason: string | null
  /** The exact text that is signed and sent. */
  readonly payload: string
  readonly retries: number
  /** The number of the current round, which each manual retry increases. Each attempt belongs to one round. */
  readonly round: number
  readonly urlsDestiny: readonly string[]
  /** The lease of the process that is attempting the delivery, or null. */
  readonly leaseId: string | null
  /** When the next attempt is due, if it is hours away. Otherwise null. */
  readonly dueAt: Date | null
  /** The `traceparent` of the span that caused the event, or null. */
  readonly traceparent: string | null
  readonly createdAt: Date
}

export interface WebhookAttempt {
  readonly round: number
  readonly number: number
  readonly url: string
  readonly statusCode: number | null
  /** The reason why the URL did not accept the delivery, or null if it did. */
  readonly error: string | null
  readonly durationMs: number
  /** The beginning of the receiver's response, or null. */
  readonly excerpt: string | null
  readonly createdAt: Date
}

export interface Delivery extends WebhookLog {
  /** The attempts, oldest first. */
  readonly attempts: readonly WebhookAttempt[]
}

/** The delivery of one event to one URL, with the latest attempt at the URL. */
export interface UrlDelivery extends Pick<WebhookLog, 'id' | 'status' | 'dueAt' | 'createdAt'> {
  readonly event: string
  /** The ID of the case that the event names, or null. */
  readonly caseId: string | null
  readonly latest: Pick<WebhookAttempt, 'number' | 'statusCode' | 'error' | 'durationMs' | 'createdAt'> | null
}

export interface WebhookLogFilter extends Period {
  readonly topic: Topic | 'all'
  readonly status: LogStatus | 'all'
  readonly search?: string | undefined
}

/** The deliveries to send again. */
export interface RetryRange {
  readonly topic: Topic
  readonly status: 'failed' | 'partial'
  /** The period in Unix seconds. Both ends are inclusive. */
  readonly from: number
  readonly to: number
  /** Whether to send the deliveries only to URLs that failed. */
  readonly onlyFailed?: boolean | undefined
}

/**
 * Returns whether an attempt is due soon. If the next attempt is hours away, the delivery can be sent again before
 * then.
 */
export const isInProgress = (log: Pick<WebhookLog, 'status' | 'leaseId' | 'dueAt'>): boolean =>
  isUnfinished(log.status) && !isDueInHours(log)

const isDueInHours = ({ leaseId, dueAt }: Pick<WebhookLog, 'leaseId' | 'dueAt'>): boolean =>
  leaseId === null && dueAt !== null && dueAt.getTime() > Date.now()

/** The deliveries to a URL in the last seven days, without those that wait. */
export interface UrlWeek {
  readonly delivered: number
  readonly failed: number
  /** The highest number of attempts that ended in one second. */
  readonly highestPerSecond: number
  /** Whether the vault had more deliveries than Gatehouse reads, so that older ones are not counted. */
  readonly isPartial: boolean
}
