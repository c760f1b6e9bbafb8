/** Component: states that a list is empty, and offers the next action. */
import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

interface EmptyStateProps {
  readonly icon: IconName
  /** The missing objects, without a full stop. */
  readonly title: string
  /** One sentence about the next action. */
  readonly text?: ComponentChildren
  /** A button and a link. */
  readonly children?: ComponentChildren
}

export const EmptyState = ({ icon, title, text, children }: EmptyStateProps) => (
  <section class="empty-state" role="status">
    <span class="empty-tile">
      <Icon name={icon} size={20} />
    </span>
    <h2>{title}</h2>
    {text ? <p class="quiet">{text}</p> : null}
    {children ? <div class="actions">{children}</div> : null}
  </section>
)
