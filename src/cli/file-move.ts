/** Command: `move-files`. Copies the stored files to another folder or bucket, and deletes the originals on request. */
import { createHash, randomUUID } from 'node:crypto'
import pLimit from 'p-limit'
import type { Database } from '../db/connection/database.ts'
import { countStoredFiles, findStoredFile, listStoredFiles, whileStored } from '../db/files/stored-file.ts'
import { collect, createBlobStore } from '../storage/blob-store.ts'
import { type ByteStore, StorageUnavailable } from '../storage/byte-store.ts'

/** The number of files that are copied at the same time. Each copy needs a database connection and 10 MB of memory. */
export const PARALLEL = 8
const REPORT_INTERVAL = 100

interface FileMove {
  readonly db: Database
  readonly target: ByteStore
  readonly sources: readonly ByteStore[]
  say(line: string): void
}

type Stored = { readonly id: string; readonly sha256: Buffer; readonly sizeBytes: number }

/**
 * Copies each file that the target lacks, and verifies the copy by decrypting it. Includes files whose upload begins
 * during the move, if their row exists before the move ends. Returns false if files are missing or differ. Throws if
 * this applies to all of them, because the source is then probably the wrong place.
 */
export async function moveFiles(move: FileMove): Promise<boolean> {
  await requireSeparate(move)
  const { db, target, say } = move
  const holds = verifying(db, target)
  const total = await countStoredFiles(db)
  const done = { files: 0, bytes: 0, copied: 0, failed: 0 }

  async function one(file: Stored): Promise<void> {
    if (!(await holds(file))) {
      // Detaching the file waits for this lock, so that the copy does not restore a removed file.
      const isCopied = await whileStored(db, file.id, () => copy(move, file.id))
      const problem = isCopied === false ? 'is missing' : 'differs after the copy'
      if (isCopied && (await holds(file))) done.copied += 1
      else if (isCopied !== null) {
        done.failed += 1
        say(`${file.id} ${problem}`)
      }
    }
    done.files += 1
    done.bytes += file.sizeBytes
    if (done.files % REPORT_INTERVAL === 0) say(progressOf(done, total))
  }
  await forEachStored(db, one)
  say(progressOf(done, total))
  if (done.failed > 0 && done.failed === done.files)
    throw new Error('No file was found. Check ENCRYPTION_KEYS and the URLs of the files.')
  if (done.failed > 0) say(`${done.failed} files were not copied. ${done.files - done.failed} are complete.`)
  else say(`All files are stored in ${target.name}. ${done.copied} of them were copied in this run.`)
  return done.failed === 0
}

const progressOf = (
  { files, bytes, copied }: { files: number; bytes: number; copied: number },
  total: { files: number; bytes: number },
): string =>
  `${files} of ${total.files} files, ${megabytes(bytes)} of ${megabytes(total.bytes)} MB: ${copied} copied`

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)

/** Deletes each original whose copy is verified. Returns false if originals remain. */
export async function deleteMovedFiles(move: FileMove): Promise<boolean> {
  await requireSeparate(move)
  const { db, target, sources, say } = move
  const holds = verifying(db, target)
  const done = { deleted: 0, kept: 0 }
  for (const source of sources) {
    for await (const id of source.ids()) {
      const file = await findStoredFile(db, id)
      if (file && (await holds(file))) {
        await source.remove(id)
        done.deleted += 1
        if (done.deleted % REPORT_INTERVAL === 0) say(`${done.deleted} deleted`)
      } else {
        done.kept += 1
        say(`${id} ${file ? `is not stored in ${target.name}` : 'has no row in the database'}, and was kept`)
      }
    }
  }
  say(`${done.deleted} deleted, ${done.kept} kept`)
  return done.kept === 0
}

/** Throws if a source and the target are the same place, because the command would then delete the copies. */
async function requireSeparate({ target, sources }: FileMove): Promise<void> {
  const id = randomUUID()
  // Writes to the target, because a backup may be readable only.
  await target.put(id, [Buffer.from('move-files')])
  try {
    for (const source of sources) {
      const found = await source.get(id)
      if (found && (await collect(found)).length > 0)
        throw new Error(`${source.name} and ${target.name} are the same place.`)
    }
  } finally {
    await target.remove(id)
  }
}

/** Returns a function that reports whether the place has a complete copy of a file. */
function verifying(db: Database, place: ByteStore): (file: Stored) => Promise<boolean> {
  const blobs = createBlobStore([place], db.encryption, async () => true)
  return async ({ id, sha256 }) => {
    try {
      return createHash('sha256')
        .update(await blobs.read(id))
        .digest()
        .equals(sha256)
    } catch (error) {
      if (error instanceof StorageUnavailable) throw error
      return false
    }
  }
}

/** Copies a file to the target. Returns false if no source has the file. */
async function copy({ target, sources }: FileMove, id: string): Promise<boolean> {
  for (const source of sources) {
    const found = await source.get(id)
    if (!found) continue
    await target.put(id, found, { isReplacement: true })
    return true
  }
  return false
}

/** Runs the work for several files at a time, and throws the first error. */
async function forEachStored(db: Database, work: (file: Stored) => Promise<void>): Promise<void> {
  const limit = pLimit(PARALLEL)
  for await (const page of listStoredFiles(db)) await limit.map(page, work)
}
