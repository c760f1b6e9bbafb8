/** Retry policies and timeouts that workflows declare for their activities. */
import type { ActivityOptions, LocalActivityOptions } from '@temporalio/workflow'

/**
 * For activities that must eventually succeed, even after a long database outage. They take milliseconds, so a short
 * timeout detects a process that dies during one of them.
 */
export const PERSISTENT: ActivityOptions = {
  startToCloseTimeout: '6 seconds',
  retry: { initialInterval: '200 milliseconds', backoffCoefficient: 2, maximumInterval: '5 seconds' },
}

/**
 * For commands that run within the workflow task that receives them. Tries only once, because retries of a local
 * activity keep the workflow task open and lengthen the history. If the attempt fails, a regular activity follows.
 */
export const WITHIN_TASK: LocalActivityOptions = {
  startToCloseTimeout: '3 seconds',
  retry: { maximumAttempts: 1 },
}

/** Checks can take minutes, so they have their own worker and never delay commands. */
export const CHECK_TASK_QUEUE = 'gatehouse-checks'

/** For waiting on a provider's result. The callback completes the activity, so the wait occupies no worker. */
export const ANSWER: ActivityOptions = {
  taskQueue: CHECK_TASK_QUEUE,
  summary: 'result of the verification provider',
  startToCloseTimeout: '1 day',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
}

/**
 * For verification checks. They are retried until the provider is available. Missing heartbeats reveal a worker that
 * died.
 */
export const CHECK: ActivityOptions = {
  taskQueue: CHECK_TASK_QUEUE,
  summary: 'verification check',
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
}

/** A mail server can be slow, so emails have their own worker. */
export const EMAIL_TASK_QUEUE = 'gatehouse-emails'

/**
 * For emails. Mail servers refuse unknown senders for some minutes (greylisting). The activity gives up after three days
 * by itself.
 */
export const EMAIL: ActivityOptions = {
  taskQueue: EMAIL_TASK_QUEUE,
  summary: 'email',
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '10 seconds', backoffCoefficient: 2, maximumInterval: '1 hour' },
}
