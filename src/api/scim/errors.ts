/** Converts errors to the format of SCIM 2.0 (RFC 7644, 3.12). */
import type { ErrorRequestHandler } from 'express'
import { ERRORS, type ErrorCode, statusOf } from '../../domain/base/errors.ts'
import { problemsOf } from '../../http/errors.ts'
import type { Logger } from '../../process/log.ts'

type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'uniqueness'

/** Thrown to refuse a request with a `scimType`, which only SCIM errors have. */
export class ScimRefused extends Error {
  override readonly name = 'ScimRefused'
  readonly scimType: ScimType
  readonly status: number

  constructor(scimType: ScimType, detail: string, status = 400) {
    super(detail)
    this.scimType = scimType
    this.status = status
  }
}

const TYPES: Partial<Record<ErrorCode, ScimType>> = {
  malformed_request: 'invalidSyntax',
  invalid: 'invalidValue',
  email_taken: 'uniqueness',
}

/** The statuses that differ from those of other routes, which return 422 for problems with fields. */
const STATUSES: Partial<Record<ErrorCode, number>> = { invalid: 400, email_taken: 409 }

export const scimError = (status: number, detail: string, scimType?: ScimType) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
  status: String(status),
  ...(scimType && { scimType }),
  detail,
})

export function scimErrors(log: Logger): ErrorRequestHandler {
  return (error, _req, res, _next) => {
    if (res.headersSent) return void res.destroy()
    const body = bodyOf(error)
    const status = Number(body.status)
    if (status >= 500)
      log.error({ err: error, requestId: res.getHeader('X-Request-Id'), status }, 'request failed')
    if (status === 503) res.setHeader('Retry-After', 1)
    res.status(status).json(body)
  }
}

function bodyOf(error: unknown) {
  if (error instanceof ScimRefused) return scimError(error.status, error.message, error.scimType)
  const problems = problemsOf(error)
  const [{ code, message, status } = { code: 'internal_error' as const }] = problems
  const isTaken = status === 409
  return scimError(
    STATUSES[code] && !isTaken ? STATUSES[code] : statusOf(problems),
    message ?? ERRORS[code].message,
    isTaken ? 'uniqueness' : TYPES[code],
  )
}
