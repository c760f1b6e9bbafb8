/** Component: a row of a document list, for a document that is missing, added or refused. */
import type { ComponentChildren, HTMLAttributes } from 'preact'
import { Tile } from './card.tsx'
import type { IconName } from './icon.tsx'

interface FileRowProps extends Omit<HTMLAttributes<HTMLLIElement>, 'icon' | 'name'> {
  readonly name: ComponentChildren
  /** The element ID of the name. Controls in the row refer to it. */
  readonly nameId?: string
  /** The accepted kinds of document, or the names and sizes of the files. */
  readonly note: ComponentChildren
  readonly state: 'missing' | 'added' | 'refused'
  readonly icon?: IconName | undefined
  /** A thumbnail that replaces the icon. */
  readonly image?: ComponentChildren
  /** Elements at the end of the row: a chip, buttons and the menu. */
  readonly end?: ComponentChildren
  readonly form?: ComponentChildren
  /** A second line, such as the reviewer's comment or the progress of an upload. */
  readonly children?: ComponentChildren
}

const TONES = { missing: 'neutral', added: 'accent', refused: 'danger' } as const

export function FileRow(props: FileRowProps) {
  const { name, nameId, note, state, icon, image, end, form, children, ...rest } = props
  return (
    <li {...rest} class="file-row">
      {image ?? <Tile icon={icon ?? (state === 'refused' ? 'file-x' : 'file-text')} tone={TONES[state]} />}
      <span class="row-text">
        <span class="row-name" id={nameId}>
          {name}
        </span>
        <div class="row-note">{note}</div>
      </span>
      {end ? <span class="row-status">{end}</span> : null}
      {form}
      {children ? <div class="row-more">{children}</div> : null}
    </li>
  )
}
