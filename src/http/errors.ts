/** Maps errors to the documented error responses (specification, "Errors"). */
import type { ErrorRequestHandler } from 'express'
import { ERRORS, type Problem, RequestRefused, statusOf } from '../domain/base/errors.ts'
import type { Logger } from '../process/log.ts'
import { isOutcomeUnknown, isUnavailable } from '../use-cases/base/unavailable.ts'
import { LimitReached } from '../use-cases/limits/counter.ts'
import { RateReached } from '../use-cases/limits/rates.ts'
import { spanOf } from './request-span.ts'

const RETRY_AFTER_SECONDS = '1'

const NOT_DECODABLE: Problem = {
  code: 'unsupported_media_type',
  message:
    'The Content-Encoding is not supported. Omit the header, or compress the body with gzip, deflate or br.',
}

export const NOT_UTF8: Problem = {
  code: 'unsupported_media_type',
  message: 'Send the JSON in UTF-8. Omit the charset or send charset=utf-8.',
}

/** The problems for errors of Express and its body parsers, keyed by the `type` of the error. */
const PARSER_PROBLEMS: Record<string, Problem> = {
  'entity.too.large': { code: 'payload_too_large' },
  'parameters.too.many': { code: 'payload_too_large' },
  'request.aborted': {
    code: 'malformed_request',
    message: 'The body is shorter than Content-Length. Send the complete body.',
  },
  'request.size.invalid': {
    code: 'malformed_request',
    message: 'The length of the body differs from Content-Length. Correct the header.',
  },
  'encoding.unsupported': NOT_DECODABLE,
  'charset.unsupported': NOT_UTF8,
}

/** The problem for other parser errors, such as a body that cannot be decompressed. */
const MALFORMED: Problem = {
  code: 'malformed_request',
  message: 'The body cannot be decompressed or read. Check its encoding.',
}

/**
 * The problem for a request that changes data, because the database may have committed before the connection failed.
 */
const UNKNOWN: Problem = {
  code: 'service_unavailable',
  message:
    'The database did not respond, so the change may have been made. See the 503 response of the route in the reference.',
}

/** The maximum length of bodies that are parsed again to find the position of an error. */
const MAX_SEARCHED = 64 * 1024

/**
 * Returns a message with the position of the first invalid character. The parser's own message would quote the body.
 */
function notJson(body: string): string {
  if (body.length > MAX_SEARCHED) return 'The body is not valid JSON. Correct it.'
  if (canContinue(body))
    return 'The body is not valid JSON, because it ends too early. Send the complete body.'
  let [valid, invalid] = [0, body.length]
  while (invalid - valid > 1) {
    const middle = Math.floor((valid + invalid) / 2)
    if (canContinue(body.slice(0, middle))) valid = middle
    else invalid = middle
  }
  const lines = body.slice(0, valid).split('\n')
  return `The body is not valid JSON at line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}. Correct it.`
}

/** Returns true if the text can be the start of valid JSON, because the parser accepts it or fails only at its end. */
function canContinue(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    const [, position] = /at position (\d+)/.exec(String(error)) ?? []
    return position === undefined ? /end of JSON input/.test(String(error)) : Number(position) === text.length
  }
}

/** Returns the problems to report for an error. */
export function problemsOf(error: unknown): readonly Problem[] {
  if (error instanceof RequestRefused) return error.problems
  if (error instanceof LimitReached) return [{ code: 'too_many_attempts' }]
  if (isUnavailable(error)) return [{ code: 'service_unavailable' }]
  if (error instanceof URIError)
    return [
      {
        code: 'malformed_request',
        message: 'The percent encoding of the path is invalid. Correct the path.',
      },
    ]
  const { type, status, body } = (error ?? {}) as { type?: unknown; status?: unknown; body?: unknown }
  if (type === 'entity.parse.failed') return [{ code: 'malformed_request', message: notJson(String(body)) }]
  const known = PARSER_PROBLEMS[String(type)] ?? (status === 400 ? MALFORMED : undefined)
  return [known ?? { code: 'internal_error' }]
}

/** Exceeds the number of fields in an application, so that only hostile bodies reach this limit. */
const MAX_PROBLEMS = 2_000

export const errorBody = (problems: readonly Problem[]) => ({
  errors: problems.slice(0, MAX_PROBLEMS).map(({ code, field, message }) => ({
    code,
    message: message ?? ERRORS[code].message,
    ...(field === undefined ? {} : { field }),
  })),
})

export function errorHandler(log: Logger): ErrorRequestHandler {
  return (error, req, res, _next) => {
    const isUnknown = req.method !== 'GET' && isOutcomeUnknown(error)
    const problems = isUnknown ? [UNKNOWN] : problemsOf(error)
    const status = statusOf(problems)
    const requestId = res.getHeader('X-Request-Id')
    if (status >= 500)
      log.error({ err: error, requestId, ...spanOf(res).logFields, status }, 'request failed')
    // Does not call `next`, because Express would then send the error message.
    if (res.headersSent) return void res.destroy()
    const isInProgress = problems.some(({ code }) => code === 'idempotency_key_in_progress')
    if (status === 503 || isInProgress) res.setHeader('Retry-After', RETRY_AFTER_SECONDS)
    if (error instanceof LimitReached || error instanceof RateReached)
      res.setHeader('Retry-After', Math.ceil(error.waitMs / 1000))
    const body = errorBody(problems)
    res.status(status).json(status === 500 ? { ...body, request_id: requestId } : body)
  }
}
