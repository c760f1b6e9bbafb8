/** Component: a drawer over the page, which a script opens. Without scripts, its content is on a separate page. */
import type { ComponentChildren } from 'preact'
import { IconButton } from './button.tsx'

interface DrawerProps {
  readonly id: string
  readonly title: ComponentChildren
  readonly closeLabel: string
  /** The elements with the classes `drawer-body` and `drawer-foot`, which can be inside a form. */
  readonly children: ComponentChildren
}

export const Drawer = ({ id, title, closeLabel, children }: DrawerProps) => (
  <dialog class="drawer" id={id} aria-labelledby={`${id}-title`} data-drawer>
    <div class="drawer-head">
      <h2 id={`${id}-title`}>{title}</h2>
      <IconButton type="button" icon="x" label={closeLabel} data-close />
    </div>
    {children}
  </dialog>
)
