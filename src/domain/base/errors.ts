/** Rules for refusals, with all error codes and the status of a response that has several problems. */
import type { CameraFormat } from './file.ts'
import type { CompleteLanguage, Language } from './language.ts'
import { REQUEST_ERRORS } from './request-errors.ts'
import { STATE_ERRORS } from './state-errors.ts'

export interface ErrorEntry {
  readonly status: number
  readonly message: string
  /** The condition, in Markdown for docs/errors.md. */
  readonly meaning: string
  /** The client's next step, in Markdown for docs/errors.md. */
  readonly remedy: string
  /** The texts of pages. If absent, pages show only a general text, or a text about the field. */
  readonly pages?: Readonly<Partial<Record<Reader, Readonly<Record<CompleteLanguage, string>>>>>
}

/** The readers of pages. Administrators read the settings, and operators all other pages of the console. */
export type Reader = 'applicant' | 'operator' | 'administrator'

export const ERRORS = { ...REQUEST_ERRORS, ...STATE_ERRORS } satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof ERRORS

/**
 * Returns the text that pages show for a code, or null if the code has none for this reader. The files of the other
 * languages have their own texts.
 */
export function pageText(code: ErrorCode, reader: Reader, language: Language): string | null {
  const { pages }: ErrorEntry = ERRORS[code]
  const texts: Readonly<Partial<Record<Language, string>>> = pages?.[reader] ?? {}
  return texts[language] ?? texts.en ?? null
}

/**
 * The codes with which a use case (`refuses`) can refuse a request, except those of every request. `status` replaces
 * the usual status of a code.
 */
export type Refusals = readonly (ErrorCode | { readonly code: ErrorCode; readonly status: number })[]

/** The codes that the pages of these readers explain. */
export type CodeFor<R extends Reader> = {
  [C in ErrorCode]: (typeof ERRORS)[C] extends { readonly pages: Readonly<Record<R, unknown>> } ? C : never
}[ErrorCode]

/**
 * One problem of a request. `status` overrides the status of a code that has two statuses, such as 422 for a decision.
 */
export interface Problem {
  readonly code: ErrorCode
  readonly field?: string
  readonly message?: string
  readonly status?: number
  /** The name of the limit that the request reached. */
  readonly limit?: string
  /** `empty`, or the format of a file that is not accepted, if the camera or scanner can produce another one. */
  readonly format?: CameraFormat | 'empty'
}

/** No name in a request is longer. A hostile body could repeat a long one in the path of each problem. */
const MAX_NAME = 100

/** Returns the path of a value in a request, for the field of a problem. */
export const fieldPath = (path: readonly PropertyKey[]): string =>
  path.map((name) => String(name).slice(0, MAX_NAME)).join('.')

/** Returns the HTTP status of a response with these problems. If any status is 400, returns 400. */
export function statusOf(problems: readonly Problem[]): number {
  const statuses = problems.map((problem) => problem.status ?? ERRORS[problem.code].status)
  return statuses.includes(400) ? 400 : (statuses[0] ?? 500)
}

/** Thrown to refuse a request because of these problems. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused'
  readonly problems: readonly Problem[]
  /** The code of the first problem, for traces. Traces show an error only if `status` is 500 or higher. */
  readonly code: ErrorCode | undefined
  readonly status: number

  constructor(...problems: readonly Problem[]) {
    super(problems.map((problem) => problem.code).join(', '))
    this.problems = problems
    this.code = problems[0]?.code
    this.status = statusOf(problems)
  }
}

/** Returns the value. Throws `not_found` if there is none. */
export function requireFound<T extends object | string>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new RequestRefused({ code: 'not_found' })
  return value
}
