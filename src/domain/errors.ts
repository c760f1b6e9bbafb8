/** Rules for refusals: all error codes, and the status of a response with several problems. */
import { REQUEST_ERRORS } from './request-errors.ts'
import { STATE_ERRORS } from './state-errors.ts'

interface ErrorEntry {
  readonly status: number
  readonly message: string
  /** The condition, in Markdown for docs/errors.md. */
  readonly meaning: string
  /** The client's next step, in Markdown for docs/errors.md. */
  readonly remedy: string
}

export const ERRORS = { ...REQUEST_ERRORS, ...STATE_ERRORS } satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof ERRORS

/**
 * One problem of a request. `status` overrides the code's status, for codes that have two (422 for a decision).
 */
export interface Problem {
  readonly code: ErrorCode
  readonly field?: string
  readonly message?: string
  readonly status?: number
  /** The name of the limit that the request reached. */
  readonly limit?: string
}

/** Returns the HTTP status of a response with these problems. A 400 takes precedence. */
export function statusOf(problems: readonly Problem[]): number {
  const statuses = problems.map((problem) => problem.status ?? ERRORS[problem.code].status)
  return statuses.includes(400) ? 400 : (statuses[0] ?? 500)
}

/** Ends a request with these problems. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused'
  readonly problems: readonly Problem[]
  /** Traces show the first problem, and only a status of 500 or higher as an error. */
  readonly code: ErrorCode | undefined
  readonly status: number

  constructor(...problems: readonly Problem[]) {
    super(problems.map((problem) => problem.code).join(', '))
    this.problems = problems
    this.code = problems[0]?.code
    this.status = statusOf(problems)
  }
}
