/** Retry policies and time-outs that workflows declare for their activities. */
import type { ActivityOptions, LocalActivityOptions } from '@temporalio/workflow'

/**
 * For activities that must happen, however long the database is unavailable. They take milliseconds, so a short
 * time-out detects a process that died during one.
 */
export const PERSISTENT: ActivityOptions = {
  startToCloseTimeout: '6 seconds',
  retry: { initialInterval: '200 milliseconds', backoffCoefficient: 2, maximumInterval: '5 seconds' },
}

/**
 * For commands, within the workflow task that takes them. Once: what fails is left to a regular activity, since a
 * local one that is tried again keeps its workflow task open, which lengthens the history.
 */
export const WITHIN_TASK: LocalActivityOptions = {
  startToCloseTimeout: '3 seconds',
  retry: { maximumAttempts: 1 },
}

/** Checks may take long, so they have a worker of their own: commands never wait for one. */
export const CHECK_TASK_QUEUE = 'gatehouse-checks'

/** For the wait for a provider's answer. The callback completes the activity, so no worker is needed during the wait. */
export const ANSWER: ActivityOptions = {
  taskQueue: CHECK_TASK_QUEUE,
  summary: 'result of the verification provider',
  startToCloseTimeout: '1 day',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
}

/**
 * For verification checks: a provider that is down never loses an applicant. A worker that died is noticed
 * by its missing heartbeats.
 */
export const CHECK: ActivityOptions = {
  taskQueue: CHECK_TASK_QUEUE,
  summary: 'verification check',
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
}
