/** Component: the progress of a form, as a rail on large screens and as a bar on phones. */
import type { ComponentChildren } from 'preact'
import { Glyph, type GlyphState, Icon, type IconName } from './icon.tsx'

export interface RailStep {
  readonly href: string
  readonly name: string
  readonly state: GlyphState
  /** An icon that replaces the glyph. */
  readonly icon?: IconName
  readonly done: number
  readonly total: number
  /** The number of completed items in an incomplete step, such as "2 of 3". */
  readonly count?: string | undefined
  /** The status for screen readers. */
  readonly status: string
  readonly isCurrent: boolean
}

type Segment = Pick<RailStep, 'done' | 'total'> & { readonly isCurrent?: boolean }

/** Returns the segment of a requested change. */
export const segmentOf = (isFixed: boolean): Segment => ({ done: isFixed ? 1 : 0, total: 1 })

interface RailProps extends Segment {
  /** The progress as text, such as "9 of 13 done". */
  readonly text: string
  readonly steps: readonly RailStep[]
  /** The name of the navigation for screen readers. */
  readonly label: string
  /** Further lines, such as the company's name and the reference. */
  readonly children?: ComponentChildren
}

export const Rail = ({ done, total, text, label, steps, children }: RailProps) => (
  <nav class="rail" aria-label={label}>
    <div class="rail-progress">
      <Ring share={total === 0 ? 0 : done / total} size={44} width={4} />
      <strong>{text}</strong>
    </div>
    <ul class="rail-list">
      {steps.map(({ href, name, state, icon, done: finished, total: all, count, status, ...step }) => (
        <li key={href}>
          <a href={href} {...(step.isCurrent && { 'aria-current': 'page' })}>
            {icon ? (
              <Icon name={icon} size={20} />
            ) : (
              <Glyph state={state} share={all === 0 ? 0 : finished / all} label={status} />
            )}
            <span>{name}</span>
            {count ? <span class="rail-count">{count}</span> : null}
          </a>
        </li>
      ))}
    </ul>
    {children}
  </nav>
)

interface ProgressBarProps extends Pick<RailProps, 'text'> {
  readonly segments: readonly Segment[]
  readonly end?: ComponentChildren
}

/** Renders a bar with one segment per step or requested change. The bar must be in the header of the page. */
export const ProgressBar = ({ text, segments, end }: ProgressBarProps) => (
  <div class="progress">
    <div class="progress-text">
      <strong>{text}</strong>
      {end}
    </div>
    <div class="progress-bars" aria-hidden="true">
      {segments.map(({ done, total, isCurrent }, place) => (
        <progress
          key={place}
          max={Math.max(1, total)}
          value={done}
          {...(isCurrent && { class: 'progress-current' })}
        />
      ))}
    </div>
  </div>
)

interface RingProps {
  /** The completed share, from 0 to 1. */
  readonly share: number
  readonly size: number
  readonly width: number
}

export function Ring({ share, size, width }: RingProps) {
  const radius = (size - width) / 2
  const length = 2 * Math.PI * radius
  return (
    <svg viewBox={`0 0 ${size} ${size}`} width={size} height={size} aria-hidden="true">
      <circle class="ring" cx={size / 2} cy={size / 2} r={radius} stroke-width={width} />
      {share > 0 ? (
        <circle
          class="ring-value"
          cx={size / 2}
          cy={size / 2}
          r={radius}
          stroke-width={width}
          stroke-dasharray={`${(Math.min(1, share) * length).toFixed(2)} ${length.toFixed(2)}`}
          transform={`rotate(-90 ${size / 2} ${size / 2})`}
        />
      ) : null}
    </svg>
  )
}
