/** What both faces get when a request comes in: the dependencies of use cases, and limits of HTTP. */
import type { Request, Response } from 'express'
import type { Authenticate } from '../use-cases/access/authentication.ts'
import type { Caller } from '../use-cases/access/caller.ts'
import type { ConcurrencyLimit, SharedLimit } from '../use-cases/concurrency-limit.ts'
import type { Deps } from '../use-cases/deps.ts'

/** Sets the rate-limit headers. Throws `rate_limited`. Returns a function that takes the count back. */
export type RateLimit = (caller: Caller | null, req: Request, res: Response) => Promise<() => void>

export interface RouteDeps extends Deps {
  readonly authenticate: Authenticate
  readonly limit: RateLimit
  /** Limits the reads of each caller, so that nobody's searches take the connections of all others. */
  readonly reading: ConcurrencyLimit
  /** Limits the pages of applicants, which take the processor of the process. */
  readonly showing: SharedLimit
}
