/** Stores encrypted files in a bucket of an S3 server. */
import { createHash } from 'node:crypto'
import type {
  CompletedPart,
  ListMultipartUploadsCommandInput,
  ListObjectsV2CommandInput,
} from '@aws-sdk/client-s3'
import { validate } from 'uuid'
import type { BlobLocation } from '../process/blob-url.ts'
import {
  type Attempt,
  type BucketCredentials,
  createBucketClient,
  Failed,
  failureOf,
} from './bucket-client.ts'
import type { ByteStore, Chunks } from './byte-store.ts'

/** The smallest size that S3 accepts for a part that is not the last one. */
const PART_BYTES = 5 * 1_024 * 1_024
/** Larger than any file. */
const MAX_OBJECT_BYTES = 16_000_000
/** The number of parts in memory that later uploads reuse. */
const MAX_FREE_PARTS = 8

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

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('base64')

export function createBlobBucket(
  location: Extract<BlobLocation, { kind: 'bucket' }>,
  credentials: BucketCredentials,
  limits = LIMITS,
): ByteStore {
  const { bucket, prefix } = location
  const { writeMs, readMs, listMs } = limits
  const { name, send, unavailable } = createBucketClient(location, credentials, limits)
  const keyOf = (id: string) => `${prefix}${id.slice(-2)}/${id}`
  const objectOf = (id: string) => ({ Bucket: bucket, Key: keyOf(id) })
  const within = (ms: number) => performance.now() + ms

  /** Returns the conditions with which a request replaces only the version that is stored now. */
  const replacing = (id: string): Promise<Conditions> =>
    send('HEAD', within(readMs), async (s3, attempt) => {
      try {
        const { ETag } = await s3.headObject(objectOf(id), attempt)
        return { IfMatch: ETag }
      } catch (error) {
        if (failureOf(error).message.startsWith('404')) return NEW
        throw error
      }
    })

  /** Stores an object and returns its ETag. Returns null if an earlier request without a response has stored it. */
  const putObject = (id: string, body: Buffer, conditions: Conditions, until: number) =>
    send('PUT', until, async (s3, attempt) => {
      const checksum = sha256(body)
      const object = { ...objectOf(id), ...conditions, Body: body, ChecksumSHA256: checksum }
      const stored = await s3.putObject(object, attempt).catch(storedEarlier(attempt))
      requireChecksum(stored, checksum)
      return stored?.ETag ?? null
    })

  const beginUpload = (id: string, until: number): Promise<string> =>
    send('POST', until, async (s3, attempt) => {
      const object = { ...objectOf(id), ChecksumAlgorithm: 'SHA256' } as const
      const { UploadId } = await s3.createMultipartUpload(object, attempt)
      if (!UploadId) throw new Failed('no UploadId', false)
      return UploadId
    })

  const putPart = (id: string, UploadId: string, PartNumber: number, body: Buffer, until: number) =>
    send('PUT', until, async (s3, attempt): Promise<Part> => {
      const ChecksumSHA256 = sha256(body)
      const part = { ...objectOf(id), UploadId, PartNumber, Body: body, ChecksumSHA256 }
      const stored = await s3.uploadPart(part, attempt)
      requireChecksum(stored, ChecksumSHA256)
      return { PartNumber, ETag: stored.ETag, ChecksumSHA256 }
    })

  /** Completes an upload and returns the ETag, as `putObject` does. */
  const completeUpload = (
    id: string,
    UploadId: string,
    parts: Part[],
    conditions: Conditions,
    until: number,
  ) =>
    send('POST', until, async (s3, attempt) => {
      const upload = { ...objectOf(id), ...conditions, UploadId, MultipartUpload: { Parts: parts } }
      const completed = await s3.completeMultipartUpload(upload, attempt).catch(storedEarlier(attempt))
      return completed?.ETag ?? null
    })

  /** Throws unless the stored object has this size, checksum and ETag. */
  const confirm = (id: string, size: number, checksum: string, etag: string | null, until: number) =>
    send('HEAD', until, async (s3, attempt) => {
      const stored = await s3.headObject({ ...objectOf(id), ChecksumMode: 'ENABLED' }, attempt)
      if (stored.ContentLength !== size) throw new Failed('the stored size differs', false)
      if (etag !== null && stored.ETag !== etag) throw new Failed('the stored version differs', false)
      requireChecksum(stored, checksum)
    })

  const abortUpload = (Key: string, UploadId: string): Promise<void> =>
    send('DELETE', within(writeMs), async (s3, attempt) => {
      await s3.abortMultipartUpload({ Bucket: bucket, Key, UploadId }, attempt).catch(ignoreMissing)
    })

  async function* objects(ms: number, MaxKeys?: number): AsyncGenerator<string[]> {
    let query: ListObjectsV2CommandInput | null = { Bucket: bucket, Prefix: prefix, MaxKeys }
    while (query) {
      const asked: ListObjectsV2CommandInput = query
      const page = await send('GET', within(ms), (s3, attempt) => s3.listObjectsV2(asked, attempt))
      yield (page.Contents ?? []).map(({ Key = '' }) => Key)
      query = page.IsTruncated ? { ...asked, ContinuationToken: page.NextContinuationToken } : null
    }
  }

  async function* unfinishedUploads(
    start: string,
    ms: number,
  ): AsyncGenerator<{ key: string; uploadId: string }> {
    let query: ListMultipartUploadsCommandInput | null = { Bucket: bucket, Prefix: start }
    while (query) {
      const asked: ListMultipartUploadsCommandInput = query
      const page = await send('GET', within(ms), (s3, attempt) => s3.listMultipartUploads(asked, attempt))
      for (const { Key = '', UploadId = '' } of page.Uploads ?? []) yield { key: Key, uploadId: UploadId }
      const { IsTruncated, NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page
      query = IsTruncated ? { ...asked, KeyMarker, UploadIdMarker } : null
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
      const conditions = isReplacement ? await replacing(id) : NEW
      const parts: Part[] = []
      let uploadId: string | null = null
      let size = 0
      try {
        for await (const { bytes, isLast } of partsOf(source)) {
          const until = within(writeMs)
          size += bytes.length
          if (isLast && uploadId === null) {
            const etag = await putObject(id, bytes, conditions, until)
            await confirm(id, size, sha256(bytes), etag, until)
            return
          }
          uploadId ??= await beginUpload(id, until)
          parts.push(await putPart(id, uploadId, parts.length + 1, bytes, until))
          if (!isLast) continue
          const etag = await completeUpload(id, uploadId, parts, conditions, until)
          await confirm(id, size, checksumOf(parts), etag, until)
        }
      } catch (error) {
        // Aborts in the background. If this fails, `remove` aborts the upload later.
        if (uploadId !== null) abortUpload(keyOf(id), uploadId).catch(() => {})
        throw error
      }
    },
    async get(id, maxBytes) {
      const object = {
        ...objectOf(id),
        ...(maxBytes !== undefined && { Range: `bytes=0-${maxBytes - 1}` }),
      }
      const found = await send('GET', within(readMs), (s3, attempt) =>
        s3.getObject(object, attempt).catch((error: unknown) => {
          if (failureOf(error).message === '404 NoSuchKey') return null
          throw error
        }),
      )
      if (!found) return null
      if (Number(found.ContentLength) > MAX_OBJECT_BYTES) throw unavailable('GET', new Error('too large'))
      const bytes = await found.Body?.transformToByteArray().catch((error: unknown) => {
        throw unavailable('GET', failureOf(error))
      })
      return [Buffer.from(bytes ?? []).subarray(0, maxBytes)]
    },
    async *ids() {
      for await (const keys of objects(listMs))
        for (const key of keys) {
          const id = idOf(key)
          if (id) yield id
        }
      for await (const { key } of unfinishedUploads(prefix, listMs)) {
        const id = idOf(key)
        if (id) yield id
      }
    },
    async remove(id) {
      for await (const { key, uploadId } of unfinishedUploads(keyOf(id), writeMs))
        await abortUpload(key, uploadId)
      await send('DELETE', within(writeMs), async (s3, attempt) => {
        await s3.deleteObject(objectOf(id), attempt).catch(ignoreMissing)
      })
    },
    async isUsed(mustAsk = false) {
      if (isUsed && !mustAsk) return true
      const { value: keys } = await objects(readMs, 1).next()
      isUsed = Boolean(keys?.length)
      return isUsed
    },
  }
}

type Conditions = { readonly IfNoneMatch?: '*'; readonly IfMatch?: string | undefined }
const NEW: Conditions = { IfNoneMatch: '*' }

type Part = CompletedPart & { readonly ChecksumSHA256: string }

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
 * Returns null if the object was stored by an earlier request. If the condition or the upload is no longer valid for a
 * repeated request, the first one was successful. Throws otherwise.
 */
const storedEarlier =
  ({ isRepeated }: Attempt) =>
  (error: unknown): null => {
    if (!/^(404|412)/.test(failureOf(error).message)) throw error
    if (isRepeated) return null
    throw new Failed('the condition is not met', false)
  }

function ignoreMissing(error: unknown): void {
  if (!failureOf(error).message.startsWith('404')) throw error
}

/** Throws if the stored checksum differs. Servers that store no checksums return none. */
function requireChecksum(stored: { ChecksumSHA256?: string | undefined } | null, expected: string): void {
  const [checksum] = (stored?.ChecksumSHA256 ?? expected).split('-')
  if (checksum !== expected) throw new Failed('the stored checksum differs', false)
}

const checksumOf = (parts: readonly Part[]): string =>
  sha256(Buffer.concat(parts.map(({ ChecksumSHA256 }) => Buffer.from(ChecksumSHA256, 'base64'))))
