/** Component: a menu behind "…", which works without scripts. */
import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

interface MenuProps {
  /** The name for screen readers, which is also the tooltip. */
  readonly label: string
  readonly icon?: IconName | undefined
  readonly kind?: 'quiet' | 'secondary'
  /** The entries: links, and forms with a button. */
  readonly children: ComponentChildren
}

export const Menu = ({ label, icon = 'ellipsis', kind = 'quiet', children }: MenuProps) => (
  <details class="menu" name="menu">
    <summary class={`button button-${kind} button-icon`} aria-label={label} title={label}>
      <Icon name={icon} size={20} />
    </summary>
    <div class="menu-entries">{children}</div>
  </details>
)
