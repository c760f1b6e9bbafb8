/** Component: a box around a field or document whose correction a reviewer has requested. */
import type { ComponentChildren, VNode } from 'preact'
import { fieldsIn } from '../../../domain/fields/condition.ts'
import type { Fields } from '../../../domain/fields/field.ts'
import { Button, ButtonLink } from '../../components/button.tsx'
import { labelOf } from '../../components/fields.tsx'
import { Glyph } from '../../components/glyph.tsx'
import type { FieldProblem, Frame } from '../../components/layout.tsx'
import { FoldedRest } from '../revision-list.tsx'
import { type CompanyVisit, replyAt } from './visit.ts'

export const isToFix = ({ application }: CompanyVisit, path: string): boolean =>
  application.corrections.some((each) => each.path === path)

/** Returns whether a page with these fields has a requested change, whose box saves the form. */
export const hasFix = (visit: CompanyVisit, paths: readonly string[]): boolean =>
  paths.some((path) => isToFix(visit, path))

interface SplitFields {
  readonly fields: Fields
  /** The prefix of the paths. */
  readonly prefix?: string
  readonly problems: readonly FieldProblem[]
}

/**
 * Splits the fields of a page with requested changes: those that need an answer, which the page shows with the questions
 * that they raise, and the rest, which it folds. Returns null if the page has no requested change.
 */
export function splitFields(visit: CompanyVisit, { fields, prefix = '', problems }: SplitFields) {
  const names = Object.keys(fields)
  const paths = names.map((name) => prefix + name)
  if (!hasFix(visit, paths)) return null
  const { currentlyDue } = visit.application
  const isOpen = (name: string) =>
    isToFix(visit, prefix + name) ||
    currentlyDue.includes(prefix + name) ||
    problems.some(({ field }) => field === prefix + name)
  const open = names.filter((name) => {
    const asked = fields[name]?.asked
    return isOpen(name) || (asked !== undefined && fieldsIn(asked).some(isOpen))
  })
  return { open, rest: names.filter((name) => !open.includes(name)) }
}

/** Folds the fields that need no change. The form saves them as well. */
export const RestOfForm = ({ frame: { t }, children }: { frame: Frame; children: ComponentChildren }) => (
  <FoldedRest name={t('revision.others')} note={t('revision.others.text')}>
    {children}
  </FoldedRest>
)

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
