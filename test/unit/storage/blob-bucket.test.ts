/** Tests the storage of files in a bucket whose server is unavailable or slow, or sends wrong responses. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { createServer, ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { parseBlobUrls } from '../../../src/process/blob-url.ts'
import { createBlobBucket } from '../../../src/storage/blob-bucket.ts'
import { collect, createBlobStore } from '../../../src/storage/blob-store.ts'
import { createBucketClient } from '../../../src/storage/bucket-client.ts'
import { type ByteStore, StorageUnavailable } from '../../../src/storage/byte-store.ts'
import { createEncryption } from '../../../src/storage/encryption.ts'
import { type BucketRequest, type FakeBucket, fail, startFakeBucket } from '../../support/fake-bucket.ts'

const CREDENTIALS = {
  accessKeyId: 'the-access-key',
  secretAccessKey: 'the-secret-key',
  sessionToken: 'the-session-token',
}
/** `LIMITS` suits a slow machine, and `IMPATIENT` soon ends requests that get no response. */
const LIMITS = { writeMs: 10_000, readMs: 10_000, listMs: 10_000 }
const IMPATIENT = { writeMs: 100, readMs: 100, listMs: 100 }
/** Large enough for an upload in two parts. */
const LARGE = randomBytes(5_250_000)
const SMALL = randomBytes(10_000)

let fake: FakeBucket
let store: ByteStore
const locate = () => {
  const [location] = parseBlobUrls(fake.url)
  if (location?.kind !== 'bucket') throw new Error('a bucket')
  return location
}
const bucket = (limits = LIMITS) => createBlobBucket(locate(), CREDENTIALS, limits)
beforeEach(async () => {
  fake = await startFakeBucket()
  store = bucket()
})
afterEach(() => fake.stop())

const read = async (id: string, from = store) => {
  const found = await from.get(id)
  return found && collect(found)
}
/** Replaces the first response to the operation. */
function once(operation: string, replace: (request: BucketRequest, res: ServerResponse) => void): void {
  let isReplaced = false
  fake.replaceBy((request, res) => {
    if (request.operation !== operation || isReplaced) return false
    isReplaced = true
    replace(request, res)
    return true
  })
}
function always(operation: string, replace: (request: BucketRequest, res: ServerResponse) => void): void {
  fake.replaceBy((request, res) => {
    if (request.operation !== operation) return false
    replace(request, res)
    return true
  })
}
/** Applies the request, and closes the connection without a response. */
function loseResponse(request: BucketRequest, res: ServerResponse): void {
  fake.respond(request, new ServerResponse(res.req))
  res.destroy()
}

describe.each([
  ['a small file', SMALL],
  ['a file of several parts', LARGE],
])('%s', (_name, bytes) => {
  const id = randomUUID()
  test('is read unchanged, and cannot be stored twice', async () => {
    await store.put(id, [bytes.subarray(0, 70), bytes.subarray(70)])
    expect((await read(id))?.equals(bytes)).toBe(true)
    await expect(store.put(id, [SMALL])).rejects.toThrow('the condition is not met')
    expect((await read(id))?.equals(bytes)).toBe(true)
  })
  test('is replaced only if the stored version is unchanged', async () => {
    await store.put(id, [SMALL])
    await store.put(id, [bytes], { isReplacement: true })
    expect((await read(id))?.equals(bytes)).toBe(true)
    once('HEAD', (_request, res) => res.writeHead(200, { etag: '"another"' }).end())
    await expect(store.put(id, [SMALL], { isReplacement: true })).rejects.toThrow('the condition is not met')
  })
  test('is not stored if the source fails', async () => {
    async function* breaking() {
      yield bytes
      throw new Error('disconnected')
    }
    await expect(store.put(id, breaking())).rejects.toThrow('disconnected')
    await expect.poll(() => fake.uploads.size).toBe(0)
    expect(await read(id)).toBe(null)
  })
})

const LIES: readonly [string, string, Buffer, (request: BucketRequest, res: ServerResponse) => void][] = [
  [
    'half of the file',
    'PUT',
    SMALL,
    (request, res) => fake.respond({ ...request, body: request.body.subarray(0, 99) }, res),
  ],
  ['nothing', 'PUT', SMALL, (_request, res) => res.writeHead(200, { etag: '"x"' }).end()],
  [
    'another version',
    'HEAD',
    SMALL,
    (_request, res) => res.writeHead(200, { etag: '"other"', 'content-length': SMALL.length }).end(),
  ],
  [
    'another checksum',
    'PUT',
    SMALL,
    (_request, res) => res.writeHead(200, { etag: '"x"', 'x-amz-checksum-sha256': 'AAAA' }).end(),
  ],
  [
    'another checksum of a part',
    'PUT part',
    LARGE,
    (_request, res) => res.writeHead(200, { etag: '"x"', 'x-amz-checksum-sha256': 'AAAA' }).end(),
  ],
  ['an error after status 200', 'POST complete', LARGE, (_request, res) => fail(res, 200, 'AccessDenied')],
  ['an upload without an ID', 'POST begin', LARGE, (_request, res) => res.end('<X></X>')],
  ['a refusal', 'PUT', SMALL, (_request, res) => fail(res, 403, 'AccessDenied')],
  ['no bucket', 'GET', SMALL, (_request, res) => fail(res, 404, 'NoSuchBucket')],
]
test.each(LIES)('throws StorageUnavailable if the server reports %s', async (_lie, operation, bytes, lie) => {
  const id = randomUUID()
  always(operation, lie)
  const error = await (operation === 'GET' ? read(id) : store.put(id, [bytes])).catch((each) => each)
  expect(error).toBeInstanceOf(StorageUnavailable)
  expect(error.message).toMatch(/^BLOB_URL: \w+ in s3:\/\/files\/a\/ failed: [\w ]+\.$/)
  expect(fake.requests.filter((each) => each.operation === operation)).toHaveLength(1)
  await expect.poll(() => fake.uploads.size).toBe(0)
})

test('does not follow a redirect, and sends no credentials elsewhere', async () => {
  const seen: string[] = []
  const elsewhere = createServer((req, res) => {
    seen.push(req.url ?? '')
    res.end()
  }).listen(0, '127.0.0.1')
  await expect.poll(() => elsewhere.address()).not.toBe(null)
  const { port } = elsewhere.address() as { port: number }
  always('PUT', (_request, res) => res.writeHead(307, { location: `http://127.0.0.1:${port}/` }).end())
  await expect(store.put(randomUUID(), [SMALL])).rejects.toThrow('failed: 307.')
  expect(seen).toEqual([])
  elsewhere.close()
})

describe.each([
  ['is too busy', (_request: BucketRequest, res: ServerResponse) => fail(res, 503, 'SlowDown')],
  [
    'has an internal error',
    (_request: BucketRequest, res: ServerResponse) => fail(res, 500, 'InternalError'),
  ],
  ['closes the connection', (_request: BucketRequest, res: ServerResponse) => void res.destroy()],
  ['applies the request and loses its response', loseResponse],
])('a server that once %s', (_name, failure) => {
  test.each([
    ['PUT', SMALL],
    ['POST begin', LARGE],
    ['PUT part', LARGE],
    ['POST complete', LARGE],
    ['HEAD', SMALL],
  ])('gets the %s request again', async (operation, bytes) => {
    const id = randomUUID()
    once(operation, failure)
    await store.put(id, [bytes])
    expect((await read(id))?.equals(bytes)).toBe(true)
  })
  test('gets requests for reading, listing and removal again', async () => {
    const id = randomUUID()
    await store.put(id, [SMALL])
    once('GET', failure)
    expect((await read(id))?.equals(SMALL)).toBe(true)
    once('GET list', failure)
    expect(await store.isUsed()).toBe(true)
    once('DELETE', failure)
    await store.remove(id)
    expect(fake.objects.size).toBe(0)
  })
})

test('repeats a completion whose error follows status 200', async () => {
  const id = randomUUID()
  once('POST complete', (_request, res) => fail(res, 200, 'InternalError'))
  await store.put(id, [LARGE])
  expect((await read(id))?.equals(LARGE)).toBe(true)
})

describe('a server that does not respond', () => {
  test.each([
    ['PUT', SMALL],
    ['POST begin', LARGE],
    ['PUT part', LARGE],
    ['POST complete', LARGE],
    ['HEAD', SMALL],
  ])('makes a write fail at its deadline: %s', async (operation, bytes) => {
    const impatient = bucket(IMPATIENT)
    always(operation, () => {})
    await expect(impatient.put(randomUUID(), [bytes])).rejects.toThrow('no response')
  })
  test('makes a read fail before and after its first byte', async () => {
    const [impatient, id] = [bucket(IMPATIENT), randomUUID()]
    always('GET', () => {})
    await expect(read(id, impatient)).rejects.toBeInstanceOf(StorageUnavailable)
    const other = bucket(IMPATIENT)
    always('GET', (_request, res) => {
      res.writeHead(200, { 'content-length': 1_000 }).write('the start')
    })
    await expect(read(id, other)).rejects.toBeInstanceOf(StorageUnavailable)
  })
  test('gets no further requests for a while, although more callers want to read', async () => {
    const impatient = bucket(IMPATIENT)
    always('GET', () => {})
    await expect(read(randomUUID(), impatient)).rejects.toThrow('no response')
    const before = fake.requests.length
    await expect(read(randomUUID(), impatient)).rejects.toThrow('no response')
    expect(fake.requests).toHaveLength(before)
    fake.replaceBy(() => false)
    await expect.poll(() => read(randomUUID(), impatient).catch(() => 'fails')).toBe(null)
  })
  test('is reported with the error code of a refused connection', async () => {
    // A busy machine can take longer than `IMPATIENT` to refuse a connection.
    const patient = bucket({ ...LIMITS, readMs: 500 })
    await fake.stop()
    await expect(read(randomUUID(), patient)).rejects.toThrow('failed: ECONNREFUSED.')
    fake = await startFakeBucket()
  })
})

test('throws StorageUnavailable if a body is shorter than its Content-Length, and never returns a part of it', async () => {
  const id = randomUUID()
  await store.put(id, [SMALL])
  always('GET', (_request, res) => {
    res.writeHead(200, { 'content-length': SMALL.length })
    res.write(SMALL.subarray(0, 5_000), () => res.destroy())
  })
  await expect(read(id)).rejects.toBeInstanceOf(StorageUnavailable)
})

test('throws if a complete response contains only the start of a file', async () => {
  const key = () => randomBytes(32).toString('base64')
  const encryption = createEncryption({ ENCRYPTION_KEYS: `k1:${key()}`, HASH_KEY: key() })
  const blobs = createBlobStore([store], encryption, async () => true)
  const id = randomUUID()
  await blobs.write(id, [SMALL])
  for (const [name, bytes] of fake.objects) fake.objects.set(name, bytes.subarray(0, 5_000))
  await expect(blobs.read(id)).rejects.toThrow('cannot be decrypted')
})

test('lists the files of all pages and unfinished uploads, and removes both', async () => {
  const ids = Array.from({ length: 5 }, () => randomUUID())
  for (const id of ids) await store.put(id, [SMALL])
  const unfinished = randomUUID()
  fake.uploads.set('u1', { key: `a/${unfinished.slice(-2)}/${unfinished}`, parts: new Map() })
  fake.objects.set('a/notes.txt', SMALL)
  const listed: string[] = []
  for await (const id of store.ids()) listed.push(id)
  expect(listed.sort()).toEqual([...ids, unfinished].sort())
  for (const id of listed) await store.remove(id)
  expect([...fake.objects.keys()]).toEqual(['a/notes.txt'])
  expect(fake.uploads.size).toBe(0)
})

test('signs each request, and sends each body with its checksum', async () => {
  await store.put(randomUUID(), [LARGE])
  for (const { headers, body } of fake.requests) {
    expect(headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=the-access-key\//)
    expect(headers['x-amz-security-token']).toBe('the-session-token')
    expect(headers['x-amz-content-sha256']).toBe(createHash('sha256').update(body).digest('hex'))
  }
  expect(fake.requests.map(({ operation }) => operation)).toEqual([
    'POST begin',
    'PUT part',
    'PUT part',
    'POST complete',
    'HEAD',
  ])
})

test('the first request has its full time, although the client is loaded slowly', async () => {
  const now = performance.now.bind(performance)
  let loadingMs = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now() + loadingMs)
  onTestFinished(() => void vi.restoreAllMocks())
  const { send } = createBucketClient(locate(), CREDENTIALS, LIMITS, () => {
    loadingMs = 2 * LIMITS.readMs
    return import('@aws-sdk/client-s3')
  })
  const { bucket: Bucket } = locate()
  const listed = await send('GET', performance.now() + LIMITS.readMs, (s3, { abortSignal }) =>
    s3.listObjectsV2({ Bucket, Prefix: 'any' }, { abortSignal }),
  )
  expect(listed.KeyCount ?? 0).toBe(0)
  expect(loadingMs).toBe(20_000)
})
