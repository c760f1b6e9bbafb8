/** Component: a row of a task list. The whole row is a link, unless the task is locked. */
import type { ComponentChildren } from 'preact'
import { Tile } from './card.tsx'
import { Glyph, type GlyphState } from './glyph.tsx'
import { Icon, type IconName } from './icon.tsx'

interface TaskRowProps {
  /** Null if the task is locked. */
  readonly href: string | null
  readonly icon: IconName
  readonly name: ComponentChildren
  readonly note: ComponentChildren
  readonly state: GlyphState
  readonly share?: number | undefined
  /** The status next to the glyph. On phones, only screen readers read it. */
  readonly status: string
}

export function TaskRow({ href, icon, name, note, state, share, status }: TaskRowProps) {
  const content = (
    <>
      <Tile icon={icon} tone={href === null ? 'neutral' : 'accent'} />
      <span class="row-text">
        <span class="row-name">{name}</span>
        <span class="row-note">{note}</span>
      </span>
      <span class="row-status">
        <Glyph state={state} {...(share !== undefined && { share })} />
        <span class="row-word">{status}</span>
      </span>
      <span class="row-end">
        <Icon name={href === null ? 'lock' : 'chevron-right'} />
      </span>
    </>
  )
  return (
    <li>
      {href === null ? (
        <div class="task-row">{content}</div>
      ) : (
        <a class="task-row" href={href}>
          {content}
        </a>
      )}
    </li>
  )
}
