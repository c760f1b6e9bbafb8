/** Detached files whose bytes are to go: the blobs first, since the rows say which there are. */
import { deleteUnattachedFiles } from '../src/db/cases/file.ts'
import type { ActivityDeps } from './deps.ts'
import { runForEach } from './steps.ts'

/** One that resists keeps no other; then this throws once the others are gone. */
export async function removeFiles(
  { db, blobs }: Pick<ActivityDeps, 'db' | 'blobs'>,
  ids: readonly string[],
): Promise<void> {
  const removed: string[] = []
  try {
    await runForEach(ids, async (id) => {
      await blobs.remove(id)
      removed.push(id)
    })
  } finally {
    await deleteUnattachedFiles(db, removed)
  }
}
