/** Components: a box around a field or document whose correction a reviewer has requested, and the end of its form. */
import { type ComponentChildren, cloneElement, type VNode } from 'preact'
import type { Fields } from '../../../domain/fields/field.ts'
import { Button, ButtonLink } from '../../components/button.tsx'
import { labelOf } from '../../components/fields.tsx'
import { Glyph } from '../../components/icon.tsx'
import type { FieldProblem, Frame } from '../../components/layout.tsx'
import { CommentSource } from '../base/review-comment.tsx'
import { splitFields } from '../base/revision-list.tsx'
import { type CompanyVisit, commentOn, replyAt } from './visit.ts'

export const isToFix = ({ application }: CompanyVisit, path: string): boolean =>
  application.corrections.some((each) => each.path === path)

export const countFixes = (visit: CompanyVisit, paths: readonly string[]): number =>
  paths.filter((path) => isToFix(visit, path)).length

interface FormFields {
  readonly fields: Fields
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
 * Returns a function that shows a field, in a box if it needs a correction. The form that saves the field contains it.
 * `fixes` counts the corrections of the form. The box of a single one has the button that saves the form.
 */
export const fixBoxOf = (visit: CompanyVisit, fixes: number) => (path: string, field: VNode) => {
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
      <div>
        <p class="comment" id={`${path}-comment`}>
          {commentOn(visit)(path)}
        </p>
        {isQuoted ? <CommentSource frame={frame} decidedAt={application.review?.decidedAt} /> : null}
      </div>
      <div class="fix-field">{cloneElement(field, { isCommentAbove: true })}</div>
      <div class="actions">
        {fixes === 1 ? <Button>{t('revision.save')}</Button> : null}
        {replyHref === null ? null : (
          <>
            <ButtonLink kind="secondary" href={replyHref}>
              {t('revision.reply')}
            </ButtonLink>
            <p class="row-note">{t('revision.reply.text')}</p>
          </>
        )}
      </div>
    </div>
  )
}

interface FormEndProps {
  readonly frame: Frame
  readonly fixes: number
  readonly children: ComponentChildren
}

/** Shows the end of a form, with the button that saves it unless a box has this button. Phones show only the button. */
export const FormEnd = ({ frame: { t }, fixes, children }: FormEndProps) => (
  <>
    {fixes > 0 ? <p class="quiet">{t('revision.then')}</p> : null}
    <div class={fixes === 1 ? 'actions wide-only' : 'dock'}>
      {fixes === 1 ? null : <Button>{t(fixes > 1 ? 'revision.saveAll' : 'section.save')}</Button>}
      {children}
    </div>
  </>
)
