/** Rules for refusals: every error code that an answer can carry, and the status of an answer with several. */
import { REQUEST_ERRORS } from './request-errors.ts'
import { STATE_ERRORS } from './state-errors.ts'

interface ErrorEntry {
  readonly status: number
  readonly message: string
  /** The condition, in Markdown for docs/errors.md. */
  readonly meaning: string
  /** What the client does next, in Markdown for docs/errors.md. */
  readonly remedy: string
}

export const ERRORS = { ...REQUEST_ERRORS, ...STATE_ERRORS } satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof ERRORS

/** One problem of a request. `status` overrides the table's where a code has two (a decision's 422). */
export interface Problem {
  readonly code: ErrorCode
  readonly field?: string
  readonly message?: string
  readonly status?: number
  /** The name of the limit that was reached. */
  readonly limit?: string
}

/** The HTTP status of an answer that carries these problems: a 400 goes before everything else. */
export function statusOf(problems: readonly Problem[]): number {
  const statuses = problems.map((problem) => problem.status ?? ERRORS[problem.code].status)
  return statuses.includes(400) ? 400 : (statuses[0] ?? 500)
}

/** Thrown to end a request with these problems. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused'
  readonly problems: readonly Problem[]

  constructor(...problems: readonly Problem[]) {
    super(problems.map((problem) => problem.code).join(', '))
    this.problems = problems
  }
}
