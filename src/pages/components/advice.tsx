/** Component: a plain list of advice. Its items do not look like links, because they lead nowhere. */
import type { ComponentChildren } from 'preact'

interface AdviceItem {
  readonly name: string
  readonly note: string
  /** The address that makes the name a link. */
  readonly href?: string | undefined
}

interface AdviceProps {
  readonly items: readonly AdviceItem[]
  readonly isNumbered?: boolean
}

export function Advice({ items, isNumbered = false }: AdviceProps) {
  const List = isNumbered ? 'ol' : 'ul'
  return (
    <List class="advice">
      {items.map(({ name, note, href }) => (
        <li key={name}>
          <Name href={href}>{name}</Name>
          <p class="row-note">{note}</p>
        </li>
      ))}
    </List>
  )
}

const Name = ({ href, children }: { href: string | undefined; children: ComponentChildren }) =>
  href === undefined ? (
    <strong class="row-name">{children}</strong>
  ) : (
    <a class="row-name" href={href}>
      {children}
    </a>
  )
