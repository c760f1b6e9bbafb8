/** Component: a plain list of advice. Its items do not look like links, because they lead nowhere. */
import type { ComponentChildren } from 'preact'

interface AdviceItem {
  readonly name: string
  readonly note: ComponentChildren
}

interface AdviceProps {
  readonly items: readonly AdviceItem[]
  readonly isNumbered?: boolean
}

export function Advice({ items, isNumbered = false }: AdviceProps) {
  const List = isNumbered ? 'ol' : 'ul'
  return (
    <List class="advice">
      {items.map(({ name, note }) => (
        <li key={name}>
          <strong class="row-name">{name}</strong>
          <p class="row-note">{note}</p>
        </li>
      ))}
    </List>
  )
}
