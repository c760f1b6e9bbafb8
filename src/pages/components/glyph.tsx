/** Component: a shape that shows the status of a section, a document or a check. */

export type GlyphState = 'done' | 'started' | 'todo' | 'warning' | 'refused' | 'info'

interface GlyphProps {
  readonly state: GlyphState
  /** The completed share of a section that has been started, from 0 to 1. */
  readonly share?: number
  /** The status for screen readers and for paper. Omit it if a word is next to the glyph. */
  readonly label?: string | undefined
}

const MARKS = {
  done: 'm6 10.5 2.7 2.7 5.3-5.6',
  warning: 'M10 5.5v5M10 14h.01',
  refused: 'm7 7 6 6m0-6-6 6',
} as const

export const Glyph = ({ state, share = 0.5, label }: GlyphProps) => (
  <>
    <svg class={`glyph glyph-${state}`} viewBox="0 0 20 20" width={20} height={20} aria-hidden="true">
      <Shape state={state} share={share} />
    </svg>
    {label === undefined ? null : <span class="unseen">{label}</span>}
  </>
)

function Shape({ state, share }: Required<Pick<GlyphProps, 'state' | 'share'>>) {
  if (state === 'todo') return <circle class="glyph-ring-dashed" cx="10" cy="10" r="8.5" />
  if (state === 'info')
    return (
      <>
        <circle class="glyph-ring" cx="10" cy="10" r="8.5" />
        <path class="glyph-ring" stroke-linecap="round" d="M10 9.5v4M10 6.5h.01" />
      </>
    )
  if (state === 'started')
    return (
      <>
        <circle class="glyph-ring" cx="10" cy="10" r="8.5" />
        <path stroke="none" d={sliceOf(share)} />
      </>
    )
  return (
    <>
      <circle cx="10" cy="10" r="10" />
      <path class="glyph-mark" d={MARKS[state]} />
    </>
  )
}

/** Returns the path of a slice that starts at the top. */
function sliceOf(share: number): string {
  const part = Math.min(0.98, Math.max(0.08, share))
  const angle = 2 * Math.PI * part
  const [x, y] = [10 + 5.5 * Math.sin(angle), 10 - 5.5 * Math.cos(angle)].map((each) => each.toFixed(2))
  return `M10 10V4.5A5.5 5.5 0 ${part > 0.5 ? 1 : 0} 1 ${x} ${y}Z`
}
