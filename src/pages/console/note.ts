/** A note for other operators, from the page of an application or identification. */
import { v7 as newId } from 'uuid'
import { noteBody } from '../../contracts/timeline.ts'
import type { Entity } from '../../domain/entity.ts'
import { addNote } from '../../use-cases/note.ts'
import { plain, type Sent } from '../fields.tsx'
import { answering, type CaseForm } from './case-form.ts'

export const MAX_NOTE = 5_000

export function addNoteFromForm<E extends Entity>(form: CaseForm<E>): Promise<void> {
  const { deps, visit, target, req, again } = form
  // Browsers count the end of a line as one, and send two.
  const text = plain((req.body as Sent | undefined)?.text)
  const typed = { note: text }
  if (text !== '' && !noteBody.safeParse({ text }).success) {
    const message = visit.frame.t('console.note.wrong')
    return again({ status: 422, problems: [{ field: 'text', message }], typed })
  }
  const add = async () => {
    if (text !== '') await addNote(deps.db, target, { id: newId(), actor: visit.actor, text })
  }
  return answering(form, add, { typed })
}
