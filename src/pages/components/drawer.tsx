/** Component: a drawer. A script opens it as a dialog; without scripts, it is part of a page of its own. */
import type { ComponentChildren } from 'preact'
import { ButtonLink } from './button.tsx'
import { Icon } from './icon.tsx'

interface DrawerProps {
  readonly id: string
  readonly title: ComponentChildren
  /** The page behind the drawer. */
  readonly closeHref: string
  readonly closeLabel: string
  readonly foot?: ComponentChildren
  readonly children: ComponentChildren
}

export const Drawer = ({ id, title, closeHref, closeLabel, foot, children }: DrawerProps) => (
  <section class="drawer" id={id} aria-labelledby={`${id}-title`}>
    <div class="drawer-head">
      <h2 id={`${id}-title`}>{title}</h2>
      <ButtonLink kind="quiet" class="button-icon" href={closeHref} aria-label={closeLabel} data-close>
        <Icon name="x" size={20} />
      </ButtonLink>
    </div>
    <div class="drawer-body">{children}</div>
    {foot ? <div class="drawer-foot">{foot}</div> : null}
  </section>
)
