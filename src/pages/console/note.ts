/** A note for other operators, from the page of an application or identification. */
import { v5 as idFrom, v7 as newId } from 'uuid'
import { noteBody } from '../../contracts/timeline.ts'
import type { Entity } from '../../domain/entity.ts'
import { addNote } from '../../use-cases/cases/timeline.ts'
import { formEffect } from '../../use-cases/effect.ts'
import { plain, type Sent } from '../form-values.ts'
import { type CaseForm, idIn, runCaseForm } from './case-form.ts'

export const MAX_NOTE = 5_000

/**
 * The form names the note: sent again after its answer was lost, it writes no second one. What is sent otherwise, as from
 * a page that the browser kept, is another note.
 */
export function addNoteFromForm<E extends Entity>(form: CaseForm<E>): Promise<void> {
  const { deps, visit, target, req, showAgain } = form
  const sent = (req.body ?? {}) as Sent
  // Browsers count the end of a line as one, and send two.
  const text = plain(sent.text)
  const name = idIn(sent) ?? newId()
  const typed = { note: { id: name, text } }
  if (text !== '' && !noteBody.safeParse({ text }).success) {
    const message = visit.frame.t('console.note.wrong')
    return showAgain({ status: 422, problems: [{ field: 'text', message }], typed })
  }
  const add = async () => {
    const { actor } = visit
    if (text !== '') await addNote(target, visit, text, formEffect(deps, idFrom(`${actor} ${text}`, name)))
  }
  return runCaseForm(form, add, { typed, place: 'timeline-title' })
}
