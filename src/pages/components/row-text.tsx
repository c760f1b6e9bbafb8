/** Component: the text of a row, which is a name with a note below it. */
import type { ComponentChildren } from 'preact'

interface RowTextProps {
  /** The address to which the name leads. */
  readonly href?: string | false
  readonly name: ComponentChildren
  readonly note?: ComponentChildren
  readonly children?: ComponentChildren
}

export const RowText = ({ href, name, note, children }: RowTextProps) => (
  <span class="row-text">
    {href ? (
      <a class="row-name" href={href}>
        {name}
      </a>
    ) : (
      <span class="row-name">{name}</span>
    )}
    {note ? <span class="row-note">{note}</span> : null}
    {children}
  </span>
)
