/** What both faces get when a request comes in: the dependencies of use cases, and limits of HTTP. */
import type { Request, Response } from 'express'
import type { Caller } from '../use-cases/access/caller.ts'
import type { Audience } from '../use-cases/access/tokens.ts'
import type { ConcurrencyLimit } from '../use-cases/concurrency-limit.ts'
import type { Deps } from '../use-cases/deps.ts'

/**
 * Returns null if the token is missing, invalid or expired. Calls `asStranger` before it looks up a credential that
 * it does not know. `asStranger` may throw `rate_limited`, and returns a function that takes the count back.
 */
export type Authenticate = (
  audience: Audience,
  req: Request,
  asStranger: () => Promise<() => void>,
) => Promise<Caller | null>

/** Sets the rate-limit headers. Throws `rate_limited`. Returns a function that takes the count back. */
export type RateLimit = (caller: Caller | null, req: Request, res: Response) => Promise<() => void>

export interface RouteDeps extends Deps {
  readonly authenticate: Authenticate
  readonly limit: RateLimit
  /** Limits the reads of each caller, so that nobody's searches take the connections of all others. */
  readonly reading: ConcurrencyLimit
}
