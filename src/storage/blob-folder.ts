/** Stores encrypted files in a folder. */
import { mkdir, open, opendir, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { validate } from 'uuid'
import { type ByteStore, type Chunks, StorageUnavailable } from './byte-store.ts'

/** The suffix of files that are not completely written yet. */
const PARTIAL = '.partial'

/** Matches the names of the subfolders, which are the last characters of blob names. */
const PLACE = /^[0-9a-f]{2}$/

/** Errors that may be temporary: a full or unavailable disk, too many open files, or missing permissions. */
const PASSING = new Set(
  'EACCES EAGAIN EBUSY EDQUOT EIO EMFILE ENFILE ENODEV ENOENT ENOSPC ENOTCONN EPERM EROFS ESTALE ETIMEDOUT'.split(
    ' ',
  ),
)

function nullIfMissing(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
  throw error
}

function throwUnavailable(error: unknown): never {
  const { code = '', syscall } = error as NodeJS.ErrnoException
  // If the sender disconnects, the error has no system call.
  if (syscall === undefined || !PASSING.has(code)) throw error
  throw new StorageUnavailable(`BLOB_URL: ${syscall} failed with ${code}.`, { cause: error })
}

/** Syncs the folder, so that a power failure does not lose a new name. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  await handle.sync().finally(() => handle.close())
}

export function createBlobFolder(folder: string): ByteStore {
  const pathOf = (id: string) => join(folder, id.slice(-2), id)

  async function putWhole(id: string, source: Chunks): Promise<void> {
    const path = pathOf(id)
    const partial = path + PARTIAL
    if (await mkdir(dirname(path), { recursive: true })) await syncFolder(folder)
    const file = await open(partial, 'w', 0o600)
    try {
      for await (const chunk of source) await file.appendFile(chunk)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(partial, path)
    await syncFolder(dirname(path))
  }

  function noFolder(error: unknown): never {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return throwUnavailable(error)
    throw new StorageUnavailable(
      `BLOB_URL: the folder ${folder} does not exist. Mount its volume, or create the folder.`,
    )
  }

  return {
    name: folder,
    put: (id, source) => putWhole(id, source).catch(throwUnavailable),
    async get(id, maxBytes) {
      const file = await open(pathOf(id)).catch(nullIfMissing).catch(throwUnavailable)
      return file && readOrThrow(file.createReadStream(maxBytes === undefined ? {} : { end: maxBytes - 1 }))
    },
    async *ids() {
      const entries = await opendir(folder, { recursive: true }).catch(noFolder)
      for await (const entry of entries) {
        const id = basename(entry.name, PARTIAL)
        if (entry.isFile() && validate(id)) yield id
      }
    },
    async remove(id) {
      await rm(pathOf(id), { force: true }).catch(throwUnavailable)
      await rm(pathOf(id) + PARTIAL, { force: true }).catch(throwUnavailable)
    },
    async isUsed() {
      const names = await readdir(folder).catch(nullIfMissing).catch(throwUnavailable)
      return names?.some((name) => PLACE.test(name)) ?? false
    },
  }
}

async function* readOrThrow(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* stream
  } catch (error) {
    throwUnavailable(error)
  }
}
