/** Creates all activities. */
import { CompleteAsyncError } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import { isDatabaseUnavailable } from '../src/db/connection/failure.ts'
import type { Logger } from '../src/process/log.ts'
import type { Activities } from '../workflows/activities.ts'
import type { ActivityDeps } from './deps.ts'
import { createEmailActivities } from './email.ts'
import { createHousekeepingActivities } from './housekeeping.ts'
import { createIdentificationActivities } from './identification.ts'
import { createKybApplicationActivities } from './kyb-application.ts'
import { createVerificationCheckActivities } from './verification-check.ts'
import { createWebhookDeliveryActivities } from './webhook-delivery.ts'

export function createActivities(deps: ActivityDeps): Activities {
  return withErrorCodes(deps.log, {
    ...createKybApplicationActivities(deps),
    ...createIdentificationActivities(deps),
    ...createVerificationCheckActivities(deps),
    ...createWebhookDeliveryActivities(deps),
    ...createEmailActivities(deps),
    ...createHousekeepingActivities(deps),
  })
}

/** Reduces failures to codes, because workflow histories store failures and driver messages quote values. */
function withErrorCodes<A extends Record<string, (...args: never[]) => Promise<unknown>>>(
  log: Logger,
  activities: A,
): A {
  const wrapped = Object.entries(activities).map(([name, activity]) => [
    name,
    async (...args: never[]) => {
      try {
        return await activity(...args)
      } catch (err) {
        if (err instanceof ApplicationFailure || err instanceof CompleteAsyncError) throw err
        const code = isDatabaseUnavailable(err) ? 'database_unavailable' : 'internal_error'
        log.warn({ err, activity: name, code }, 'activity failed')
        throw ApplicationFailure.retryable(code, code)
      }
    },
  ])
  return Object.fromEntries(wrapped)
}
