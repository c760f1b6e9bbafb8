/** Component: a chip that shows the state of a row or a card. */
import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

export type Tone = 'neutral' | 'accent' | 'info' | 'success' | 'warning' | 'danger'

interface ChipProps {
  readonly tone?: Tone | undefined
  readonly icon?: IconName | undefined
  readonly children?: ComponentChildren
}

export const Chip = ({ tone = 'neutral', icon, children }: ChipProps) => (
  <span class={tone === 'neutral' ? 'chip' : `chip chip-${tone}`}>
    {icon ? <Icon name={icon} size={14} /> : null}
    {children}
  </span>
)
