/** An S3 server in memory. Tests can replace its responses with slow, missing or wrong ones. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crc32 } from 'node:zlib'
import { wholeBody } from './whole-body.ts'

export interface BucketRequest {
  readonly method: string
  /** Empty for requests to the bucket. */
  readonly key: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
  /** Names the operation, such as `PUT`, `PUT part` or `POST complete`. */
  readonly operation: string
}

/** Returns true if it sent a response itself or if no response must be sent. */
type Replace = (request: BucketRequest, res: ServerResponse) => boolean | undefined

export type FakeBucket = Awaited<ReturnType<typeof startFakeBucket>>

const MAX_KEYS = 2

export async function startFakeBucket() {
  const objects = new Map<string, Buffer>()
  const uploads = new Map<string, { key: string; parts: Map<number, Buffer> }>()
  const requests: BucketRequest[] = []
  let replace: Replace = () => false

  function respond(request: BucketRequest, res: ServerResponse): void {
    const { operation, key, query, headers, body } = request
    const uploadId = query.get('uploadId') ?? ''
    const upload = uploads.get(uploadId)
    const object = objects.get(key)
    const isRefused =
      (headers['if-none-match'] === '*' && object) ||
      (headers['if-match'] !== undefined && headers['if-match'] !== etagOf(object ?? Buffer.alloc(0)))
    if (/^(PUT|POST complete)$/.test(operation) && isRefused) {
      fail(res, 412, 'PreconditionFailed')
      return
    }
    switch (operation) {
      case 'PUT':
        objects.set(key, body)
        return void res.writeHead(200, headersOf(body)).end()
      case 'POST begin': {
        const id = randomUUID()
        uploads.set(id, { key, parts: new Map() })
        return void res.end(`<X><UploadId>${id}</UploadId></X>`)
      }
      case 'PUT part':
        upload?.parts.set(Number(query.get('partNumber')), body)
        return void res.writeHead(200, headersOf(body)).end()
      case 'POST complete': {
        if (!upload) {
          fail(res, 404, 'NoSuchUpload')
          return
        }
        const whole = Buffer.concat([...upload.parts.values()])
        objects.set(key, whole)
        uploads.delete(uploadId)
        return void res.end(
          `<CompleteMultipartUploadResult><ETag>${etagOf(whole).replaceAll('"', '&quot;')}</ETag></CompleteMultipartUploadResult>`,
        )
      }
      case 'DELETE upload':
        uploads.delete(uploadId)
        return void res.writeHead(204).end()
      case 'DELETE':
        objects.delete(key)
        return void res.writeHead(204).end()
      case 'GET':
        if (!object) fail(res, 404, 'NoSuchKey')
        else res.writeHead(200, { ...headersOf(object), 'content-length': object.length }).end(object)
        return
      case 'HEAD':
        if (!object) return void res.writeHead(404).end()
        return void res.writeHead(200, { ...headersOf(object), 'content-length': object.length }).end()
      case 'GET uploads': {
        const found = [...uploads].filter(([, { key: each }]) => each.startsWith(query.get('prefix') ?? ''))
        const entries = found.map(
          ([id, each]) => `<Upload><Key>${each.key}</Key><UploadId>${id}</UploadId></Upload>`,
        )
        return void res.end(`<X><IsTruncated>false</IsTruncated>${entries.join('')}</X>`)
      }
      default: {
        const start = query.get('continuation-token') ?? ''
        const keys = [...objects.keys()].filter((each) => each > start).sort()
        const page = keys.slice(0, MAX_KEYS).map((each) => `<Contents><Key>${each}</Key></Contents>`)
        const next = `<NextContinuationToken>${keys[MAX_KEYS - 1]}</NextContinuationToken>`
        const isTruncated = keys.length > MAX_KEYS
        res.end(`<X><IsTruncated>${isTruncated}</IsTruncated>${isTruncated ? next : ''}${page.join('')}</X>`)
      }
    }
  }

  const server = createServer(async (req, res) => {
    const { pathname, searchParams: query } = new URL(req.url ?? '', 'http://bucket')
    const body = await wholeBody(req)
    if (!body) return
    const [key, method] = [pathname.split('/').slice(2).join('/'), req.method ?? '']
    const operation = operationOf(method, key, query)
    const { headers } = req
    const request = { method, key, query, headers, body, operation }
    requests.push(request)
    if (!replace(request, res)) respond(request, res)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    origin,
    url: `s3://files/a?endpoint=${origin}&path_style=true`,
    /** The stored bytes by key. */
    objects,
    /** The uploads that were neither completed nor aborted, by ID. */
    uploads,
    requests,
    /** Calls `other` first for all later requests. */
    replaceBy(other: Replace): void {
      replace = other
    },
    /** Sends the usual response to a request. */
    respond,
    async stop(): Promise<void> {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function operationOf(method: string, key: string, query: URLSearchParams): string {
  if (method === 'GET' && key === '') return query.has('uploads') ? 'GET uploads' : 'GET list'
  if (method === 'POST') return query.has('uploads') ? 'POST begin' : 'POST complete'
  if (query.has('partNumber')) return 'PUT part'
  return query.has('uploadId') ? 'DELETE upload' : method
}

/** Reads only the start of large files, because tests change nothing behind it. */
const etagOf = (bytes: Buffer) => `"${bytes.length}-${crc32(bytes.subarray(0, 10_000))}"`
const headersOf = (bytes: Buffer) => ({ etag: etagOf(bytes) })

export function fail(res: ServerResponse, status: number, code: string): void {
  res.writeHead(status).end(`<Error><Code>${code}</Code><Message>the secret message</Message></Error>`)
}
