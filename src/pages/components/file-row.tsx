/** Component: a row of a document list: missing, added or refused. */
import type { ComponentChildren } from 'preact'
import { Tile } from './card.tsx'
import type { IconName } from './icon.tsx'

interface FileRowProps {
  readonly name: ComponentChildren
  /** The accepted kinds of this document, or the name and size of the file. */
  readonly note: ComponentChildren
  readonly state: 'missing' | 'added' | 'refused'
  readonly icon?: IconName | undefined
  /** A thumbnail in place of the icon. */
  readonly image?: ComponentChildren
  /** A chip, buttons and the menu. */
  readonly end?: ComponentChildren
  /** A second line, such as the comment of a reviewer or the progress of an upload. */
  readonly children?: ComponentChildren
  readonly id?: string
}

const TONES = { missing: 'neutral', added: 'accent', refused: 'danger' } as const

export const FileRow = ({ name, note, state, icon, image, end, children, id }: FileRowProps) => (
  <li class="file-row" {...(id !== undefined && { id })}>
    {image ?? <Tile icon={icon ?? (state === 'refused' ? 'file-x' : 'file-text')} tone={TONES[state]} />}
    <span class="row-text">
      <span class="row-name">{name}</span>
      <span class="row-note">{note}</span>
    </span>
    {end ? <span class="row-status">{end}</span> : null}
    {children ? <div class="row-more">{children}</div> : null}
  </li>
)
