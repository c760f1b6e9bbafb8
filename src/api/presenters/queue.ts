/** Presents an entry of the queue or of the search to operators. */
import { unixSeconds } from '../../contracts/common.ts'
import type { TitledEntry } from '../../domain/decision/queue.ts'

export const presentEntry = (entry: TitledEntry) => ({
  kind: entry.kind,
  id: entry.id,
  vault_id: entry.vaultId,
  status: entry.status,
  version: entry.version,
  waiting_on: entry.waitingOn,
  waiting_since: unixSeconds(entry.waitingSince),
  open_hits: entry.openHits,
  is_pending: entry.isPending,
  assigned_to: entry.assignedTo,
  assigned_until: entry.assignedUntil && unixSeconds(entry.assignedUntil),
  title: entry.title,
})
