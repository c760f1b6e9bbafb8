/** Keeps uploaded files, encrypted, in a folder; a blob's name is its file's id. */
import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Encryption } from './encryption.ts'

export interface BlobStore {
  /** Stores the whole stream or, when it fails, throws; a partial blob is never found by `read`. */
  write(id: string, source: AsyncIterable<Buffer>): Promise<{ size: number; sha256: Buffer }>
  read(id: string): Promise<Buffer>
  /** Also removes what an interrupted `write` left; removing nothing is fine. */
  remove(id: string): Promise<void>
}

export function createBlobStore(folder: string, encryption: Encryption): BlobStore {
  const pathOf = (id: string) => join(folder, id.slice(-2), id)
  const context = (id: string) => `files:${id}`

  return {
    async write(id, source) {
      const path = pathOf(id)
      const partial = `${path}.partial`
      await mkdir(dirname(path), { recursive: true })
      const { header, cipher } = encryption.sealing(context(id))
      const hash = createHash('sha256')
      let size = 0
      async function* measured() {
        for await (const chunk of source) {
          hash.update(chunk)
          size += chunk.length
          yield chunk
        }
      }
      const file = await open(partial, 'w', 0o600)
      try {
        await file.write(header)
        await pipeline(measured, cipher, async (sealed: AsyncIterable<Buffer>) => {
          for await (const chunk of sealed) await file.write(chunk)
        })
        await file.write(cipher.getAuthTag())
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(partial, path)
      return { size, sha256: hash.digest() }
    },
    async read(id) {
      return encryption.open(await readFile(pathOf(id)), context(id))
    },
    async remove(id) {
      await rm(pathOf(id), { force: true })
      await rm(`${pathOf(id)}.partial`, { force: true })
    },
  }
}
