/** Component: menus, which work without scripts. */
import type { ComponentChildren, VNode } from 'preact'
import { Icon } from './icon.tsx'

interface MenuProps {
  /** The name for screen readers, which is also the tooltip. */
  readonly label: string
  readonly kind?: 'quiet' | 'secondary'
  /** The entries: links, and forms with a button. */
  readonly children: ComponentChildren
}

export const Menu = ({ label, kind = 'quiet', children }: MenuProps) => (
  <details class="menu" name="menu">
    <summary class={`button button-${kind} button-icon`} aria-label={label} title={label}>
      <Icon name="ellipsis" size={20} />
    </summary>
    <div class="menu-entries">{children}</div>
  </details>
)

interface LinkMenuProps {
  readonly links: readonly (readonly [href: string, text: string])[]
  /** The URL of the link that is marked. */
  readonly current: string
  /** The summary, which shows the choice. */
  readonly children: VNode
}

/** Lists choices as links, so that a choice applies at once. */
export const LinkMenu = ({ links, current, children }: LinkMenuProps) => (
  <details class="menu link-menu" name="menu">
    {children}
    <ul class="menu-entries">
      {links.map(([href, text]) => (
        <li key={href}>
          <a href={href} {...(href === current && { 'aria-current': 'true' })}>
            {text}
          </a>
        </li>
      ))}
    </ul>
  </details>
)
