/** Rules for the corrections and replies that remain open after a change of the content. */
import type { Correction, Place, Reply } from '../decision/decision.ts'
import { areSame, hasFile, isFieldPath, valueAt, WHOLE_APPLICATION } from './content.ts'
import type { KybContent } from './fields.ts'
import type { Form } from './form.ts'

export const countFieldCorrections = (corrections: readonly Place[]): number =>
  corrections.filter(({ path }) => path !== WHOLE_APPLICATION).length

interface Edit {
  readonly form: Form
  readonly before: KybContent
  readonly after: KybContent
}

/**
 * Returns the open corrections. A change to the field, or the removal of the person to whom it belongs, resolves a
 * correction.
 */
export function openCorrections<C extends Correction>(
  corrections: readonly C[],
  { before, after, form }: Edit,
): C[] {
  // Compares each path only once, because several findings can have the same path, and a path can stand for the whole
  // application.
  const paths = [...new Set(corrections.map(({ path }) => path))]
  const exists = (path: string) => path === WHOLE_APPLICATION || isFieldPath(form, after, path)
  const isSame = (path: string) => areSame(valueAt(before, path), valueAt(after, path))
  const open = new Set(paths.filter((path) => exists(path) && isSame(path)))
  return corrections.filter(({ path }) => open.has(path))
}

/**
 * Returns the replies that still apply. These are replies about the whole application, about a document that is still
 * in its list, or about an unchanged value.
 */
export function openReplies(replies: readonly Reply[], edit: Edit): Reply[] {
  const isSame = openCorrections(replies, edit)
  return replies.filter(
    (each) =>
      each.path === WHOLE_APPLICATION ||
      (each.fileId === undefined ? isSame.includes(each) : hasFile(edit.after, each.path, each.fileId)),
  )
}
