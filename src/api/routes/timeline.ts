/** Routes for timelines and the notes in them, for operators. */

import { presentFinding } from '../../contracts/decision.ts'
import { presenterOf } from '../../contracts/record.ts'
import { noteBody, noteResponse, timelineResponse } from '../../contracts/timeline.ts'
import type { TimelineEntry } from '../../domain/decision/timeline.ts'
import { findTarget } from '../../use-cases/case/entity-ref.ts'
import { addNote, readTimeline } from '../../use-cases/case/timeline.ts'
import { entityRoutes } from '../routing/entity-routes.ts'
import { presentEach } from '../routing/response.ts'
import { route } from '../routing/route.ts'

const present = presenterOf(noteResponse.shape.data)

const presentEntry = (entry: TimelineEntry) =>
  present({ ...entry, findings: entry.findings.map(presentFinding), occurredAt: entry.createdAt })

export const timelineRoutes = entityRoutes((noun, path, entity) => [
  route({
    name: `get${noun}Timeline`,
    at: `GET ${path}/timeline`,
    role: 'read_cases',
    summary: 'Read the timeline of the case, oldest first',
    response: { 200: timelineResponse },
    handler: async ({ deps, caller, by, params: { id } }) => {
      const { entries, rest } = await readTimeline(deps, caller, by, { entity, id })
      return { body: { data: entries.map(presentEntry) }, rest: rest && presentEach(rest, presentEntry) }
    },
  }),
  route({
    name: `add${noun}Note`,
    at: `POST ${path}/notes`,
    role: 'decide',
    summary: 'Add a note for operators to the timeline',
    retryGuidance: 'twice',
    errors: addNote.refuses,
    response: { 201: noteResponse },
    body: noteBody,
    handler: async ({ deps, caller, params: { id }, body, effect }) => {
      const target = await findTarget(deps, caller, 'decide', entity, id)
      return effect.answering(presentNote, (commit) => addNote(target, caller, body.text, commit))
    },
  }),
])

const presentNote = (note: TimelineEntry) => ({ status: 201 as const, body: { data: presentEntry(note) } })
