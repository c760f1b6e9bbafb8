/** Component: the name of an object in a list. Its link covers the whole row. */
import type { ComponentChildren } from 'preact'

interface RowNameProps {
  /** The flag, icon or initials before the name. */
  readonly sign: ComponentChildren
  readonly href: string
  readonly name: string
  /** The second line. Omits empty parts. */
  readonly notes: readonly (string | false)[]
}

export const RowName = ({ sign, href, name, notes }: RowNameProps) => (
  <span class="name-cell">
    {sign}
    <span class="row-text">
      <a class="row-link" href={href}>
        {name}
      </a>
      <span class="row-note">{notes.filter(Boolean).join(' · ')}</span>
    </span>
  </span>
)
