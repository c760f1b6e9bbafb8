/** Removes the blobs and rows of detached files. Deletes the blobs first, because the rows contain their names. */
import { deleteDetachedFiles } from '../src/db/files/file.ts'
import type { ActivityDeps } from './deps.ts'
import { runForEach } from './steps.ts'

/** Removes the files. If any file cannot be removed, removes the others and then throws. */
export async function removeFiles({ db, blobs }: Pick<ActivityDeps, 'db' | 'blobs'>, ids: readonly string[]) {
  const removed: string[] = []
  try {
    await runForEach(ids, async (id) => {
      await blobs.remove(id)
      removed.push(id)
    })
  } finally {
    await deleteDetachedFiles(db, removed)
  }
}
