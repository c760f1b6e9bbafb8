/** Sends one signed POST request to one URL, and returns its result (specification, "Acknowledgement and retries"). */
import { performance } from 'node:perf_hooks'
import type undici from 'undici'
import type { AttemptResult } from '../db/webhooks/attempt.ts'
import { readRetryAfter } from '../domain/webhook/delivery-schedule.ts'
import { type Failure, failureText } from '../domain/webhook/failure.ts'
import { type Attributes, NO_SPAN, type Span } from '../process/span.ts'
import { type Connection, findConnection } from './connection.ts'
import type { Connections } from './egress.ts'
import { NO_NAME_SERVER } from './resolver.ts'
import { type SignedAttempt, signedHeaders } from './signature.ts'

/** The time limit for the DNS lookup, the connection, TLS, the headers and the body together. */
const DEADLINE_MS = 10_000
/**
 * If the timer fires this late, the process was suspended. The deadline is then extended, so that the process can read
 * the data that arrived in the meantime.
 */
const LATE_MS = 500
const MAX_ANSWER_BYTES = 64 * 1024
const EXCERPT_BYTES = 2_048
/** The bytes read for the excerpt, so that it does not end within a secret. No header value is longer than 4,000. */
const READ_BYTES = EXCERPT_BYTES + 4_000
/** The minimum length of a word of a header value that the excerpt hides. Shorter ones are no secrets. */
const MIN_HIDDEN = 8
const ACCEPTED = new Set([200, 201])
/** The statuses with which a receiver can ask Gatehouse to wait. */
const WAITING = new Set([429, 503])

interface SentAttempt extends SignedAttempt {
  /** The additional headers of the URL. */
  readonly headers?: Readonly<Record<string, string>>
  readonly trace?: {
    readonly span: Span
    readonly attributes: Attributes
    /** Whether the receiver gets the trace, in the header `traceparent`, which is not signed. */
    readonly isSent: boolean
    /** Returns false for a status that the trace shows as an error. */
    readonly isAccepted?: (status: number) => boolean
  }
}

/**
 * Thrown if Gatehouse could not send the request, because it has no file descriptors or memory left or cannot reach a
 * name server. This error has no code, because codes are reserved for failures of PostgreSQL and of the receiver.
 */
export class NotSent extends Error {
  override readonly name = 'NotSent'
}

/**
 * Sends the body to the URL and returns the result, even if the receiver fails. Rejects with `NotSent` if Gatehouse
 * could not send. Does not follow redirects. Returns null if `isWanted` returns false once the connection is ready.
 */
export function sendWebhook(egress: Connections, url: string, attempt: SentAttempt): Promise<AttemptResult>
export function sendWebhook(
  egress: Connections,
  url: string,
  attempt: SentAttempt,
  isWanted: () => boolean,
): Promise<AttemptResult | null>
export function sendWebhook(
  egress: Connections,
  url: string,
  attempt: SentAttempt,
  isWanted = () => true,
): Promise<AttemptResult | null> {
  const { trace } = attempt
  if (trace === undefined || trace.span === NO_SPAN)
    return post(egress, url, { ...attempt, traceparent: null }, isWanted)
  const { span, attributes, isSent, isAccepted = (status) => ACCEPTED.has(status) } = trace
  const own = span.start('POST', { kind: 'client', attributes })
  const traceparent = isSent ? own.traceparent : null
  return post(egress, url, { ...attempt, traceparent }, isWanted).then(
    (result) => {
      const { statusCode = null, error } = result ?? {}
      if (statusCode === null) own.end({ error: error ?? undefined })
      else
        own.end({
          attributes: { 'http.response.status_code': statusCode },
          ...(!isAccepted(statusCode) && { error: String(statusCode) }),
        })
      return result
    },
    (error: unknown) => {
      own.end({ error })
      throw error
    },
  )
}

function post(
  egress: Connections,
  url: string,
  attempt: SentAttempt & { readonly traceparent: string | null },
  isWanted: () => boolean,
): Promise<AttemptResult | null> {
  const { origin, pathname, search } = new URL(url)
  const { body, traceparent } = attempt
  const headers = {
    ...attempt.headers,
    'Content-Type': 'application/json',
    'User-Agent': 'Gatehouse',
    ...signedHeaders(attempt, Math.floor(Date.now() / 1000)),
    ...(traceparent && { traceparent }),
  }
  const request = { origin, path: pathname + search, method: 'POST' as const, headers, body }
  return new Promise((resolve, reject) => {
    const handler = handlerFor({
      ...{ url, isWanted, resolve, reject, hidden: hiddenWords(attempt.headers) },
      sendAgain: () => void egress.dispatchAnew(request, handler),
    })
    // Unlike `request()`, `dispatch()` creates no stream and no abort signal for each request.
    egress.dispatch(request, handler)
  })
}

interface Exchange {
  readonly url: string
  readonly hidden: readonly string[]
  readonly sendAgain: () => void
  readonly isWanted: () => boolean
  readonly resolve: (result: AttemptResult | null) => void
  readonly reject: (error: Error) => void
}

/** Creates the handler for one request. Starts the deadline, and settles the exchange once. */
function handlerFor({
  url,
  hidden,
  sendAgain,
  isWanted,
  resolve,
  reject,
}: Exchange): undici.Dispatcher.DispatchHandler {
  const startedAt = performance.now()
  const chunks: Buffer[] = []
  let size = 0
  let statusCode: number | null = null
  let retryAfter: number | null = null
  let controller: undici.Dispatcher.DispatchController | undefined
  let connection: Connection | undefined
  let isSettled = false
  let deadline = setTimeout(onDeadline, DEADLINE_MS)

  function onDeadline(): void {
    const lateMs = performance.now() - startedAt - DEADLINE_MS
    if (lateMs > LATE_MS) deadline = setTimeout(onTimeout, LATE_MS)
    else onTimeout()
  }
  const onTimeout = () => finish(failureText('timeout'))

  function finish(failure: string | null): void {
    if (isSettled) return
    // If the status has arrived, it decides, even if the body is cut or never ends.
    const isAccepted = statusCode !== null && ACCEPTED.has(statusCode)
    const error = statusCode === null ? failure : isAccepted ? null : failureText('status', statusCode)
    const durationMs = Math.round(performance.now() - startedAt)
    const excerpt = statusCode === null ? null : excerptOf(chunks, hidden)
    settle({ url, statusCode, error, durationMs, excerpt, retryAfter })
    // Stops reading if the request has failed or the response is too long.
    if (failure !== null || size > MAX_ANSWER_BYTES) controller?.abort(new Error('the response is not read'))
  }
  function settle(result: AttemptResult | null): void {
    isSettled = true
    clearTimeout(deadline)
    resolve(result)
  }

  return {
    onRequestStart(own) {
      controller = own
      if (!isSettled && !isWanted()) settle(null)
      if (isSettled) return own.abort(new Error('the request is no longer wanted'))
      findConnection((found) => {
        connection = found
      })
    },
    onResponseStart(_controller, status, headers) {
      // Interim responses, such as 103, precede the response.
      if (status < 200) return
      statusCode = status
      const asked = headers['retry-after']
      if (WAITING.has(status) && typeof asked === 'string') retryAfter = readRetryAfter(asked, Date.now())
    },
    onResponseData(_controller, chunk) {
      if (size < READ_BYTES) chunks.push(chunk)
      size += chunk.length
      if (size > MAX_ANSWER_BYTES) finish(null)
    },
    onResponseEnd: () => finish(null),
    onResponseError(_controller, error) {
      if (!isSettled && connection?.isReused && !connection.isAnswered && isClosed(error)) {
        connection = undefined
        return sendAgain()
      }
      if (isOwnFailure(error)) reject(new NotSent(`the request could not be sent (${error.code})`))
      finish(reasonOf(connection?.failure ?? error))
    },
  }
}

/** Returns the words of additional headers, which may be secrets, longest first. */
const hiddenWords = (headers: SentAttempt['headers'] = {}): string[] =>
  Object.values(headers)
    .flatMap((value) => value.split(/[\s,;="']+/))
    .filter((word) => word.length >= MIN_HIDDEN)
    .sort((a, b) => b.length - a.length)

/**
 * Returns the beginning of the response, as text that PostgreSQL can store. Hides the additional headers, which error
 * pages repeat, because readers of the log must not see them.
 */
function excerptOf(chunks: readonly Buffer[], hidden: readonly string[]): string {
  // Latin-1 has one character for each byte, and the words are ASCII.
  const read = Buffer.concat(chunks).toString('latin1')
  const masked = hidden.reduce((text, word) => text.replaceAll(word, '*'.repeat(word.length)), read)
  return Buffer.from(masked, 'latin1').subarray(0, EXCERPT_BYTES).toString('utf8').replaceAll('\u0000', '')
}

const FAILURE_OF: Readonly<Record<string, Failure>> = {
  FORBIDDEN_ADDRESS: 'not_public',
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  EHOSTUNREACH: 'host_unreachable',
  ENETUNREACH: 'network_unreachable',
  ETIMEDOUT: 'connect_timeout',
  UND_ERR_SOCKET: 'closed',
  UND_ERR_HEADERS_OVERFLOW: 'large_headers',
  HPE_HEADER_OVERFLOW: 'large_headers',
  RESPONSE_TOO_LONG: 'large_headers',
  ENOTFOUND: 'unknown_host',
  EAI_AGAIN: 'unknown_host',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
}

/** The failures for classes of error codes, in the order in which they apply. */
const FAILURE_CLASSES: readonly (readonly [codes: RegExp, failure: Failure])[] = [
  [/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST/, 'no_tls'],
  [/PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|VERSION_TOO_LOW|INAPPROPRIATE_FALLBACK/, 'old_tls'],
  [/ALERT_HANDSHAKE_FAILURE/, 'handshake_refused'],
  [/CERTIFICATE_REQUIRED|ALERT_(NO|BAD)_CERTIFICATE/, 'client_certificate'],
  [/^ERR_SSL_|^EPROTO$/, 'handshake'],
  [/CERT|TLS|SELF_SIGNED|UNABLE_TO/, 'certificate'],
]

/** The error codes of a connection that the receiver has closed. */
const CLOSED = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])
const isClosed = (error: Error): boolean => CLOSED.has(String((error as NodeJS.ErrnoException).code))

/** The error codes of failures that the receiver did not cause. */
const OWN_FAILURES = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', NO_NAME_SERVER])
const isOwnFailure = (error: Error): error is NodeJS.ErrnoException =>
  OWN_FAILURES.has(String((error as NodeJS.ErrnoException).code))

function reasonOf(error: Error): string {
  const { code } = error as { code?: unknown }
  if (error.name === 'HTTPParserError' && code !== 'HPE_HEADER_OVERFLOW') return failureText('not_http')
  if (typeof code !== 'string') return failureText('other')
  const known = FAILURE_OF[code]
  if (known) return failureText(known)
  const [, failure = 'other' as const] = FAILURE_CLASSES.find(([codes]) => codes.test(code)) ?? []
  return failureText(failure, code)
}
