/** Component: the drawings next to words, such as icons, states, flags, initials and the logo. */
import { FLAGS, flagPath } from '../assets/assets.ts'
import { ICONS } from './icons.ts'

export type IconName = keyof typeof ICONS

/** The icons that depend on the reading direction. They are mirrored if the page is written from right to left. */
const MIRRORED: readonly string[] = ['arrow-left', 'arrow-right', 'chevron-left', 'chevron-right', 'undo-2']

export const Icon = ({ name, size = 16 }: { name: IconName; size?: 14 | 16 | 20 | 24 }) => (
  <svg
    class={MIRRORED.includes(name) ? 'icon icon-mirrored' : 'icon'}
    viewBox="0 0 24 24"
    width={size}
    height={size}
    aria-hidden="true"
    dangerouslySetInnerHTML={{ __html: ICONS[name] }}
  />
)

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

interface FlagProps {
  /** An ISO 3166-1 alpha-2 code. */
  readonly country: string | null | undefined
  /** The name of the country. Omit it if the name is next to the flag. */
  readonly label?: string
}

/** Renders the flag, or nothing if the country has no flag. */
export const Flag = ({ country, label = '' }: FlagProps) =>
  country && FLAGS.has(country) ? (
    <img class="flag" src={flagPath(country)} alt={label} width={20} height={13} loading="lazy" />
  ) : null

interface AvatarProps {
  /** A name or an email address. */
  readonly name: string
  readonly isSmall?: boolean
  /** If true, the name determines the colour. */
  readonly isColoured?: boolean
}

/** Returns the initials of the first and the last word. */
function initialsOf(name: string): string {
  const words = (name.split('@')[0] ?? '').split(/[^\p{L}\p{M}\p{N}]+/u).filter(Boolean)
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words
  return ends.map((word = '') => [...word][0]?.toUpperCase()).join('')
}

/** Returns a number from 1 to 4, which is always the same for the same name. */
const colourOf = (name: string): number =>
  ([...name].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % 4) + 1

export const Avatar = ({ name, isSmall = false, isColoured = false }: AvatarProps) => (
  <span
    class={['avatar', isSmall && 'avatar-small', isColoured && `avatar-${colourOf(name)}`]
      .filter(Boolean)
      .join(' ')}
    aria-hidden="true"
  >
    {initialsOf(name)}
  </span>
)

export const Sign = ({ size }: { size: number }) => (
  <svg viewBox="0 0 34 34" width={size} height={size} aria-hidden="true">
    <rect class="sign-ground" width="34" height="34" rx="9" />
    <path class="sign-gate" d="M8.5 25v-8a8.5 8.5 0 0 1 17 0v8M13 25v-7.5a4 4 0 0 1 8 0V25M17 14v11" />
  </svg>
)

export const Sheet = ({ class: name }: { readonly class?: string }) => (
  <svg
    class={name}
    viewBox="0 0 40 52"
    width={40}
    height={52}
    fill="none"
    stroke="#c3c9d4"
    stroke-width={2}
    stroke-linecap="round"
    aria-hidden="true"
  >
    <path stroke="#98a1b2" stroke-width={3} d="M7 9h14" />
    <path d="M7 17h26M7 23h26M7 29h19M7 36h26M7 42h26" />
  </svg>
)
