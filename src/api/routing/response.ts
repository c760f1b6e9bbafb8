/** Sends the response of a handler. Compresses it if the client accepts gzip, and streams large lists. */
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGzip, gzip } from 'node:zlib'
import type { Response } from 'express'
import { limitSilence } from '../../http/silence.ts'

export interface RouteResponse {
  /** The HTTP status, 200 by default. */
  readonly status?: number
  /** The body, which is sent as JSON unless it is a file. */
  readonly body: object
  /** The entries of a long list that follow those in `data`. */
  readonly rest?: AsyncIterable<object> | undefined
}

const JSON_TYPE = 'application/json; charset=utf-8'

/** Below this size, compression does not save a packet. */
const COMPRESSED_FROM_BYTES = 1_400
const compress = promisify(gzip)

/**
 * Returns whether the client accepts gzip. Only API responses use it, because pages contain secrets next to user input.
 */
function acceptsGzip(res: Response): boolean {
  res.vary('Accept-Encoding')
  return res.req.acceptsEncodings('gzip') === 'gzip'
}

export async function sendJson(res: Response, status: number, body: object): Promise<void> {
  const text = JSON.stringify(body)
  const size = Buffer.byteLength(text)
  res.status(status).setHeader('Content-Type', JSON_TYPE)
  if (size < COMPRESSED_FROM_BYTES || !acceptsGzip(res)) {
    res.setHeader('Content-Length', size).end(text)
    return
  }
  // zlib keeps its input until the next full garbage collection. A string would then fill the heap with old responses.
  const bytes = await compress(Buffer.from(text))
  res.setHeader('Content-Encoding', 'gzip').setHeader('Content-Length', bytes.length).end(bytes)
}

/** Writes the parts in order, as fast as the client reads them. */
export async function sendInParts(res: Response, body: object, rest: AsyncIterable<object>): Promise<void> {
  // A disconnected client never drains, so the write would wait for ever.
  if (res.destroyed) return
  const { data, ...about } = body as { data: readonly object[] }
  async function* parts() {
    yield `{"data":[${data.map((each) => JSON.stringify(each)).join()}`
    for await (const each of rest) yield `,${JSON.stringify(each)}`
    const more = JSON.stringify(about).slice(1)
    yield more === '}' ? ']}' : `],${more}`
  }
  res.setHeader('Content-Type', JSON_TYPE)
  const isCompressed = acceptsGzip(res)
  if (isCompressed) res.setHeader('Content-Encoding', 'gzip')
  const encoder = isCompressed ? createGzip() : new PassThrough()
  // The response occupies a slot.
  limitSilence(res)
  await pipeline(Readable.from(parts(), { highWaterMark: 1 }), encoder, res).catch(
    (error: NodeJS.ErrnoException) => {
      // A disconnected client needs no response.
      if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
    },
  )
}

export async function* presentEach<T, U>(
  items: AsyncIterable<T>,
  present: (item: T) => U,
): AsyncGenerator<U> {
  for await (const item of items) yield present(item)
}
