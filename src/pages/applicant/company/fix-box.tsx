/** Component: a box around a field or document whose correction a reviewer has requested. */
import type { VNode } from 'preact'
import type { Fields } from '../../../domain/fields/field.ts'
import { Button, ButtonLink } from '../../components/button.tsx'
import { labelOf } from '../../components/fields.tsx'
import { Glyph } from '../../components/glyph.tsx'
import type { FieldProblem } from '../../components/layout.tsx'
import { CommentSource } from '../review-comment.tsx'
import { splitFields } from '../revision-list.tsx'
import { type CompanyVisit, replyAt } from './visit.ts'

export const isToFix = ({ application }: CompanyVisit, path: string): boolean =>
  application.corrections.some((each) => each.path === path)

/** Counts the requested changes of a form with these fields. The box of a single change saves the form. */
export const countFixes = (visit: CompanyVisit, paths: readonly string[]): number =>
  paths.filter((path) => isToFix(visit, path)).length

interface FormFields {
  readonly fields: Fields
  /** The prefix of the paths. */
  readonly prefix?: string
  readonly problems: readonly FieldProblem[]
}

/** Splits the fields of a form as {@link splitFields} does. Returns null if the form has no requested change. */
export const splitForm = ({ application }: CompanyVisit, form: FormFields) =>
  splitFields({
    ...form,
    corrected: application.corrections.map(({ path }) => path),
    due: application.currentlyDue,
  })

/**
 * Returns a function that shows a field, in a box if it needs a correction. The form that saves the field contains it. If
 * the form has several corrections, its end has the button that saves all of them.
 */
export const fixBoxOf = (visit: CompanyVisit, paths: readonly string[]) => (path: string, field: VNode) => {
  if (!isToFix(visit, path)) return field
  const { frame, application } = visit
  const { t } = frame
  const isQuoted = application.corrections.some((each) => each.path === path && each.message !== null)
  const replyHref = replyAt(visit)(path)
  return (
    <div class="fix">
      <p class="fix-head">
        <Glyph state="warning" />
        <strong>{labelOf(t, path)}</strong>
        <span class="quiet small">{t('revision.toFix')}</span>
      </p>
      {isQuoted ? <CommentSource frame={frame} decidedAt={application.review?.decidedAt} /> : null}
      {field}
      <div class="actions">
        {countFixes(visit, paths) === 1 ? <Button>{t('revision.save')}</Button> : null}
        {replyHref === null ? null : (
          <ButtonLink kind="secondary" href={replyHref}>
            {t('revision.reply')}
          </ButtonLink>
        )}
      </div>
    </div>
  )
}
