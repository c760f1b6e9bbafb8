/** Presents queue entries and search results to operators. */
import { unixSeconds } from '../../contracts/common.ts'
import type { DetailedEntry, TitledEntry } from '../../domain/review/queue.ts'

export const presentSearchEntry = (entry: TitledEntry) => ({
  kind: entry.kind,
  id: entry.id,
  vault_id: entry.vaultId,
  status: entry.status,
  version: entry.version,
  waiting_on: entry.waitingOn,
  waiting_since: unixSeconds(entry.waitingSince),
  open_hits: entry.openHits,
  is_pending: entry.pending !== null,
  assigned_to: entry.assignedTo,
  assigned_until: entry.assignedUntil && unixSeconds(entry.assignedUntil),
  title: entry.title,
})

export const presentQueueEntry = (entry: DetailedEntry) => ({
  ...presentSearchEntry(entry),
  reason: entry.reason,
  due_at: entry.dueAt && unixSeconds(entry.dueAt),
  country: entry.country,
  risk_level: entry.riskLevel,
  documents: entry.documents,
  corrections: entry.corrections,
})
