/** Detached files whose bytes are to go: the blobs first, since the rows say which there are. */
import { deleteUnattachedFiles } from '../src/db/file.ts'
import type { ActivityDeps } from './deps.ts'

export async function removeFiles(
  { db, blobs }: Pick<ActivityDeps, 'db' | 'blobs'>,
  ids: readonly string[],
): Promise<void> {
  await Promise.all(ids.map((id) => blobs.remove(id)))
  await deleteUnattachedFiles(db, ids)
}
