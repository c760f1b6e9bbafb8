/** Component: the heading of a result page, with the icon and the title of the outcome. */
import type { ComponentChildren } from 'preact'
import { BigTile } from './card.tsx'
import type { IconName } from './icon.tsx'

export type Outcome = 'received' | 'approved' | 'rejected' | 'closed'

interface OutcomeHeroProps {
  readonly outcome: Outcome
  readonly title: string
  readonly children?: ComponentChildren
}

export const OutcomeHero = ({ outcome, title, children }: OutcomeHeroProps) => (
  <div class={heroClass(outcome)}>
    <OutcomeMark outcome={outcome} />
    <h1>{title}</h1>
    {children}
  </div>
)

interface MessageHeadProps {
  readonly icon: IconName
  readonly title: string
  readonly text: string
  /** The link to the next step. */
  readonly children?: ComponentChildren
}

/** The centred heading of a page that only informs, such as one for a link that is not valid. */
export const MessageHead = ({ icon, title, text, children }: MessageHeadProps) => (
  <div class="hero">
    <BigTile icon={icon} />
    <h1>{title}</h1>
    <p>{text}</p>
    {children}
  </div>
)

/** A closed verification looks like a rejected one, but in grey. */
export const heroClass = (outcome: Outcome): string =>
  outcome === 'closed' ? 'hero hero-rejected hero-closed' : `hero hero-${outcome}`

export const OutcomeMark = ({ outcome }: { outcome: Outcome }) => (
  <svg class="hero-mark" viewBox="0 0 96 96" width={96} height={96} aria-hidden="true">
    {outcome === 'received' ? (
      <>
        <circle class="hero-ring" cx="48" cy="48" r="44" />
        <path class="hero-line" d="M48 4a44 44 0 0 1 44 44" />
        <path class="hero-line" d="M48 27v22l13 8" />
      </>
    ) : outcome === 'approved' ? (
      <>
        <circle class="hero-halo" cx="48" cy="48" r="48" />
        <circle class="hero-disc" cx="48" cy="48" r="36" />
        <path class="hero-tick" d="m33 49 10 10 20-21" />
      </>
    ) : (
      <>
        <circle class="hero-ring" cx="48" cy="48" r="45" />
        <path class="hero-line" d={outcome === 'rejected' ? 'm37 37 22 22m0-22L37 59' : 'M35 48h26'} />
      </>
    )}
  </svg>
)
