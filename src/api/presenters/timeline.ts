/** Presents a timeline entry to operators. */
import { unixSeconds } from '../../contracts/common.ts'
import { presentFinding } from '../../contracts/decision.ts'
import type { TimelineEntry } from '../../domain/decision/timeline.ts'

export const presentEntry = (entry: TimelineEntry) => ({
  action: entry.action,
  actor: entry.actor,
  from: entry.from,
  to: entry.to,
  reason_code: entry.reasonCode,
  fields: entry.fields,
  files: entry.files,
  file_id: entry.fileId,
  client_comment: entry.clientComment,
  internal_note: entry.internalNote,
  findings: entry.findings.map(presentFinding),
  occurred_at: unixSeconds(entry.createdAt),
})
