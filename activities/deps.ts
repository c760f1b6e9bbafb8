/** Defines the dependencies of activities. */
import type { Client } from '@temporalio/client'
import type { Database } from '../src/db/connection/database.ts'
import type { EmailLimits } from '../src/db/email/email.ts'
import type { CheckLimits } from '../src/domain/identification/verification-check.ts'
import type { Logger } from '../src/process/log.ts'
import type { Mailer } from '../src/process/mailer.ts'
import type { Screening } from '../src/screening/screening.ts'
import type { BlobStore } from '../src/storage/blob-store.ts'
import type { Starter } from '../src/temporal/starter.ts'
import type { Deliverer } from '../src/webhooks/deliverer.ts'
import type { Dispatcher } from '../src/webhooks/dispatcher.ts'
import type { Leases } from '../src/webhooks/leases.ts'
import type { VerificationProvider } from './verification-provider.ts'

export interface ActivityDeps {
  readonly db: Database
  readonly blobs: BlobStore
  readonly temporal: Client
  readonly starter: Starter
  readonly dispatcher: Dispatcher
  readonly deliverer: Deliverer
  readonly leases: Leases
  readonly provider: VerificationProvider
  /** How long to wait for a provider's result. */
  readonly verificationAnswerHours: number
  readonly verificationLimits: CheckLimits
  readonly screening: Screening
  /** Null if emails are off. */
  readonly mailer: Mailer | null
  readonly emailLimits: EmailLimits
  /** The days of silence after which an unfinished case is due for erasure. */
  readonly unfinishedDays: number
  /** The origin of links in emails. */
  readonly publicUrl: string
  readonly webhookLogRetentionDays: number
  readonly log: Logger
}
