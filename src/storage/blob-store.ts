/** Stores uploaded files, encrypted, in a folder. The name of a blob is the ID of its file. */
import { createHash } from 'node:crypto'
import { mkdir, open, opendir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { validate } from 'uuid'
import { SettingsError } from '../process/settings-error.ts'
import { type Encryption, keyIdOf } from './encryption.ts'
import { releaseMemory } from './memory.ts'

/** A key ID has at most 32 characters and is preceded by its length. */
const MAX_HEADER_BYTES = 33

/** Readers look for a format's end marker in these last bytes. */
const END_BYTES = 1_024

/** The suffix of blobs that are not completely written. */
const PARTIAL = '.partial'

/** The names of the folders of blobs, which are the last characters of blob names. */
const PLACE = /^[0-9a-f]{2}$/

/** Errors that can pass: a full or unavailable disk, too many open files, or missing permissions. */
const PASSING = new Set(
  'EACCES EAGAIN EBUSY EDQUOT EIO EMFILE ENFILE ENODEV ENOENT ENOSPC ENOTCONN EPERM EROFS ESTALE ETIMEDOUT'.split(
    ' ',
  ),
)

/** Thrown if the files cannot be accessed now. */
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
  // A sender that disconnects also causes an error, but without a system call.
  if (syscall === undefined || !PASSING.has(code)) throw error
  throw new StorageUnavailable(`BLOB_DIR: ${syscall} failed with ${code}.`, { cause: error })
}

interface Written {
  readonly size: number
  readonly sha256: Buffer
  /** The file's last kilobyte. */
  readonly end: Buffer
}

/** Stores blobs. Each method throws `StorageUnavailable` if the folder or its disk is unavailable. */
export interface BlobStore {
  /**
   * Stores the whole stream. If it fails, throws, and `read` never finds the partial blob. May overwrite a chunk after
   * requesting the next one.
   */
  write(id: string, source: AsyncIterable<Buffer>): Promise<Written>
  read(id: string): Promise<Buffer>
  /** Returns the ID of the key that encrypted the blob, or null if there is no such blob. */
  keyId(id: string): Promise<string | null>
  /** Returns the IDs of all blobs. If a blob and a partial blob have the same ID, it appears twice. */
  ids(): AsyncIterable<string>
  /** Also removes what an interrupted `write` left. Does nothing if the blob does not exist. */
  remove(id: string): Promise<void>
}

/** Syncs the folder, so that a power failure does not lose a new name. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  await handle.sync().finally(() => handle.close())
}

/** Creates a store. `isEmpty` returns whether no file has been stored yet. */
export function createBlobStore(
  folder: string,
  encryption: Encryption,
  isEmpty: () => Promise<boolean>,
): BlobStore {
  const pathOf = (id: string) => join(folder, id.slice(-2), id)
  const context = (id: string) => `files:${id}`

  /**
   * Throws StorageUnavailable if a share is not mounted: it would appear as an empty folder, accept new files and lack
   * all others.
   */
  async function requireFolder(): Promise<void> {
    const names = await readdir(folder).catch(nullIfMissing).catch(throwUnavailable)
    if (names?.some((name) => PLACE.test(name)) || (await isEmpty())) return
    throw new StorageUnavailable(
      `BLOB_DIR: ${folder} contains none of the stored files. Check that the volume is mounted.`,
    )
  }
  /** Throws the error. Checks the folder before it reports a missing blob. */
  async function failed(error: unknown): Promise<never> {
    if (!isMissing(error)) return throwUnavailable(error)
    await requireFolder()
    throw error
  }

  function noFolder(error: unknown): never {
    if (!isMissing(error)) return throwUnavailable(error)
    throw new StorageUnavailable(
      `BLOB_DIR: the folder ${folder} does not exist. Mount its volume, or create the folder.`,
    )
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
      const entries = await opendir(folder, { recursive: true }).catch(noFolder)
      for await (const entry of entries) {
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
