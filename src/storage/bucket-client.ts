/** Sends requests to a bucket of an S3 server, and repeats those that fail temporarily. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { S3 } from '@aws-sdk/client-s3'
import type { BlobLocation } from '../process/blob-url.ts'
import { StorageUnavailable } from './byte-store.ts'

const MAX_PAUSE_MS = 800
/** If a request gets no response, other requests fail immediately for this time, so that their waits do not add up. */
const UNREACHABLE_MS = 1_000

export interface BucketCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

/** A failure with a reason that can be logged. If `canPass` is true, the same request can succeed later. */
export class Failed extends Error {
  readonly canPass: boolean
  /** True if the server did not respond. */
  readonly isUnreachable: boolean
  constructor(reason: string, canPass: boolean, isUnreachable = false) {
    super(reason)
    this.canPass = canPass
    this.isUnreachable = isUnreachable
  }
}

export interface Attempt {
  readonly abortSignal: AbortSignal
  /** True if an earlier request without a response may have had an effect. */
  readonly isRepeated: boolean
}

interface ClientLimits {
  /** Until a connection is open. */
  readonly writeMs: number
  /** Until the first byte, and between later bytes. */
  readonly readMs: number
}

export function createBucketClient(
  { bucket, prefix, endpoint, isPathStyle, region }: Extract<BlobLocation, { kind: 'bucket' }>,
  { accessKeyId, secretAccessKey, sessionToken }: BucketCredentials,
  { writeMs, readMs }: ClientLimits,
  load = () => import('@aws-sdk/client-s3'),
) {
  const name = `s3://${bucket}/${prefix}`
  let client: Promise<S3> | undefined
  /** Loads the client at the first request, because it takes 24 MB that a deployment with a folder does not need. */
  async function open(): Promise<S3> {
    const { S3: Client } = await load()
    return new Client({
      endpoint,
      forcePathStyle: isPathStyle,
      region,
      credentials: { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) },
      requestHandler: { connectionTimeout: writeMs, socketTimeout: readMs },
      // `send` repeats requests, because the client's repetitions have no deadline.
      maxAttempts: 1,
      expectContinueHeader: false,
      // `put` calculates and compares the checksums, and encryption protects the content.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    })
  }

  let unreachableUntil = 0
  /**
   * Sends a request. If the failure may be temporary, repeats the request until `deadline`, a time of
   * `performance.now()`. The time in which the client is loaded does not count.
   */
  async function send<T>(what: string, deadline: number, request: (s3: S3, attempt: Attempt) => Promise<T>) {
    if (performance.now() < unreachableUntil) throw unavailable(what, new Error('no response'))
    const asked = performance.now()
    client ??= open()
    const s3 = await client
    const until = deadline + performance.now() - asked
    let reason: Failed | null = null
    for (let repeats = 0; ; repeats += 1) {
      const stop = new AbortController()
      const late = setTimeout(() => stop.abort(), Math.max(0, until - performance.now()))
      try {
        return await request(s3, { abortSignal: stop.signal, isRepeated: repeats > 0 })
      } catch (cause) {
        const error = failureOf(cause)
        // Keeps the earlier failure, which has more information than a repetition that ran out of time.
        if (reason === null || error.message !== NO_RESPONSE) reason = error
        const pauseMs = Math.random() * Math.min(MAX_PAUSE_MS, 50 * 2 ** repeats)
        if (error.canPass && performance.now() + pauseMs < until) {
          await sleep(pauseMs)
          continue
        }
        if (error.isUnreachable) unreachableUntil = performance.now() + UNREACHABLE_MS
        throw unavailable(what, reason)
      } finally {
        clearTimeout(late)
      }
    }
  }
  const unavailable = (what: string, error: Error) =>
    new StorageUnavailable(`BLOB_URL: ${what} in ${name} failed: ${error.message}.`, { cause: error })
  return { name, send, unavailable }
}

const NO_RESPONSE = 'no response'
const PASSING = new Set([408, 409, 429, 500, 502, 503, 504])
const PASSING_CODES = new Set(['InternalError', 'SlowDown', 'ServiceUnavailable', 'RequestTimeout'])
/** Errors that remain, although the client reports errors after status 200 with status 503. */
const LASTING_CODE = /Denied|Invalid|NoSuch/

/** Returns the failure of a request. Uses only the code, because the server's message can contain names. */
export function failureOf(error: unknown): Failed {
  if (error instanceof Failed) return error
  const { name, code, $metadata } = error as NodeJS.ErrnoException & {
    readonly $metadata?: { readonly httpStatusCode?: number }
  }
  const status = $metadata?.httpStatusCode
  if (status === undefined)
    return new Failed(/Abort|Timeout/.test(name) ? NO_RESPONSE : (code ?? NO_RESPONSE), true, true)
  const known =
    /^[A-Z]\w{1,63}$/.test(name) && !/^(Unknown|UnknownError|NotFound|\d+)$/.test(name) ? name : ''
  const canPass = PASSING_CODES.has(known) || (PASSING.has(status) && !LASTING_CODE.test(known))
  return new Failed(`${status} ${known}`.trim(), canPass)
}
