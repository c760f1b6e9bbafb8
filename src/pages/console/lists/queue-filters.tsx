/** Component: the filters of the queue, with presets, saved filters, chips with links and a form. */
import { type QueueQuery, queueFilterOf, queueQueryText } from '../../../contracts/queue.ts'
import { ENTITY_KINDS } from '../../../domain/entity/entity.ts'
import { IDENTIFICATION_STATUSES } from '../../../domain/identification/identification.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { listSavedFilters } from '../../../use-cases/access/saved-filters.ts'
import { countQueue } from '../../../use-cases/review/queue.ts'
import { Button } from '../../components/button.tsx'
import { PostForm } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { durationText } from '../../values/durations.ts'
import { countText, FactFilters, FilterBar, MAX_COUNT, SortMenu } from '../base/filter-bar.tsx'
import { Choice, FilterForm, type Option } from '../base/filter-form.tsx'
import { readQueueQuery } from '../base/queue-query.ts'
import type { ConsoleVisit } from '../base/visit.ts'

const A_DAY = 86_400
const AGES = [3_600, A_DAY, 2 * A_DAY, 7 * A_DAY] as const
const PARTIES = ['operator', 'provider', 'applicant', 'client'] as const
/** The statuses of cases that can be in the queue. Other statuses are final. */
const STATUSES = ['open', ...IDENTIFICATION_STATUSES.filter((status) => status !== 'closed')]

const PRESETS = [
  ['all', {}],
  ['mine', { assigned: 'me' }],
  ['unassigned', { assigned: 'nobody' }],
  ['hits', { hits: 'true' }],
  ['second_review', { second_review: 'true' }],
  ['overdue', { overdue: 'true' }],
] as const

export interface Tab {
  readonly name: string
  readonly query: string
  readonly isSaved: boolean
  /** The count as text. */
  readonly count: string
}

export const hrefOf = (asked: QueueQuery, page = 1): string =>
  `/console?${queueQueryText(asked)}${page > 1 ? `&page=${page}` : ''}`

export const queryOfText = (text: string): QueueQuery =>
  readQueueQuery(Object.fromEntries(new URLSearchParams(text)))

/** Returns the filters with their counts, or none for a risk, because counting would read all cases. */
export async function countTabs(deps: RouteDeps, visit: ConsoleVisit): Promise<Tab[]> {
  const { frame, userId } = visit
  const presets = PRESETS.map(([name, asked]) => ({
    name: frame.t(`console.filter.${name}`),
    query: queueQueryText(readQueueQuery(asked)),
    isSaved: false,
  }))
  const saved = (await listSavedFilters(deps, userId)).map((filter) => ({ ...filter, isSaved: true }))
  return Promise.all(
    [...presets, ...saved].map(async (tab) => {
      const filter = queueFilterOf(queryOfText(tab.query), visit)
      if (filter.riskLevel !== undefined) return { ...tab, count: '' }
      const count = await countQueue(deps, filter, MAX_COUNT)
      return { ...tab, count: countText(count) }
    }),
  )
}

export function countsOf(tabs: readonly Tab[]) {
  const of = (preset: string) => tabs[PRESETS.findIndex(([name]) => name === preset)]?.count ?? ''
  return { waiting: of('all'), overdue: of('overdue') }
}

interface FiltersProps {
  readonly visit: ConsoleVisit
  readonly asked: QueueQuery
  readonly tabs: readonly Tab[]
  readonly countries: readonly string[]
  readonly vaults: ReadonlyMap<string, string>
  /** The names of operators, keyed by actor. */
  readonly people: ReadonlyMap<string, string>
}

export function Filters({ visit, asked, tabs, countries, vaults, people }: FiltersProps) {
  const { frame } = visit
  const { t } = frame
  const query = queueQueryText(asked)
  const tabOf = (filter: QueueQuery) => tabs.find((tab) => tab.query === queueQueryText(filter))
  // A tab is current even if the cases are sorted differently or narrowed by the chips next to it.
  const exact = tabOf(asked) ?? tabOf({ ...asked, sort: undefined })
  const current =
    exact ??
    tabOf({ ...asked, country: undefined, risk: undefined }) ??
    tabOf({ ...asked, country: undefined, risk: undefined, sort: undefined })
  return (
    <FilterBar
      frame={frame}
      tabs={tabs.map((tab) => ({
        ...tab,
        key: `${tab.isSaved} ${tab.name}`,
        href: `/console?${tab.query}`,
        isCurrent: tab === current,
      }))}
    >
      <FactFilters
        frame={frame}
        asked={asked}
        countries={countries}
        hrefOf={(change) => hrefOf({ ...asked, ...change })}
      />
      <details class="filter" open={!current}>
        <summary class="filter-chip filter-chip-more">
          <Icon name="plus" /> {t('console.filter')}
        </summary>
        <Narrow visit={visit} asked={asked} vaults={vaults} people={people} />
        {exact?.isSaved ? (
          <PostForm visit={visit} action="/console/filters/delete">
            <input type="hidden" name="name" value={exact.name} />
            <Button kind="secondary">{t('console.filter.delete', { name: exact.name })}</Button>
          </PostForm>
        ) : exact ? null : (
          <PostForm visit={visit} action="/console/filters" class="filter-form">
            <input type="hidden" name="query" value={query} />
            <div class="field">
              <label for="filter-name">{t('console.filter.name')}</label>
              <input type="text" id="filter-name" name="name" maxLength={60} required />
            </div>
            <Button kind="secondary">{t('console.filter.save')}</Button>
          </PostForm>
        )}
      </details>
      <SortMenu
        frame={frame}
        chosen={asked.sort ?? 'oldest'}
        hrefOf={(order) => hrefOf({ ...asked, sort: order === 'oldest' ? undefined : order })}
      />
    </FilterBar>
  )
}

/** The filters that have their own chips, and the order. The form keeps them. */
const CHIPS = ['country', 'risk'] as const
const KEPT = [...CHIPS, 'sort'] as const

function Narrow({ visit, asked, vaults, people }: Omit<FiltersProps, 'tabs' | 'countries'>) {
  const { t, language } = visit.frame
  const ageText = (age: number) =>
    age < A_DAY ? durationText(language, 'hour', age / 3_600) : durationText(language, 'day', age / A_DAY)
  const any: Option = ['', t('console.any')]
  const others = [...people].filter(([actor]) => actor !== visit.actor)
  const selects: readonly (readonly [name: keyof QueueQuery, options: readonly Option[]])[] = [
    ['waiting_on', PARTIES.map((party) => [party, t(`console.waiting.${party}`)])],
    ['kind', [any, ...ENTITY_KINDS.map((kind): Option => [kind, t(`console.kind.${kind}`)])]],
    ...(vaults.size > 1 ? [['vault_id', [any, ...vaults]] as const] : []),
    ['status', [any, ...STATUSES.map((status): Option => [status, t(`console.status.${status as 'open'}`)])]],
    ['waiting_longer_than', [any, ...AGES.map((age): Option => [String(age), ageText(age)])]],
    [
      'assigned',
      [any, ['me', t('console.filter.mine')], ['nobody', t('console.filter.unassigned')], ...others],
    ],
  ]
  return (
    <FilterForm frame={visit.frame} action="/console">
      {KEPT.map((name) =>
        asked[name] === undefined ? null : <input key={name} type="hidden" name={name} value={asked[name]} />,
      )}
      {selects.map(([name, options]) => (
        <Choice
          key={name}
          name={name}
          label={t(`console.filter.${name}`)}
          chosen={String(asked[name] ?? '')}
          options={options}
        />
      ))}
    </FilterForm>
  )
}
