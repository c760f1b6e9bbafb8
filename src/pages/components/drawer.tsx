/** Component: a drawer over the page, which a script or an address opens. */
import type { ComponentChildren } from 'preact'
import type { Translate } from '../texts/index.ts'
import { IconButton } from './button.tsx'

interface DrawerProps {
  readonly t: Translate
  readonly id: string
  readonly title: ComponentChildren
  readonly isOpen?: boolean
  /** The elements with the classes `drawer-body` and `drawer-foot`, which can be inside a form. */
  readonly children: ComponentChildren
}

export const Drawer = ({ t, id, title, isOpen = false, children }: DrawerProps) => (
  <dialog class="drawer" id={id} aria-labelledby={`${id}-title`} open={isOpen} data-drawer>
    <div class="drawer-head">
      <h2 id={`${id}-title`}>{title}</h2>
      {/* This form closes the drawer without scripts. */}
      <form method="dialog">
        <IconButton icon="x" label={t('console.keys.close')} data-close />
      </form>
    </div>
    {children}
  </dialog>
)
