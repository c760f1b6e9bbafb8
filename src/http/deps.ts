/** What the HTTP layer needs of the world, and what its routes get of it when they are called. */
import type { Client } from '@temporalio/client'
import type { Attempts } from '../access/attempts.ts'
import type { createCounter } from '../access/counter.ts'
import type { Tokens } from '../access/tokens.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Logger } from '../log.ts'
import type { BlobStore } from '../storage/blob-store.ts'
import type { Gateway } from '../temporal/gateway.ts'
import type { Notifier } from '../webhooks/notifier.ts'
import type { Publisher } from '../webhooks/publisher.ts'
import type { RateLimit } from './rate-limit.ts'

export interface AppDeps {
  readonly config: Config
  readonly db: Database
  readonly blobs: BlobStore
  readonly temporal: Client
  readonly gateway: Gateway
  readonly notifier: Notifier
  readonly tokens: Tokens
  readonly log: Logger
}

export interface RouteDeps extends AppDeps {
  readonly signIns: Attempts
  readonly kybPasswordTries: ReturnType<typeof createCounter>
  readonly publisher: Publisher
  readonly limit: RateLimit
}
