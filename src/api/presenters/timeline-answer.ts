/** An entry of a timeline as operators read it. */
import { unixSeconds } from '../../contracts/common.ts'
import { presentFinding } from '../../contracts/decision.ts'
import type { ReadEntry } from '../../db/cases/timeline.ts'

export const presentEntry = (entry: ReadEntry) => ({
  action: entry.action,
  actor: entry.actor,
  from: entry.from,
  to: entry.to,
  reason_code: entry.reasonCode,
  fields: entry.fields,
  files: entry.files,
  file_id: entry.fileId,
  client_comment: entry.notes?.client_comment ?? null,
  internal_note: entry.notes?.internal_note ?? null,
  findings: (entry.notes?.findings ?? []).map(presentFinding),
  occurred_at: unixSeconds(entry.createdAt),
})
