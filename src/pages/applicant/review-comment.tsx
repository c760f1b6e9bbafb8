/** Component: what the reviewer wrote, in quotes, or a text if there is no comment. */
import type { ComponentChildren } from 'preact'

interface ReviewCommentProps {
  readonly comment: string | null | undefined
  /** The text to show instead. */
  readonly children?: ComponentChildren
}

export function ReviewComment({ comment, children }: ReviewCommentProps) {
  if (!comment && !children) return null
  return <p class="lines">{comment ? <q>{comment}</q> : children}</p>
}
