/** Component: the filters of the rows of a profile. */
import { missingLanguages } from '../../../../domain/profile/check.ts'
import { PARTS, type Part, type ProfileRow } from '../../../../domain/profile/document.ts'
import { completeRows, isSame } from '../../../../domain/profile/draft.ts'
import type { ProfileState } from '../../../../use-cases/access/profile-draft.ts'
import { FilterBar } from '../../base/filter-bar.tsx'
import { SearchInput } from '../../base/search-field.tsx'
import type { Ask } from '../ask.ts'
import { listQuery, profilePath, type RowFilter, SHOWN_ROWS } from './address.ts'
import { documentOf, labelOfRow } from './fields.ts'

/** The list of rows that a page shows. */
export interface Listed {
  readonly ask: Ask
  readonly state: ProfileState
  readonly part: Part
  readonly filter: RowFilter
  readonly languages: readonly string[]
}

export function filterIn({ req: { query } }: Ask): RowFilter {
  const find = typeof query.find === 'string' ? query.find.trim().slice(0, MAX_FIND) : ''
  return { show: SHOWN_ROWS.find((each) => each === query.show), find: find || undefined }
}

const MAX_FIND = 100

/** Returns a function that returns whether the draft adds or changes a row, or null if it does neither. */
export function changesIn({ state, part }: Pick<Listed, 'state' | 'part'>) {
  const published = new Map(completeRows(state.published, part).map((row) => [row.path, row]))
  return (row: ProfileRow) => {
    if (!state.draft) return null
    const before = published.get(row.path)
    if (!before) return 'new'
    return isSame(before, row) ? null : 'changed'
  }
}

export function rowsOf({ ask: { frame }, filter, ...listed }: Listed): ProfileRow[] {
  const { state, part, languages } = listed
  const changeOf = changesIn(listed)
  const find = filter.find?.toLocaleLowerCase(frame.language)
  return completeRows(documentOf(state), part).filter(
    (row) =>
      (filter.show !== 'changed' || changeOf(row) !== null) &&
      (filter.show !== 'languages' || missingLanguages(row, languages).length > 0) &&
      (find === undefined ||
        row.path.includes(find) ||
        labelOfRow(frame, row).toLocaleLowerCase(frame.language).includes(find)),
  )
}

/** Renders the parts as tabs, the filters that select rows of the part, and the search. */
export function RowFilters(listed: Listed) {
  const { ask, state, part, filter } = listed
  const { frame, t, id } = ask
  const tabs = PARTS.map((key) => ({
    key,
    name: t(`settings.profile.part.${key}`),
    href: profilePath(id, listQuery(key)),
    count: completeRows(documentOf(state), key).length,
    isCurrent: key === part,
  }))
  return (
    <FilterBar
      frame={frame}
      tabs={tabs
        .filter(({ count, isCurrent }) => count > 0 || isCurrent)
        .map((tab) => ({ ...tab, count: String(tab.count) }))}
    >
      {SHOWN_ROWS.map((show) => {
        const isChosen = show === filter.show
        const count = rowsOf({ ...listed, filter: { ...filter, show } }).length
        if (count === 0 && !isChosen) return null
        const change = { ...filter, show: isChosen ? undefined : show }
        return (
          <a
            key={show}
            class="filter-chip"
            href={profilePath(id, listQuery(part, change))}
            {...(isChosen && { 'aria-current': 'true' })}
          >
            {t(`settings.profile.show.${show}`)} <span class="number">{count}</span>
          </a>
        )
      })}
      <form method="get" action={profilePath(id)} class="search-field">
        <input type="hidden" name="part" value={part} />
        {filter.show ? <input type="hidden" name="show" value={filter.show} /> : null}
        <SearchInput
          label={t('settings.profile.find')}
          name="find"
          value={filter.find}
          maxLength={MAX_FIND}
        />
      </form>
    </FilterBar>
  )
}
