/** Files that nothing names any more: their blobs go after the commit. */
import { deleteUnattachedFiles } from '../src/db/file.ts'
import type { ActivityDeps } from './deps.ts'

export async function removeDetached(
  { db, blobs }: Pick<ActivityDeps, 'db' | 'blobs'>,
  ids: readonly string[],
): Promise<void> {
  await Promise.all(ids.map((id) => blobs.remove(id)))
  await deleteUnattachedFiles(db, ids)
}
