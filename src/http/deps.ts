/** Defines the dependencies that the API and the pages share: those of the use cases, and the HTTP limits. */
import type { Request, Response } from 'express'
import type { ProfileRow } from '../domain/profile/document.ts'
import type { Authenticate } from '../use-cases/access/authentication.ts'
import type { Caller } from '../use-cases/access/caller.ts'
import type { Deps } from '../use-cases/base/deps.ts'
import type { ConcurrencyLimit, SharedLimit } from '../use-cases/limits/concurrency-limit.ts'

/**
 * Counts the request and sets the rate-limit headers. Returns a function that undoes the count. Throws `rate_limited`.
 */
export type RateLimit = (caller: Caller | null, req: Request, res: Response) => Promise<() => void>

/** Returns the label of a specified field and those of its choices, in the languages of the pages. */
export type SpecifiedTexts = (
  row: Pick<ProfileRow, 'path' | 'values'>,
) => Required<Pick<ProfileRow, 'label' | 'value_labels'>>

export interface RouteDeps extends Deps {
  readonly authenticate: Authenticate
  /** Looks up each caller again at the next request. */
  readonly forgetCallers: () => void
  readonly limit: RateLimit
  /** Limits each reader's concurrent reads, so that one reader cannot use all database connections. */
  readonly reading: SharedLimit
  /** Limits each client's concurrent changes, other than commands, creations and uploads, for the same reason. */
  readonly changing: ConcurrencyLimit
  /** Limits how many applicant pages are rendered at the same time, because rendering uses the CPU. */
  readonly showing: SharedLimit
  readonly specifiedTexts: SpecifiedTexts
}
