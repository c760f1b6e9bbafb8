/** Component: a plain list of advice. Its items do not look like links, because they lead nowhere. */
import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

interface AdviceItem {
  readonly icon?: IconName
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
      {items.map(({ icon, name, note }) => (
        <li key={name}>
          {icon && <Icon name={icon} size={20} />}
          <div>
            <strong class="row-name">{name}</strong>
            <p class="row-note">{note}</p>
          </div>
        </li>
      ))}
    </List>
  )
}
