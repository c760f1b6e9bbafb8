/** Components: what the reviewer wrote, in quotes, or a text if there is no comment, and when. */
import type { ComponentChildren } from 'preact'
import type { Frame } from '../../components/layout.tsx'
import { dayText } from '../../values/dates.ts'

interface ReviewCommentProps {
  readonly comment: string | null | undefined
  /** The text to show instead. */
  readonly children?: ComponentChildren
}

export function ReviewComment({ comment, children }: ReviewCommentProps) {
  if (!comment && !children) return null
  return <p class="lines">{comment ? <q>{comment}</q> : children}</p>
}

/** Names the author and the day of the quoted comments. Applicants do not see the name of the operator. */
export const CommentSource = ({ frame, decidedAt }: { frame: Frame; decidedAt: Date | undefined }) =>
  decidedAt === undefined ? null : (
    <p class="row-note">{frame.t('revision.comment', { date: dayText(frame, decidedAt) })}</p>
  )
