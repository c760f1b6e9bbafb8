/** One signed POST to one URL, and what came of it (specification, "Acknowledgement and retries"). */
import { performance } from 'node:perf_hooks'
import type undici from 'undici'
import type { AttemptResult } from '../db/webhooks/attempt.ts'
import type { Egress } from './egress.ts'
import { NO_NAME_SERVER } from './resolver.ts'
import { signatureHeader } from './signature.ts'

/** Covers everything: lookup, connecting, TLS, headers and body. */
const DEADLINE_MS = 10_000
/** A timer this late tells of a process that stood still: what has come meanwhile is read first. */
const LATE_MS = 500
const MAX_ANSWER_BYTES = 64 * 1024
const EXCERPT_BYTES = 2_048
const ACCEPTED = new Set([200, 201])

/**
 * Nobody could be asked: this process has no descriptors or memory left, or reaches no name server. It has no code of its
 * own, since it says as little of PostgreSQL, whose failures are told by theirs, as of the receiver.
 */
export class NotSent extends Error {
  override readonly name = 'NotSent'
}

/**
 * A receiver's failure is a result; rejects with `NotSent` where it could not be asked. Redirects
 * are not followed. Gives null when, at the moment the connection was there, it was not to be sent any more (`isWanted`).
 */
export function sendWebhook(
  egress: Egress,
  url: string,
  body: string,
  secrets: readonly string[],
): Promise<AttemptResult>
export function sendWebhook(
  egress: Egress,
  url: string,
  body: string,
  secrets: readonly string[],
  isWanted: () => boolean,
): Promise<AttemptResult | null>
export function sendWebhook(
  egress: Egress,
  url: string,
  body: string,
  secrets: readonly string[],
  isWanted = () => true,
): Promise<AttemptResult | null> {
  const started = performance.now()
  const { origin, pathname, search } = new URL(url)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    let statusCode: number | null = null
    let connection: undici.Dispatcher.DispatchController | undefined
    let settled = false
    let deadline = setTimeout(onDeadline, DEADLINE_MS)

    const settle = (failure: string | null) => {
      if (settled) return
      settled = true
      clearTimeout(deadline)
      const error = failure ?? (ACCEPTED.has(statusCode ?? 0) ? null : `HTTP status ${statusCode}`)
      const durationMs = Math.round(performance.now() - started)
      resolve({ url, statusCode, error, durationMs, excerpt: statusCode === null ? null : excerptOf(chunks) })
      // Nobody waits for what is still to come of a failed request or an endless answer.
      if (failure !== null || size > MAX_ANSWER_BYTES) connection?.abort(new Error('not waited for'))
    }
    function onDeadline() {
      const late = performance.now() - started - DEADLINE_MS > LATE_MS
      const end = () => settle('no complete answer within 10 seconds')
      if (late) deadline = setTimeout(end, LATE_MS)
      else end()
    }

    egress.dispatch(
      {
        origin,
        path: pathname + search,
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'User-Agent': 'Gatehouse',
          'Service-Signature': signatureHeader(secrets, body, Math.floor(Date.now() / 1000)),
        },
        body,
      },
      {
        onRequestStart(controller) {
          connection = controller
          if (!settled && !isWanted()) {
            settled = true
            clearTimeout(deadline)
            resolve(null)
          }
          if (settled) controller.abort(new Error('not to be sent any more'))
        },
        onResponseStart(_controller, status) {
          statusCode = status
        },
        onResponseData(_controller, chunk) {
          if (size < EXCERPT_BYTES) chunks.push(chunk)
          size += chunk.length
          if (size > MAX_ANSWER_BYTES) settle(null)
        },
        onResponseEnd: () => settle(null),
        onResponseError(_controller, error) {
          if (isOurs(error)) reject(new NotSent(`the request could not be sent (${error.code})`))
          settle(reasonOf(error))
        },
      },
    )
  })
}

/** The beginning of the answer as text that PostgreSQL can store. */
const excerptOf = (chunks: readonly Buffer[]): string =>
  Buffer.concat(chunks).subarray(0, EXCERPT_BYTES).toString('utf8').replaceAll('\u0000', '')

const REASONS: Record<string, string> = {
  FORBIDDEN_ADDRESS: 'the address is not public',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  UND_ERR_SOCKET: 'connection closed before the answer was complete',
  ENOTFOUND: 'the host name does not resolve',
  EAI_AGAIN: 'the host name does not resolve',
  UND_ERR_CONNECT_TIMEOUT: 'timed out while connecting',
}

/** What says nothing about the receiver. */
const OURS = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', NO_NAME_SERVER])
const isOurs = (error: Error): error is NodeJS.ErrnoException =>
  OURS.has(String((error as NodeJS.ErrnoException).code))

function reasonOf(error: Error): string {
  const { code } = error as { code?: unknown }
  if (typeof code !== 'string') return 'the request failed'
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) return `the TLS certificate was not accepted (${code})`
  return REASONS[code] ?? `the request failed (${code})`
}
