/** Component: a card with an icon, a title and its status. */
import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

interface CardProps {
  /** The element ID of the title, which names the section. */
  readonly id: string
  readonly title: ComponentChildren
  readonly text?: ComponentChildren | undefined
  readonly icon?: IconName | undefined
  /** A chip or a link at the end of the title's line. */
  readonly end?: ComponentChildren
  readonly class?: string
  readonly children: ComponentChildren
}

export const Card = ({ id, title, text, icon, end, class: more = '', children }: CardProps) => (
  <section class={`card ${more}`.trim()} aria-labelledby={id}>
    <div class="card-head">
      {icon ? <Tile icon={icon} /> : null}
      <div class="card-name">
        <h2 id={id}>{title}</h2>
        {text ? <p class="row-note">{text}</p> : null}
      </div>
      {end}
    </div>
    <div class="card-body">{children}</div>
  </section>
)

type FoldedCardProps = Pick<CardProps, 'title' | 'text' | 'class' | 'children'>

/** A card that shows only its title at first. */
export const FoldedCard = ({ title, text, class: more = '', children }: FoldedCardProps) => (
  <details class={`card folded-card ${more}`.trim()}>
    <summary>
      <h2>{title}</h2>
      <span class="quiet">{text}</span>
      <Icon name="chevron-down" />
    </summary>
    <div class="card-body">{children}</div>
  </details>
)

interface TileProps {
  readonly icon: IconName
  readonly tone?: 'accent' | 'neutral' | 'success' | 'danger' | undefined
}

export const Tile = ({ icon, tone = 'accent' }: TileProps) => (
  <span class={tone === 'accent' ? 'tile' : `tile tile-${tone}`}>
    <Icon name={icon} size={20} />
  </span>
)

export const BigTile = ({ icon }: Pick<TileProps, 'icon'>) => (
  <span class="big-tile">
    <Icon name={icon} size={20} />
  </span>
)
