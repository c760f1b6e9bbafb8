/** Presents an entry of the audit trail. */
import { unixSeconds } from '../../contracts/common.ts'
import type { AuditEntry, ReadsOfActor } from '../../domain/access/audit.ts'

export const presentAuditEntry = (entry: AuditEntry) => ({
  id: entry.id,
  at: unixSeconds(entry.createdAt),
  action: entry.action,
  actor: entry.actor,
  address: entry.address,
  vault_id: entry.vaultId,
  subject: entry.subject,
  subject_id: entry.subjectId,
  changes: entry.changes,
  count: entry.count,
})

export const presentReads = ({ lastAt, ...reads }: ReadsOfActor) => ({
  ...reads,
  last_at: unixSeconds(lastAt),
})
