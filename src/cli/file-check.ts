/** Command: `check-files`. Compares the stored files with their rows, for example after a restore. */

import { findKnownFiles, hasFiles, listAttachedFileIds } from '../db/cases/file.ts'
import type { Database } from '../db/connection/database.ts'
import type { BlobStore } from '../storage/blob-store.ts'

interface FileCheckDeps {
  readonly db: Database
  readonly blobs: BlobStore
  readonly say: (line: string) => void
}

/**
 * Compares files and rows. The row of a file is written before the file's first byte, so a blob without a row belongs
 * to no file. `repair` removes such blobs, unless no file has a row. A missing blob cannot be repaired. Returns true if
 * no differences remain.
 */
export async function checkFiles(
  { db, blobs, say }: FileCheckDeps,
  { repair }: { readonly repair: boolean },
): Promise<boolean> {
  let missing = 0
  for await (const id of listAttachedFileIds(db)) {
    if ((await blobs.keyId(id)) !== null) continue
    missing += 1
    say(`${id} is missing`)
  }
  // If no file has a row, the database is probably the wrong one.
  const isOurs = await hasFiles(db)
  const removes = repair && isOurs
  let unknown = 0
  for await (const id of unknownBlobs(db, blobs)) {
    unknown += 1
    if (removes) await blobs.remove(id)
    say(removes ? `${id} had no row and was deleted` : `${id} has no row`)
  }
  if (unknown > 0 && !isOurs)
    say('No file has a row. Nothing was deleted. Check that DATABASE_URL and BLOB_URL belong together.')
  if (missing + unknown === 0) say('The stored files match the database.')
  return missing === 0 && (removes || unknown === 0)
}

async function* unknownBlobs(db: Database, blobs: BlobStore): AsyncGenerator<string> {
  let batch: string[] = []
  async function* unknown() {
    const known = new Set(await findKnownFiles(db, batch))
    yield* batch.filter((id) => !known.has(id))
    batch = []
  }
  for await (const id of blobs.ids()) {
    if (batch.push(id) === BATCH) yield* unknown()
  }
  if (batch.length > 0) yield* unknown()
}

const BATCH = 500
