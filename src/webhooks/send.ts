/** One signed POST to one URL, and what came of it (specification, "Acknowledgement and retries"). */
import { performance } from 'node:perf_hooks'
import { type Dispatcher, request } from 'undici'
import type { AttemptResult } from '../db/webhook-attempt.ts'
import { signatureHeader } from './signature.ts'

const DEADLINE_MS = 10_000
const MAX_ANSWER_BYTES = 64 * 1024
const EXCERPT_BYTES = 2_048
const ACCEPTED = new Set([200, 201])

/** Never throws: a receiver's failure is a result. Redirects are not followed. */
export async function sendWebhook(
  egress: Dispatcher,
  url: string,
  body: string,
  secrets: readonly string[],
): Promise<AttemptResult> {
  const started = performance.now()
  const result = (
    statusCode: number | null,
    error: string | null,
    excerpt: string | null,
  ): AttemptResult => ({
    url,
    statusCode,
    error,
    durationMs: Math.round(performance.now() - started),
    excerpt,
  })
  try {
    const answer = await request(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'Gatehouse',
        'Service-Signature': signatureHeader(secrets, body, Math.floor(Date.now() / 1000)),
      },
      body,
      dispatcher: egress,
      signal: AbortSignal.timeout(DEADLINE_MS),
    })
    const excerpt = await readExcerpt(answer.body)
    const accepted = ACCEPTED.has(answer.statusCode)
    return result(answer.statusCode, accepted ? null : `HTTP status ${answer.statusCode}`, excerpt)
  } catch (error) {
    return result(null, reasonOf(error), null)
  }
}

/** The beginning of the answer as text that PostgreSQL can store; the rest is read up to a limit. */
async function readExcerpt(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    // Leaving the loop destroys the body, and with it the connection.
    if (size > MAX_ANSWER_BYTES) break
  }
  return Buffer.concat(chunks).subarray(0, EXCERPT_BYTES).toString('utf8').replaceAll('\u0000', '')
}

const REASONS: Record<string, string> = {
  FORBIDDEN_ADDRESS: 'the address is not public',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  UND_ERR_SOCKET: 'connection closed before the answer was complete',
  ENOTFOUND: 'the host name does not resolve',
  EAI_AGAIN: 'the host name does not resolve',
  UND_ERR_CONNECT_TIMEOUT: 'timed out while connecting',
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError')) {
    return 'no complete answer within 10 seconds'
  }
  const code = (error as { code?: unknown }).code
  if (typeof code !== 'string') return 'the request failed'
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) return `the TLS certificate was not accepted (${code})`
  return REASONS[code] ?? `the request failed (${code})`
}
