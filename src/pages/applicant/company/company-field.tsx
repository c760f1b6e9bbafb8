/** Component: a field of the company form. If a reviewer has requested its correction, the field has a separate box. */
import type { VNode } from 'preact'
import type { Field as Row } from '../../../domain/fields/field.ts'
import { valueIn } from '../../../domain/kyb/form.ts'
import { Field, labelOf } from '../../components/fields.tsx'
import type { RefusedForm } from '../../components/form.tsx'
import { proposedOr } from '../../components/proposed.ts'
import { FixBox } from './fix-box.tsx'
import { type CompanyVisit, commentOn, replyAt } from './visit.ts'

interface CompanyFieldProps extends Required<RefusedForm> {
  readonly visit: CompanyVisit
  readonly path: string
  readonly name: string
  readonly label?: string
  readonly field: Row
  readonly stored: unknown
  readonly required: boolean
  readonly offers: Readonly<Record<string, object>>
}

export const isToFix = ({ application }: CompanyVisit, path: string): boolean =>
  application.corrections.some((each) => each.path === path)

export function CompanyField({ visit, path, problems, typed, ...field }: CompanyFieldProps) {
  const { frame } = visit
  const shown = (
    <Field
      {...field}
      frame={frame}
      path={path}
      value={
        path in typed
          ? typed[path]
          : proposedOr(field.stored, path, (source) => valueIn(visit.application.content, source))
      }
      problem={problems.find((each) => each.field === path)}
      comment={commentOn(visit)(path)}
    />
  )
  return fixBoxOf(visit)(path, shown)
}

/** Returns a function that puts a field in a box if a reviewer has requested its correction. */
export const fixBoxOf =
  (visit: CompanyVisit) =>
  (path: string, field: VNode): VNode =>
    isToFix(visit, path) ? (
      <FixBox frame={visit.frame} title={labelOf(visit.frame.t, path)} replyHref={replyAt(visit)(path)}>
        {field}
      </FixBox>
    ) : (
      field
    )
