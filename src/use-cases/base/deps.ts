/** Defines the dependencies of use cases. The API and the pages only pass these on. */
import type { Client } from '@temporalio/client'
import { type Database, withSpan } from '../../db/connection/database.ts'
import type { ReadFigure } from '../../domain/review/figures.ts'
import type { IdentityProvider } from '../../oidc/identity-provider.ts'
import type { Config } from '../../process/config.ts'
import type { Logger } from '../../process/log.ts'
import { NO_SPAN, type Span } from '../../process/span.ts'
import type { Screening } from '../../screening/screening.ts'
import type { BlobStore } from '../../storage/blob-store.ts'
import type { Gateway } from '../../temporal/gateway.ts'
import type { Egress } from '../../webhooks/egress.ts'
import type { FeedWatch } from '../../webhooks/feed-watch.ts'
import type { Notifier } from '../../webhooks/notifier.ts'
import type { Publisher } from '../../webhooks/publisher.ts'
import type { Tokens } from '../credentials/tokens.ts'
import type { Attempts } from '../limits/attempts.ts'
import type { SharedLimit } from '../limits/concurrency-limit.ts'
import type { Counter } from '../limits/counter.ts'
import type { SpendRate } from '../limits/rates.ts'
import type { StorageQuota } from '../limits/storage-quota.ts'

export interface Deps {
  readonly config: Config
  readonly db: Database
  readonly blobs: BlobStore
  readonly temporal: Client
  readonly gateway: Gateway
  readonly notifier: Notifier
  /** Sends only test events. Workers send all other events. */
  readonly egress: Egress
  readonly screening: Screening
  readonly tokens: Tokens
  /** Null if single sign-on is not configured. */
  readonly identityProvider: IdentityProvider | null
  readonly publisher: Publisher
  readonly feedWatch: FeedWatch
  readonly signIns: Attempts
  readonly kybPasswordTries: Counter
  readonly formCodes: Counter
  readonly spend: SpendRate
  readonly quota: StorageQuota
  readonly figures: ReadFigure
  /** Limits creations, so that most PostgreSQL connections remain free for other requests. */
  readonly creating: SharedLimit
  readonly log: Logger
}

export type WithDb = Pick<Deps, 'db'>

/** Returns the dependencies bound to the span, so that their queries and log lines belong to it. */
export const withinSpan = <D extends Pick<Deps, 'db' | 'log'>>(deps: D, span: Span): D =>
  span === NO_SPAN ? deps : { ...deps, db: withSpan(deps.db, span), log: deps.log.child(span.logFields) }
