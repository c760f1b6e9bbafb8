/** What the HTTP layer needs of the world, and what its routes get of it when they are called. */
import type { Client } from '@temporalio/client'
import type { Request, Response } from 'express'
import type { Database } from '../db/connection/database.ts'
import type { Config } from '../process/config.ts'
import type { Logger } from '../process/log.ts'
import type { Screening } from '../screening/screening.ts'
import type { BlobStore } from '../storage/blob-store.ts'
import type { Gateway } from '../temporal/gateway.ts'
import type { Attempts } from '../use-cases/access/attempts.ts'
import type { Counter } from '../use-cases/access/counter.ts'
import type { Tokens } from '../use-cases/access/tokens.ts'
import type { ReadFigure } from '../use-cases/cases/figures.ts'
import type { Egress } from '../webhooks/egress.ts'
import type { Notifier } from '../webhooks/notifier.ts'
import type { Publisher } from '../webhooks/publisher.ts'
import type { Authenticate, Caller } from './caller.ts'
import type { ConcurrencyLimit } from './concurrency-limit.ts'

/** Throws `rate_limited`. Every answer to a limited request says what is left. Gives what takes the count back. */
export type RateLimit = (caller: Caller | null, req: Request, res: Response) => Promise<() => void>

export interface AppDeps {
  readonly config: Config
  readonly db: Database
  readonly blobs: BlobStore
  readonly temporal: Client
  readonly gateway: Gateway
  readonly notifier: Notifier
  /** For test events alone: all others are sent by workers. */
  readonly egress: Egress
  readonly screening: Screening
  readonly tokens: Tokens
  readonly authenticate: Authenticate
  readonly log: Logger
}

export interface RouteDeps extends AppDeps {
  readonly signIns: Attempts
  readonly kybPasswordTries: Counter
  readonly publisher: Publisher
  readonly limit: RateLimit
  /** For readers: nobody's searches take the connections of all others. */
  readonly reading: ConcurrencyLimit
  readonly figures: ReadFigure
  /** For what creates entities: most connections to PostgreSQL are left to everybody else. */
  readonly creating: ConcurrencyLimit
}
