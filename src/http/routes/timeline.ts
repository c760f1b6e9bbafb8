/** Timelines for operators: who did what, and when. */

import { idParams, unixSeconds } from '../../contracts/common.ts'
import { timelineAnswer } from '../../contracts/timeline.ts'
import { readTimeline } from '../../db/timeline.ts'
import type { Entity } from '../../domain/entity.ts'
import { RequestRefused } from '../../domain/errors.ts'
import { type Route, route } from '../route.ts'

const timelineRoute = (path: string, entity: Entity): Route =>
  route({
    method: 'get',
    path,
    role: 'operator_review',
    summary: 'Read who did what and when, oldest first',
    response: { 200: timelineAnswer },
    params: idParams,
    handler: async ({ deps: { db }, params }) => {
      const entries = await readTimeline(db, entity, params.id)
      // The first entry is written with the entity itself.
      if (entries.length === 0) throw new RequestRefused({ code: 'not_found' })
      return {
        body: {
          data: entries.map((entry) => ({
            action: entry.action,
            actor: entry.actor,
            from: entry.from,
            to: entry.to,
            reason_code: entry.reasonCode,
            file_id: entry.fileId,
            client_comment: entry.notes?.client_comment ?? null,
            internal_note: entry.notes?.internal_note ?? null,
            occurred_at: unixSeconds(entry.createdAt),
          })),
        },
      }
    },
  })

export const timelineRoutes: readonly Route[] = [
  timelineRoute('/kyb/:id/timeline', 'kyb'),
  timelineRoute('/identifications/:id/timeline', 'identification'),
]
