/** Component: a chip that shows the state of a row or a card. */
import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

export type Tone = 'neutral' | 'accent' | 'info' | 'success' | 'warning' | 'danger'

interface ChipProps {
  readonly tone?: Tone | undefined
  readonly icon?: IconName | undefined
  /** The page on which the reader changes the state. */
  readonly href?: string | undefined
  readonly children?: ComponentChildren
}

export function Chip({ tone = 'neutral', icon, href, children }: ChipProps) {
  const look = tone === 'neutral' ? 'chip' : `chip chip-${tone}`
  const content = (
    <>
      {icon ? <Icon name={icon} size={14} /> : null}
      {children}
    </>
  )
  if (href === undefined) return <span class={look}>{content}</span>
  return (
    <a class={look} href={href}>
      {content}
      <Icon name="chevron-right" size={14} />
    </a>
  )
}
