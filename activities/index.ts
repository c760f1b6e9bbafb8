/** Creates all activities. */
import type { Activities } from '../workflows/activities.ts'
import type { ActivityDeps } from './deps.ts'
import { createEmailActivities } from './email.ts'
import { withErrorCodes } from './errors.ts'
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
