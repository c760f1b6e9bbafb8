/** What a route's handler gives back, and how what is too large for one piece is sent. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Response } from 'express'

export interface Answer {
  /** 200 unless said otherwise. */
  readonly status?: number
  /** Sent as JSON, unless it is a file. */
  readonly body: object
  /** Of a list: what follows on its `data`. */
  readonly rest?: AsyncIterable<object> | undefined
}

/** Who reads nothing for so long is cut off: a turn is held meanwhile. */
const MOST_SILENT_MS = 30_000

/** One after the other, as fast as they are read. */
export async function sendInParts(res: Response, body: object, rest: AsyncIterable<object>): Promise<void> {
  // Whoever has left says so no more, and would be waited for.
  if (res.destroyed) return
  const { data, ...about } = body as { data: readonly object[] }
  async function* parts() {
    yield `{"data":[${data.map((each) => JSON.stringify(each)).join()}`
    for await (const each of rest) yield `,${JSON.stringify(each)}`
    const more = JSON.stringify(about).slice(1)
    yield more === '}' ? ']}' : `],${more}`
  }
  res.type('json')
  res.setTimeout(MOST_SILENT_MS, () => void res.destroy())
  await pipeline(Readable.from(parts(), { highWaterMark: 1 }), res).catch((error: NodeJS.ErrnoException) => {
    // Who went away needs no answer.
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  })
}

export async function* eachOf<T, U>(items: AsyncIterable<T>, present: (item: T) => U): AsyncGenerator<U> {
  for await (const item of items) yield present(item)
}
