/** Component: a row of a task list. The whole row is a link, unless the task is locked or the row is informational. */
import type { ComponentChildren } from 'preact'
import { Tile } from './card.tsx'
import { Glyph, type GlyphState, Icon, type IconName } from './icon.tsx'
import { RowText } from './row-text.tsx'

interface TaskRowProps {
  /** The address of the task. Null if the task is locked, and undefined if the row is informational. */
  readonly href?: string | null
  readonly icon: IconName
  readonly name: ComponentChildren
  readonly note: ComponentChildren
  /** Replaces the note on phones. By default, this is the status. */
  readonly shortNote?: string | undefined
  readonly state?: GlyphState
  readonly share?: number | undefined
  /** The status next to the glyph. */
  readonly status?: string
}

export function TaskRow({ href, icon, name, note, state, share, status, shortNote = status }: TaskRowProps) {
  const content = (
    <>
      <Tile icon={icon} tone={href === null ? 'neutral' : 'accent'} />
      <RowText name={name} note={<Fitting long={note} short={shortNote} />} />
      {state === undefined ? null : (
        <span class="row-status">
          <Glyph state={state} {...(share !== undefined && { share })} />
          <span class="row-long">{status}</span>
        </span>
      )}
      {href === undefined ? null : (
        <span class="row-end">
          <Icon name={href === null ? 'lock' : 'chevron-right'} />
        </span>
      )}
    </>
  )
  return (
    <li>
      {href ? (
        <a class="task-row" href={href}>
          {content}
        </a>
      ) : (
        <div class="task-row">{content}</div>
      )}
    </li>
  )
}

/** Shows the short text on phones, and the long text on larger screens. */
const Fitting = ({ long, short }: { long: ComponentChildren; short: string | undefined }) =>
  short === undefined ? (
    long
  ) : (
    <>
      <span class="row-long">{long}</span>
      <span class="row-short">{short}</span>
    </>
  )
