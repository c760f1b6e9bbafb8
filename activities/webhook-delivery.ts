/** One attempt to deliver a webhook log to its URLs (design, section 3). */
import { Context } from '@temporalio/activity'
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common'
import { databaseAway } from '../src/db/database.ts'
import { type AttemptResult, beginAttempt, recordAttempt } from '../src/db/webhook-attempt.ts'
import type { LogStatus } from '../src/domain/events.ts'
import { createHostLoad } from '../src/webhooks/host-load.ts'
import { sendWebhook } from '../src/webhooks/send.ts'
import type { ActivityDeps } from './deps.ts'

const MAX_ATTEMPTS = 4
/** A re-run comes at once; an attempt may not follow the one before sooner than this. */
const MIN_SPACING_SECONDS = 9.5

export function createWebhookDeliveryActivities({ db, egress, log }: ActivityDeps) {
  const hosts = createHostLoad()

  /** Which attempt this is, the rows say: a re-run after a crash does not repeat one that was recorded. */
  async function attempt(webhookLogId: string, mayDefer: boolean): Promise<LogStatus | 'final' | 'deferred'> {
    const delivery = await beginAttempt(db, webhookLogId)
    if (!delivery) return 'final'
    const { lastAttempt, urls, payload, secret } = delivery
    if (mayDefer && hosts.isSlow(urls)) return 'deferred'
    if (lastAttempt && lastAttempt.ageSeconds < MIN_SPACING_SECONDS) return 'processing'
    const number = (lastAttempt?.number ?? 0) + 1
    const results = await Promise.all(
      urls.map((url) => hosts.watch(url, () => sendWebhook(egress, url, payload, secret))),
    )
    const status = statusAfter(number, results)
    await recordAttempt(db, delivery, number, results, status)
    return status
  }

  return {
    /**
     * Throws `not_accepted`, which the workflow's retry policy counts, until the log's state is final. As a
     * local activity it never waits for a host that is slow, but asks to be run as a regular one.
     */
    async deliverWebhook(webhookLogId: string): Promise<'final' | 'deferred'> {
      let status: Awaited<ReturnType<typeof attempt>>
      try {
        status = await attempt(webhookLogId, Context.current().info.isLocal)
      } catch (err) {
        const code = databaseAway(err) ? 'database_unavailable' : 'internal_error'
        log.warn({ err, webhookLogId, code }, 'a delivery attempt failed on our side')
        throw ApplicationFailure.nonRetryable(code, code)
      }
      // Expected in ordinary operation, so Temporal need not warn of it.
      if (status === 'processing') {
        throw ApplicationFailure.create({
          message: 'no URL accepted',
          type: 'not_accepted',
          category: ApplicationFailureCategory.BENIGN,
        })
      }
      return status === 'deferred' ? 'deferred' : 'final'
    },
  }
}

function statusAfter(number: number, results: readonly AttemptResult[]): LogStatus {
  if (results.every((result) => result.accepted)) return 'completed'
  if (results.some((result) => result.accepted)) return 'partial'
  return number >= MAX_ATTEMPTS ? 'failed' : 'processing'
}
