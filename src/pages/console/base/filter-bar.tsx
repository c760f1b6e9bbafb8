/** Component: the filters of a list, as chips with links. */
import type { ComponentChildren } from 'preact'
import type { CaseQuery } from '../../../contracts/queue.ts'
import { RISK_LEVELS } from '../../../domain/decision/risk.ts'
import { QUEUE_ORDERS, type QueueOrder } from '../../../domain/review/queue.ts'
import { COUNTRIES } from '../../components/countries.ts'
import { Icon } from '../../components/icon.tsx'
import type { Frame } from '../../components/layout.tsx'
import { LinkMenu } from '../../components/menu.tsx'
import type { Option } from './filter-form.tsx'

/** The maximum count. If there are more cases, the chip shows a plus sign. */
export const MAX_COUNT = 1_000

/** Returns a count of at most `MAX_COUNT` as text. */
export const countText = (count: number): string => (count < MAX_COUNT ? String(count) : `${MAX_COUNT - 1}+`)

/** Returns the query of an address, without the values that are undefined. */
export const queryText = (values: Readonly<Record<string, string | undefined>>): string =>
  String(
    new URLSearchParams(
      Object.entries(values).filter((each): each is [string, string] => each[1] !== undefined),
    ),
  )

interface FilterTab {
  readonly key: string
  readonly name: string
  readonly href: string
  /** The number of matching cases as text. */
  readonly count: string
  readonly isCurrent: boolean
}

interface FilterBarProps {
  readonly frame: Frame
  readonly tabs: readonly FilterTab[]
  /** The chips that narrow the list further. */
  readonly children?: ComponentChildren
}

export const FilterBar = ({ frame, tabs, children }: FilterBarProps) => (
  <nav class="queue-filters" aria-label={frame.t('console.filters')}>
    <ul class="filter-chips" id="tabs">
      {tabs.map(({ key, name, href, count, isCurrent }) => (
        <li key={key}>
          <a class="filter-chip" href={href} {...(isCurrent && { 'aria-current': 'page' })}>
            {name} {count ? <span class="number">{count}</span> : null}
          </a>
        </li>
      ))}
    </ul>
    {/* Folds the chips on a phone. On a desk, the style sheet shows them without the summary. */}
    {children ? (
      <details class="filter-fold">
        <summary class="filter-chip">
          <Icon name="sliders-horizontal" /> {frame.t('console.filters')}
        </summary>
        <div class="filter-more">{children}</div>
      </details>
    ) : null}
  </nav>
)

interface SortMenuProps {
  readonly frame: Frame
  readonly chosen: QueueOrder
  readonly hrefOf: (order: QueueOrder) => string
}

export const SortMenu = ({ frame: { t }, chosen, hrefOf }: SortMenuProps) => (
  <LinkMenu
    current={hrefOf(chosen)}
    links={QUEUE_ORDERS.map((order) => [hrefOf(order), t(`console.filter.sort.${order}`)])}
  >
    <summary class="filter-chip">
      <Icon name="arrow-down-wide-narrow" /> {t(`console.filter.sort.${chosen}`)}{' '}
      <Icon name="chevron-down" size={14} />
    </summary>
  </LinkMenu>
)

interface LinkFilterProps {
  readonly frame: Frame
  readonly label: string
  readonly chosen: string | undefined
  readonly options: readonly Option[]
  /** The classes of the chip. */
  readonly look?: string
  /** Returns the address of the list with this value, or without the filter. */
  readonly hrefOf: (value: string | undefined) => string
}

/** Renders a chip that opens links, one for each value of a filter. Renders nothing without a choice. */
export function LinkFilter(props: LinkFilterProps) {
  const { look = 'filter-chip', label, chosen, options, hrefOf } = props
  const { t } = props.frame
  const current = options.find(([value]) => value === chosen)
  if (options.length === 0) return null
  const links: readonly Option[] = current ? [['', t('console.any')], ...options] : options
  return (
    <LinkMenu
      current={hrefOf(chosen)}
      links={links.map(([value, text]) => [hrefOf(value || undefined), text])}
    >
      {current ? (
        <summary class={look} aria-current="true">
          {label}: {current[1]} <Icon name="chevron-down" size={14} />
        </summary>
      ) : (
        <summary class={`${look} filter-chip-more`}>
          <Icon name="plus" /> {label}
        </summary>
      )}
    </LinkMenu>
  )
}

interface FactFiltersProps {
  readonly frame: Frame
  readonly asked: Pick<CaseQuery, 'risk' | 'country'>
  readonly countries: readonly string[]
  readonly hrefOf: (change: Partial<Pick<CaseQuery, 'risk' | 'country'>>) => string
}

export function FactFilters({ frame, frame: { t, language }, asked, countries, hrefOf }: FactFiltersProps) {
  const named = COUNTRIES[language].filter(
    ({ option }) => option === asked.country || countries.includes(option),
  )
  return (
    <>
      <LinkFilter
        frame={frame}
        label={t('console.filter.risk')}
        chosen={asked.risk}
        options={RISK_LEVELS.map((level): Option => [level, t(`console.risk.${level}`)]).reverse()}
        hrefOf={(risk) => hrefOf({ risk: risk as CaseQuery['risk'] })}
      />
      <LinkFilter
        frame={frame}
        label={t('console.filter.country')}
        chosen={asked.country}
        options={named.map(({ option, label }): Option => [option, label])}
        hrefOf={(country) => hrefOf({ country })}
      />
    </>
  )
}
