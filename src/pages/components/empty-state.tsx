/** Component: states that a list is empty, and offers the next action. */
import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

interface EmptyStateProps {
  readonly icon: IconName
  /** The first sentence names the missing objects and is the title. The rest is about the next action. */
  readonly text: string
  /** True if the first sentence is the title of the page. */
  readonly isTitle?: boolean
  readonly children?: ComponentChildren
}

export function EmptyState({ icon, text, isTitle = false, children }: EmptyStateProps) {
  const [title = '', ...rest] = text.split(/\. /)
  return (
    <div class="empty-state">
      <span class="empty-tile">
        <Icon name={icon} size={24} />
      </span>
      {isTitle ? <h1>{title}</h1> : <strong>{title}</strong>}
      {rest.length > 0 ? <p class="quiet">{rest.join('. ')}</p> : null}
      {children ? <div class="actions">{children}</div> : null}
    </div>
  )
}
