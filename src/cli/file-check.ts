/** Command: `check-files`. Compares the stored files with their rows, for example after a restore. */

import type { Database } from '../db/connection/database.ts'
import { findKnownFiles, hasFiles } from '../db/files/file.ts'
import { listStoredFiles, markLost } from '../db/files/stored-file.ts'
import type { BlobStore } from '../storage/blob-store.ts'

const CHECK_STORAGE = 'Check that DATABASE_URL and BLOB_URL belong together.'

/**
 * Compares files and rows. The row of a file is written before the file's first byte, so a blob without a row belongs
 * to no file. `repair` marks missing files as lost and removes blobs without a row, unless no file matches, because the
 * database is then probably the wrong one. Returns true if no differences remain.
 */
export async function checkFiles(
  { db, blobs, say }: { db: Database; blobs: BlobStore; say: (line: string) => void },
  { repair }: { readonly repair: boolean },
): Promise<boolean> {
  const missing: string[] = []
  let found = 0
  for await (const page of listStoredFiles(db)) {
    for (const { id } of page) {
      if ((await blobs.keyId(id)) === null) missing.push(id)
      else found += 1
    }
  }
  const marks = repair && found > 0
  for (const id of missing) {
    if (marks) await markLost(db, id)
    say(marks ? `${id} was missing and is marked as lost` : `${id} is missing`)
  }
  if (missing.length > 0 && found === 0)
    say(`No file was found. Nothing was marked as lost. ${CHECK_STORAGE}`)
  const isOurs = await hasFiles(db)
  const removes = repair && isOurs
  let unknown = 0
  for await (const id of unknownBlobs(db, blobs)) {
    unknown += 1
    if (removes) await blobs.remove(id)
    say(removes ? `${id} had no row and was deleted` : `${id} has no row`)
  }
  if (unknown > 0 && !isOurs) say(`No file has a row. Nothing was deleted. ${CHECK_STORAGE}`)
  if (missing.length + unknown === 0) say('The stored files match the database.')
  return (marks || missing.length === 0) && (removes || unknown === 0)
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
