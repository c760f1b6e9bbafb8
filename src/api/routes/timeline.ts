/** Timelines for operators: who did what, and when; and what they write there themselves. */

import { idParams } from '../../contracts/common.ts'
import { noteAnswer, noteBody, timelineAnswer } from '../../contracts/timeline.ts'
import { readTimeline } from '../../db/cases/timeline.ts'
import type { Entity } from '../../domain/entity.ts'
import { RequestRefused } from '../../domain/errors.ts'
import { ofAnyVault } from '../../use-cases/cases/entity-ref.ts'
import { addNote } from '../../use-cases/cases/note.ts'
import { eachOf } from '../answer.ts'
import { presentEntry } from '../presenters/timeline-answer.ts'
import { type Route, route } from '../route.ts'

const routesFor = (path: string, entity: Entity): Route[] => [
  route({
    method: 'get',
    path: `${path}/timeline`,
    role: 'operator_review',
    summary: 'Read who did what and when, oldest first',
    response: { 200: timelineAnswer },
    params: idParams,
    handler: async ({ deps: { db }, params }) => {
      const { entries, rest } = await readTimeline(db, entity, params.id)
      // The first entry is written with the entity itself.
      if (entries.length === 0) throw new RequestRefused({ code: 'not_found' })
      return { body: { data: entries.map(presentEntry) }, rest: rest && eachOf(rest, presentEntry) }
    },
  }),
  route({
    method: 'post',
    path: `${path}/notes`,
    role: 'operator_review',
    summary: 'Write a note into the timeline, for operators alone',
    lost: 'twice',
    errors: ['identification_erased'],
    response: { 201: noteAnswer },
    params: idParams,
    body: noteBody,
    handler: async ({ deps: { db }, caller: { actor }, params: { id }, body, effect }) => {
      const target = await ofAnyVault(db, entity, id)
      return effect.commit(async (tx) => {
        const entry = await addNote(tx, target, { id: effect.id, actor, text: body.text })
        return { answer: { status: 201, body: { data: presentEntry(entry) } } }
      })
    },
  }),
]

export const timelineRoutes: readonly Route[] = [
  ...routesFor('/kyb/:id', 'kyb'),
  ...routesFor('/identifications/:id', 'identification'),
]
