/** Sends the timeline of a case as CSV, oldest entry first. */
import { peopleIn } from '../../../domain/access/audit.ts'
import type { EntityRef } from '../../../domain/entity/entity.ts'
import { byOf } from '../../../http/address.ts'
import { listEmails } from '../../../use-cases/access/names.ts'
import { exportTimeline } from '../../../use-cases/case/timeline.ts'
import { sendCsv } from '../base/csv.ts'
import type { ConsoleRequest } from '../base/visit.ts'
import { nameOf } from './timeline.tsx'

export async function sendTimeline({ deps, visit, req, res }: ConsoleRequest, target: EntityRef) {
  const entries = await exportTimeline(deps, byOf(visit, req), target)
  const emails = await listEmails(deps, peopleIn(entries.map(({ actor }) => actor)))
  sendCsv(
    res,
    'history',
    entries.map((entry) => ({
      occurred_at: entry.createdAt.toISOString(),
      actor: entry.actor,
      actor_name: nameOf(visit.frame, emails, entry.actor),
      action: entry.action,
      from: entry.from,
      to: entry.to,
      reason_code: entry.reasonCode,
      client_comment: entry.clientComment,
      internal_note: entry.internalNote,
      fields: entry.fields.join(', '),
      files: entry.files.join(', '),
    })),
  )
}
