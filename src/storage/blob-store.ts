/** Keeps uploaded files, encrypted, in a folder; a blob's name is its file's id. */
import { createHash } from 'node:crypto'
import { mkdir, open, opendir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { validate } from 'uuid'
import { SettingsError } from '../process/settings-error.ts'
import { type Encryption, keyIdOf } from './encryption.ts'
import { releaseMemory } from './memory.ts'

/** A key's id has at most 32 characters, and its length goes before it. */
const MAX_HEADER_BYTES = 33

/** Where readers of a format look for its end, if it has one. */
const END_BYTES = 1_024

/** Ends the name of what is being written. */
const PARTIAL = '.partial'

/** The folders of blobs, by the end of their names. */
const PLACE = /^[0-9a-f]{2}$/

/** It may work again later: a disk that is full or away, no descriptor left, a folder that is not ours to write in. */
const PASSING = new Set(
  'EACCES EAGAIN EBUSY EDQUOT EIO EMFILE ENFILE ENODEV ENOENT ENOSPC ENOTCONN EPERM EROFS ESTALE ETIMEDOUT'.split(
    ' ',
  ),
)

/** The files are not to be reached now. */
export class StorageUnavailable extends SettingsError {
  override readonly name = 'StorageUnavailable'
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null
  throw error
}

function throwUnavailable(error: unknown): never {
  const { code = '', syscall } = error as NodeJS.ErrnoException
  // Whoever sends a file may break off, too; that is no call of the file system's.
  if (syscall === undefined || !PASSING.has(code)) throw error
  throw new StorageUnavailable(`BLOB_DIR: ${syscall} failed with ${code}.`, { cause: error })
}

interface Written {
  readonly size: number
  readonly sha256: Buffer
  /** The last kilobyte. */
  readonly end: Buffer
}

/** Each throws `StorageUnavailable` where the folder, or the disk below it, is away. */
export interface BlobStore {
  /**
   * Stores the whole stream or, when it fails, throws; a partial blob is never found by `read`. A chunk is done with
   * when the next one is asked for.
   */
  write(id: string, source: AsyncIterable<Buffer>): Promise<Written>
  read(id: string): Promise<Buffer>
  /** The id of the key that sealed the blob; null when there is no such blob. */
  keyId(id: string): Promise<string | null>
  /** Of everything that is there, whole or partial; twice where there is both. */
  ids(): AsyncIterable<string>
  /** Also removes what an interrupted `write` left; removing nothing is fine. */
  remove(id: string): Promise<void>
}

/** Else a name that was given may be gone after the machine has lost its power. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  await handle.sync().finally(() => handle.close())
}

/** `isEmpty` says whether nothing was ever stored. */
export function createBlobStore(
  folder: string,
  encryption: Encryption,
  isEmpty: () => Promise<boolean>,
): BlobStore {
  const pathOf = (id: string) => join(folder, id.slice(-2), id)
  const context = (id: string) => `files:${id}`

  /** A share that is not mounted is an empty folder, which would take what is written, and lack what is not. */
  async function requireFolder(): Promise<void> {
    const names = await readdir(folder).catch(nullIfMissing).catch(throwUnavailable)
    if (names?.some((name) => PLACE.test(name)) || (await isEmpty())) return
    throw new StorageUnavailable(
      `BLOB_DIR: ${folder} contains none of the stored files. Check that the volume is mounted.`,
    )
  }
  /** What is missing is so in a folder that is there. */
  async function failed(error: unknown): Promise<never> {
    if (!isMissing(error)) return throwUnavailable(error)
    await requireFolder()
    throw error
  }

  async function writeWhole(id: string, source: AsyncIterable<Buffer>): Promise<Written> {
    const path = pathOf(id)
    const partial = path + PARTIAL
    if (await mkdir(dirname(path), { recursive: true })) await syncFolder(folder)
    const { header, cipher } = encryption.sealing(context(id))
    const hash = createHash('sha256')
    let size = 0
    let end: Buffer = Buffer.alloc(0)
    const file = await open(partial, 'w', 0o600)
    try {
      await file.appendFile(header)
      for await (const chunk of source) {
        hash.update(chunk)
        size += chunk.length
        end = Buffer.concat([end, chunk.subarray(-END_BYTES)]).subarray(-END_BYTES)
        const sealed = cipher.update(chunk)
        await file.appendFile(sealed)
        releaseMemory(sealed)
      }
      cipher.final()
      await file.appendFile(cipher.getAuthTag())
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(partial, path)
    await syncFolder(dirname(path))
    return { size, sha256: hash.digest(), end }
  }

  return {
    async write(id, source) {
      await requireFolder()
      return writeWhole(id, source).catch(throwUnavailable)
    },
    async read(id) {
      return encryption.open(await readFile(pathOf(id)).catch(failed), context(id))
    },
    async keyId(id) {
      const start = Buffer.alloc(MAX_HEADER_BYTES)
      const file = await open(pathOf(id)).catch(failed).catch(nullIfMissing)
      if (!file) return null
      await file.read(start).finally(() => file.close())
      return keyIdOf(start)
    },
    async *ids() {
      for await (const entry of await opendir(folder, { recursive: true })) {
        const id = basename(entry.name, PARTIAL)
        if (entry.isFile() && validate(id)) yield id
      }
    },
    async remove(id) {
      await rm(pathOf(id)).catch(failed).catch(nullIfMissing)
      await rm(pathOf(id) + PARTIAL, { force: true }).catch(throwUnavailable)
    },
  }
}
