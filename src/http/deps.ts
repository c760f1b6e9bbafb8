/** What routes need of the world. */
import type { Client } from '@temporalio/client'
import type { Tokens } from '../access/tokens.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Logger } from '../log.ts'
import type { BlobStore } from '../storage/blob-store.ts'
import type { Gateway } from '../temporal/gateway.ts'
import type { Dispatcher } from '../webhooks/dispatcher.ts'

export interface AppDeps {
  readonly config: Config
  readonly db: Database
  readonly blobs: BlobStore
  readonly temporal: Client
  readonly gateway: Gateway
  readonly dispatcher: Dispatcher
  readonly tokens: Tokens
  readonly log: Logger
}
