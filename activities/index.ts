/** All activities, made from what they need. */
import type { Client } from '@temporalio/client'
import type { Dispatcher as Egress } from 'undici'
import type { Database } from '../src/db/database.ts'
import type { Logger } from '../src/log.ts'
import type { BlobStore } from '../src/storage/blob-store.ts'
import type { Dispatcher } from '../src/webhooks/dispatcher.ts'
import { withErrorCodes } from './errors.ts'
import { createHousekeepingActivities } from './housekeeping.ts'
import { createIdentificationActivities } from './identification.ts'
import { createKybApplicationActivities } from './kyb-application.ts'
import { createWebhookDeliveryActivities } from './webhook-delivery.ts'

export interface ActivityDeps {
  readonly db: Database
  readonly blobs: BlobStore
  readonly temporal: Client
  readonly dispatcher: Dispatcher
  readonly egress: Egress
  readonly log: Logger
}

export function createActivities(deps: ActivityDeps) {
  return withErrorCodes(deps.log, {
    ...createKybApplicationActivities(deps),
    ...createIdentificationActivities(deps),
    ...createWebhookDeliveryActivities(deps),
    ...createHousekeepingActivities(deps),
  })
}

export type Activities = ReturnType<typeof createActivities>
