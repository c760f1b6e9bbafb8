/**
 * Runs decoders of untrusted files. `decoder.ts` starts this script as a process without settings or access to files,
 * and kills the process if a file takes too long.
 */
import { inspectUpload } from './document.ts'
import { renderLogo } from './image.ts'
import { inspectPhoto, renderPhotoView } from './photo.ts'
import { AnimationRefused, ImageRefused } from './refusal.ts'

const DECODERS = { inspectUpload, inspectPhoto, renderPhotoView, renderLogo }
export type Decoders = typeof DECODERS

/** The bytes of the file follow on the standard input, because a message would contain a copy of them. */
export interface Request {
  readonly decoder: keyof Decoders
  readonly size: number
  readonly options: readonly unknown[]
}

/** The result, or the failure of a decoder. A refusal concerns the file. */
export type Response =
  | { readonly result: unknown }
  | { readonly refusal: 'image' | 'animation' }
  | { readonly failure: string }

const files: AsyncIterator<Buffer> = process.stdin[Symbol.asyncIterator]()

async function readFile(size: number): Promise<Buffer> {
  const bytes = Buffer.alloc(size)
  for (let filled = 0; filled < size; ) {
    const { value } = await files.next()
    filled += value.copy(bytes, filled)
  }
  return bytes
}

async function respond({ decoder, size, options }: Request): Promise<Response> {
  try {
    const run = DECODERS[decoder] as (bytes: Buffer, ...options: readonly unknown[]) => Promise<unknown>
    return { result: await run(await readFile(size), ...options) }
  } catch (error) {
    if (error instanceof AnimationRefused) return { refusal: 'animation' }
    if (error instanceof ImageRefused) return { refusal: 'image' }
    return { failure: error instanceof Error ? error.message : String(error) }
  }
}

process.on('message', async (request: Request) => process.send?.(await respond(request)))
process.on('disconnect', () => process.exit())
process.send?.('ready')
