/** Component: a short message about the last action, with at most one button. */
import type { ComponentChildren } from 'preact'
import { Icon } from './icon.tsx'

/** Shows the message. After six seconds, a script removes a message that has neither the focus nor the pointer. */
export const Toast = ({ children, action }: { children: ComponentChildren; action?: ComponentChildren }) => (
  <div class="toast" role="status" data-toast>
    <Icon name="circle-check" />
    <span>{children}</span>
    {action}
  </div>
)
