/** Adds an operator's note from the page of a case. */
import { v5 as idFrom, v7 as newId } from 'uuid'
import { noteBody } from '../../../contracts/timeline.ts'
import type { Entity } from '../../../domain/entity/entity.ts'
import { formEffect } from '../../../use-cases/base/effect.ts'
import { addNote } from '../../../use-cases/case/timeline.ts'
import { plain, type Sent } from '../../values/form-values.ts'
import { idIn } from '../base/form.ts'
import { type CaseForm, runCaseForm } from './form.ts'

export const MAX_NOTE = 5_000

/**
 * Adds a note. Derives the ID of the effect from the form's ID and the text, so that a form that is sent twice adds one
 * note. If the text differs, for example after the browser's Back button was used, the form adds another note.
 */
export function addNoteFromForm<E extends Entity>(form: CaseForm<E>): Promise<void> {
  const { deps, visit, target, req, showAgain } = form
  const sent = (req.body ?? {}) as Sent
  // Browsers count a line break as one character but send it as two.
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
  return runCaseForm(form, add, { typed, place: 'timeline-title', done: 'noted' })
}
