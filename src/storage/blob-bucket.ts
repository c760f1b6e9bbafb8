/** Stores encrypted files in a bucket of an S3 server. */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import { Agent, type Dispatcher, request } from 'undici'
import { validate } from 'uuid'
import type { BlobLocation } from '../process/blob-url.ts'
import { type ByteStore, type Chunks, StorageUnavailable } from './byte-store.ts'

/** The smallest size that S3 accepts for a part that is not the last one. */
const PART_BYTES = 5 * 1_024 * 1_024
/** Larger than any file. */
const MAX_RESPONSE_BYTES = 16_000_000
/** The number of parts in memory that later uploads reuse. */
const MAX_FREE_PARTS = 8
const MAX_PAUSE_MS = 800
/** If a request gets no response, other requests fail immediately for this time, so that their waits do not add up. */
const UNREACHABLE_MS = 1_000

/** The limits for requests that a caller waits for. The caller may need one write and one read in five seconds. */
const LIMITS = {
  /** For each part, and for all requests after the last byte of the source. */
  writeMs: 2_500,
  /** Until the first byte, and between later bytes. */
  readMs: 1_500,
  /** For a page of a list, which only commands read. */
  listMs: 30_000,
}
export type BucketLimits = typeof LIMITS

/** The limits for commands, which keep no caller waiting. */
export const PATIENT: BucketLimits = { writeMs: 30_000, readMs: 30_000, listMs: 30_000 }

export interface BucketCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

interface Ask {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** The name of an object. If absent, the request concerns the bucket. */
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer
  /** When the request and its repetitions must end, as a time of `performance.now()`. */
  readonly until: number
  /** The statuses, in addition to 200, 204 and 206, that are not errors. */
  readonly accepts?: readonly number[]
}

interface Answer {
  readonly status: number
  readonly headers: Dispatcher.ResponseData['headers']
  readonly body: Dispatcher.ResponseData['body']
  /** True if an earlier request without a response may have had an effect. */
  readonly isRepeated: boolean
}

/** A failure with a reason that can be logged. If `canPass` is true, the same request can succeed later. */
class Failed extends Error {
  readonly canPass: boolean
  /** True if the server did not respond. */
  readonly isUnreachable: boolean
  constructor(reason: string, canPass: boolean, isUnreachable = false) {
    super(reason)
    this.canPass = canPass
    this.isUnreachable = isUnreachable
  }
}

const PASSING = new Set([408, 409, 429, 500, 502, 503, 504])
const PASSING_CODES = new Set(['InternalError', 'SlowDown', 'ServiceUnavailable', 'RequestTimeout'])

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes)

export function createBlobBucket(
  { bucket, prefix, url, region }: Extract<BlobLocation, { kind: 'bucket' }>,
  { accessKeyId, secretAccessKey, sessionToken }: BucketCredentials,
  { writeMs, readMs, listMs }: BucketLimits = LIMITS,
): ByteStore {
  const name = `s3://${bucket}/${prefix}`
  const dispatcher = new Agent({
    connect: { timeout: writeMs },
    bodyTimeout: readMs,
    maxResponseSize: MAX_RESPONSE_BYTES,
  })
  const keyOf = (id: string) => `${prefix}${id.slice(-2)}/${id}`
  const within = (ms: number) => performance.now() + ms

  async function sendOnce<T>(ask: Ask, isRepeated: boolean, use: (answer: Answer) => Promise<T>): Promise<T> {
    const { method, key, query, body, accepts = [] } = ask
    const address = new URL(key === undefined ? url : `${url}/${key}`)
    for (const [option, value] of Object.entries(query ?? {})) address.searchParams.set(option, value)
    const signed = await new AwsV4Signer({
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
      method,
      url: address.href,
      headers: { ...ask.headers, 'x-amz-content-sha256': sha256(body ?? '').digest('hex') },
      service: 's3',
      region,
    }).sign()
    const stop = new AbortController()
    const late = setTimeout(() => stop.abort(), Math.max(0, ask.until - performance.now()))
    try {
      const answered = await request(signed.url, {
        method,
        headers: Object.fromEntries(signed.headers),
        body: body ?? null,
        signal: stop.signal,
        dispatcher,
      })
      const { statusCode: status, headers } = answered
      if (![200, 204, 206, ...accepts].includes(status)) throw await failureOf(answered)
      return await use({ status, headers, body: answered.body, isRepeated })
    } catch (error) {
      if (error instanceof Failed) throw error
      const { code = 'no response' } = error as NodeJS.ErrnoException
      throw new Failed(stop.signal.aborted ? 'no response' : code, true, true)
    } finally {
      clearTimeout(late)
    }
  }

  let unreachableUntil = 0
  /** Sends a request. If the failure may be temporary, repeats the request until `until`. Redirects are failures. */
  async function send<T>(ask: Ask, use: (answer: Answer) => Promise<T>): Promise<T> {
    if (performance.now() < unreachableUntil) throw unavailable(ask.method, new Error('no response'))
    let reason: Failed | null = null
    for (let repeats = 0; ; repeats += 1) {
      try {
        return await sendOnce(ask, repeats > 0, use)
      } catch (error) {
        if (!(error instanceof Failed)) throw error
        // Keeps the earlier failure, which has more information than a repetition that ran out of time.
        if (reason === null || error.message !== 'no response') reason = error
        const pauseMs = Math.random() * Math.min(MAX_PAUSE_MS, 50 * 2 ** repeats)
        if (error.canPass && performance.now() + pauseMs < ask.until) {
          await sleep(pauseMs)
          continue
        }
        if (error.isUnreachable) unreachableUntil = performance.now() + UNREACHABLE_MS
        throw unavailable(ask.method, reason)
      }
    }
  }
  const unavailable = (what: string, error: Error) =>
    new StorageUnavailable(`BLOB_URL: ${what} in ${name} failed: ${error.message}.`, { cause: error })

  /** Returns headers with which a request replaces only the version that is stored now. */
  async function replacing(id: string): Promise<Record<string, string>> {
    const ask = { method: 'HEAD', key: keyOf(id), until: within(readMs), accepts: [404] } as const
    return send(ask, async ({ status, headers }): Promise<Record<string, string>> => {
      const { etag } = headers
      return status === 404 ? { 'if-none-match': '*' } : { 'if-match': String(etag) }
    })
  }

  /** Stores an object and returns its ETag. Returns null if an earlier request without a response has stored it. */
  const putObject = (id: string, body: Buffer, condition: Record<string, string>, until: number) =>
    send(
      {
        method: 'PUT',
        key: keyOf(id),
        headers: { ...condition, 'x-amz-checksum-sha256': sha256(body).digest('base64') },
        body,
        until,
        accepts: [412],
      },
      async ({ status, headers, body: answer, isRepeated }) => {
        await answer.dump()
        if (status === 412) return storedEarlier(isRepeated)
        requireChecksum(headers, sha256(body).digest('base64'))
        return String(headers.etag)
      },
    )

  const beginUpload = (id: string, until: number): Promise<string> =>
    send(
      {
        method: 'POST',
        key: keyOf(id),
        query: { uploads: '' },
        headers: { 'x-amz-checksum-algorithm': 'SHA256' },
        until,
      },
      async ({ body }) => {
        const [uploadId] = valuesOf(await body.text(), 'UploadId')
        if (!uploadId) throw new Failed('no UploadId', false)
        return uploadId
      },
    )

  function putPart(id: string, uploadId: string, number: number, body: Buffer, until: number): Promise<Part> {
    const checksum = sha256(body).digest('base64')
    const query = { partNumber: String(number), uploadId }
    const headers = { 'x-amz-checksum-sha256': checksum }
    return send(
      { method: 'PUT', key: keyOf(id), query, headers, body, until },
      async ({ headers, body: answer }) => {
        await answer.dump()
        requireChecksum(headers, checksum)
        return { etag: String(headers.etag), checksum }
      },
    )
  }

  /** Completes an upload and returns the ETag, as `putObject` does. */
  const completeUpload = (
    id: string,
    uploadId: string,
    parts: readonly Part[],
    condition: Record<string, string>,
    until: number,
  ) =>
    send(
      {
        method: 'POST',
        key: keyOf(id),
        query: { uploadId },
        headers: condition,
        body: Buffer.from(completionOf(parts)),
        until,
        accepts: [404, 412],
      },
      async ({ status, body, isRepeated }) => {
        const text = await body.text()
        if (status !== 200) return storedEarlier(isRepeated)
        // S3 sends the status before it has completed the object, so the body can still contain an error.
        if (!text.includes('<CompleteMultipartUploadResult')) throw failureIn(200, text)
        return valuesOf(text, 'ETag')[0] ?? null
      },
    )

  /** Throws unless the stored object has this size, checksum and ETag. */
  const confirm = (id: string, size: number, checksum: string, etag: string | null, until: number) =>
    send(
      { method: 'HEAD', key: keyOf(id), headers: { 'x-amz-checksum-mode': 'ENABLED' }, until },
      async ({ headers }) => {
        if (headers['content-length'] !== String(size)) throw new Failed('the stored size differs', false)
        if (etag !== null && headers.etag !== etag) throw new Failed('the stored version differs', false)
        requireChecksum(headers, checksum)
      },
    )

  const abortUpload = (key: string, uploadId: string): Promise<void> =>
    send(
      { method: 'DELETE', key, query: { uploadId }, until: within(writeMs), accepts: [404] },
      async ({ body }) => void (await body.dump()),
    )

  /**
   * Lists objects page by page. `next` maps each parameter of the next request to the element that contains its value.
   */
  async function* pages(
    query: Record<string, string>,
    next: Record<string, string>,
    ms: number,
  ): AsyncGenerator<string> {
    for (let more: Record<string, string> | null = {}; more; ) {
      const asked: Record<string, string> = { ...query, ...more }
      const text = await send({ method: 'GET', query: asked, until: within(ms) }, ({ body }) => body.text())
      yield text
      const entries = Object.entries(next).map(([option, tag]) => [option, valuesOf(text, tag)[0] ?? ''])
      more = valuesOf(text, 'IsTruncated')[0] === 'true' ? Object.fromEntries(entries) : null
    }
  }

  async function* unfinishedUploads(
    start: string,
    ms: number,
  ): AsyncGenerator<{ key: string; uploadId: string }> {
    const next = { 'key-marker': 'NextKeyMarker', 'upload-id-marker': 'NextUploadIdMarker' }
    for await (const page of pages({ uploads: '', prefix: start }, next, ms)) {
      const ids = valuesOf(page, 'UploadId')
      for (const [i, key] of valuesOf(page, 'Key').entries()) yield { key, uploadId: ids[i] ?? '' }
    }
  }

  const idOf = (key: string): string | null => {
    const id = key.slice(key.lastIndexOf('/') + 1)
    return validate(id) && key === keyOf(id) ? id : null
  }

  let isUsed = false
  return {
    name,
    async put(id, source, { isReplacement = false } = {}) {
      const condition = isReplacement ? await replacing(id) : { 'if-none-match': '*' }
      const parts: Part[] = []
      let uploadId: string | null = null
      let size = 0
      try {
        for await (const { bytes, isLast } of partsOf(source)) {
          const until = within(writeMs)
          size += bytes.length
          if (isLast && uploadId === null) {
            const etag = await putObject(id, bytes, condition, until)
            await confirm(id, size, sha256(bytes).digest('base64'), etag, until)
            return
          }
          uploadId ??= await beginUpload(id, until)
          parts.push(await putPart(id, uploadId, parts.length + 1, bytes, until))
          if (!isLast) continue
          const etag = await completeUpload(id, uploadId, parts, condition, until)
          await confirm(id, size, checksumOf(parts), etag, until)
        }
      } catch (error) {
        // Aborts in the background. If this fails, `remove` aborts the upload later.
        if (uploadId !== null) abortUpload(keyOf(id), uploadId).catch(() => {})
        throw error
      }
    },
    async get(id, maxBytes) {
      const found = await send(
        {
          method: 'GET',
          key: keyOf(id),
          ...(maxBytes !== undefined && { headers: { range: `bytes=0-${maxBytes - 1}` } }),
          until: within(readMs),
          accepts: [404],
        },
        async ({ status, body }) => {
          // Reads without pauses, because undici ends the process if the server closes a paused connection.
          if (status !== 404) return { bytes: body.arrayBuffer() }
          const failure = failureIn(404, await body.text())
          if (failure.message === '404 NoSuchKey') return null
          throw failure
        },
      )
      if (!found) return null
      const bytes = await found.bytes.catch(({ code = 'no response' }: NodeJS.ErrnoException) => {
        throw unavailable('GET', new Error(code))
      })
      return [Buffer.from(bytes).subarray(0, maxBytes)]
    },
    async *ids() {
      const next = { 'continuation-token': 'NextContinuationToken' }
      for await (const page of pages({ 'list-type': '2', prefix }, next, listMs))
        for (const key of valuesOf(page, 'Key')) {
          const id = idOf(key)
          if (id) yield id
        }
      for await (const { key } of unfinishedUploads(prefix, listMs)) {
        const id = idOf(key)
        if (id) yield id
      }
    },
    async remove(id) {
      const key = keyOf(id)
      for await (const upload of unfinishedUploads(key, writeMs))
        await abortUpload(upload.key, upload.uploadId)
      await send(
        { method: 'DELETE', key, until: within(writeMs), accepts: [404] },
        async ({ body }) => void (await body.dump()),
      )
    },
    async isUsed(mustAsk = false) {
      if (isUsed && !mustAsk) return true
      for await (const page of pages({ 'list-type': '2', prefix, 'max-keys': '1' }, {}, readMs)) {
        isUsed = valuesOf(page, 'Key').length > 0
        break
      }
      return isUsed
    },
  }
}

interface Part {
  readonly etag: string
  readonly checksum: string
}

const freeParts: Buffer[] = []

/**
 * Splits the bytes into parts. Each part is valid only until the next one is requested. The last part is empty only if
 * the source is empty.
 */
async function* partsOf(
  source: Chunks,
): AsyncGenerator<{ readonly bytes: Buffer; readonly isLast: boolean }> {
  const memory = freeParts.pop() ?? Buffer.allocUnsafeSlow(PART_BYTES)
  try {
    let used = 0
    for await (const chunk of source) {
      for (let from = 0; from < chunk.length; ) {
        if (used === PART_BYTES) {
          yield { bytes: memory, isLast: false }
          used = 0
        }
        const copied = chunk.copy(memory, used, from)
        used += copied
        from += copied
      }
    }
    yield { bytes: memory.subarray(0, used), isLast: true }
  } finally {
    if (freeParts.length < MAX_FREE_PARTS) freeParts.push(memory)
  }
}

/**
 * Returns null if the object was stored by an earlier request. If the condition fails for a repeated request, the first
 * one was successful. Throws otherwise.
 */
function storedEarlier(isRepeated: boolean): null {
  if (isRepeated) return null
  throw new Failed('the condition is not met', false)
}

/** Throws if the stored checksum differs. Servers that store no checksums omit the header. */
function requireChecksum(headers: Answer['headers'], expected: string): void {
  const [stored] = String(headers['x-amz-checksum-sha256'] ?? expected).split('-')
  if (stored !== expected) throw new Failed('the stored checksum differs', false)
}

const checksumOf = (parts: readonly Part[]): string =>
  sha256(Buffer.concat(parts.map(({ checksum }) => Buffer.from(checksum, 'base64')))).digest('base64')

const completionOf = (parts: readonly Part[]): string =>
  `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts
    .map(
      ({ etag, checksum }, i) =>
        `<Part><PartNumber>${i + 1}</PartNumber><ETag>${escapeXml(etag)}</ETag><ChecksumSHA256>${checksum}</ChecksumSHA256></Part>`,
    )
    .join('')}</CompleteMultipartUpload>`

const escapeXml = (text: string): string => text.replace(/[&<>"]/g, (each) => `&#${each.charCodeAt(0)};`)

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Returns the text of each element with this name. */
const valuesOf = (xml: string, tag: string): string[] =>
  [...xml.matchAll(new RegExp(`<${tag}>([^<]*)</${tag}>`, 'g'))].map(([, text = '']) =>
    text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) =>
      name ? (ENTITIES[name] ?? whole) : String.fromCharCode(parseInt(hex ?? decimal, hex ? 16 : 10)),
    ),
  )

const failureOf = async ({ statusCode, body }: Dispatcher.ResponseData): Promise<Failed> =>
  failureIn(statusCode, await body.text())

/** Returns the failure in a response. Uses only the code, because the server's message can contain names. */
function failureIn(status: number, text: string): Failed {
  const [code = ''] = valuesOf(text, 'Code')
  const known = /^\w{1,64}$/.test(code) ? code : ''
  return new Failed(`${status} ${known}`.trim(), PASSING.has(status) || PASSING_CODES.has(known))
}
