/** Component: a box around a field or document whose correction a reviewer has requested. */
import type { VNode } from 'preact'
import type { Fields } from '../../../domain/fields/field.ts'
import { Button, ButtonLink } from '../../components/button.tsx'
import { labelOf } from '../../components/fields.tsx'
import { Glyph } from '../../components/glyph.tsx'
import type { FieldProblem } from '../../components/layout.tsx'
import { splitFields } from '../revision-list.tsx'
import { type CompanyVisit, replyAt } from './visit.ts'

export const isToFix = ({ application }: CompanyVisit, path: string): boolean =>
  application.corrections.some((each) => each.path === path)

/** Returns whether a page with these fields has a requested change, whose box saves the form. */
export const hasFix = (visit: CompanyVisit, paths: readonly string[]): boolean =>
  paths.some((path) => isToFix(visit, path))

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

/** Returns a function that shows a field, in a box if it needs a correction. The form that saves the field contains it. */
export const fixBoxOf = (visit: CompanyVisit) => (path: string, field: VNode) => {
  if (!isToFix(visit, path)) return field
  const { t } = visit.frame
  const replyHref = replyAt(visit)(path)
  return (
    <div class="fix">
      <p class="fix-head">
        <Glyph state="warning" />
        <strong>{labelOf(t, path)}</strong>
        <span class="quiet small">{t('revision.toFix')}</span>
      </p>
      {field}
      <div class="actions">
        <Button>{t('revision.save')}</Button>
        {replyHref === null ? null : (
          <ButtonLink kind="secondary" href={replyHref}>
            {t('revision.reply')}
          </ButtonLink>
        )}
      </div>
    </div>
  )
}
