import type { CaseQuery } from '../../contracts/queue.ts'
import { vaultsFor } from '../../domain/access/grant.ts'
import { ENTITY_KINDS } from '../../domain/entity/entity.ts'
import type { CaseFilter, CaseStatus } from '../../domain/review/queue.ts'
import { byOf } from '../../http/address.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { listOperatorNames, listVaultNames } from '../../use-cases/access/names.ts'
import { countCases, listCases } from '../../use-cases/review/queue.ts'
import { ButtonLink } from '../components/button.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { sendPage } from '../routing/response.tsx'
import { CASE_COLUMNS, EntryTable } from './entry-table.tsx'
import { countText, FilterBar, LinkFilter, MAX_COUNT } from './filter-bar.tsx'
import type { Option } from './filter-form.tsx'
import { PageLinks, pageOf } from './page-links.tsx'
import { actorsIn } from './queue-cells.tsx'
import { caseQueryText, readCaseQuery } from './queue-query.ts'
import { SearchField } from './search-field.tsx'
import { Shell } from './shell.tsx'
import type { ConsoleRequest } from './visit.ts'

const PATH = '/console/cases'
const PER_PAGE = 50
/** The filters of the chips. Undefined selects all cases. */
const STATUSES = [undefined, 'in_review', 'with_applicant', 'approved', 'rejected', 'closed'] as const

export async function showCases({ deps, visit, req, res }: ConsoleRequest): Promise<void> {
  const { frame } = visit
  const { t } = frame
  const asked = readCaseQuery(req.query)
  const page = pageOf(req.query.page)
  const filter = { kind: asked.kind, scope: vaultsFor(visit, 'read_cases', asked.vault_id) }
  const { entries, hasMore } = await listCases(
    deps,
    byOf(visit, req),
    { ...filter, status: asked.status },
    { page, per_page: PER_PAGE },
  )
  const vaults = await listVaultNames(deps, vaultsFor(visit, 'read_cases'))
  const people = await listOperatorNames(deps, actorsIn(entries))
  const counts = await countStatuses(deps, filter)
  const hrefOf = (change: Partial<CaseQuery>, to = 1) =>
    `${PATH}?${caseQueryText({ ...asked, ...change })}${to > 1 ? `&page=${to}` : ''}`
  sendPage(
    res,
    200,
    <Shell
      visit={visit}
      title={t('console.cases')}
      count={t('console.cases.count', {
        all: counts.get(undefined) ?? '',
        review: counts.get('in_review') ?? '',
      })}
      tools={<SearchField visit={visit} />}
    >
      <FilterBar
        frame={frame}
        tabs={STATUSES.map((status) => ({
          key: status ?? 'all',
          name: t(status === undefined ? 'console.filter.all' : `console.outcome.state.${status}`),
          href: hrefOf({ status }),
          count: counts.get(status) ?? '',
          isCurrent: status === asked.status,
        }))}
      >
        <LinkFilter
          frame={frame}
          label={t('console.filter.vault_id')}
          chosen={asked.vault_id}
          options={vaults.size > 1 ? [...vaults] : []}
          hrefOf={(vault_id) => hrefOf({ vault_id })}
        />
        <LinkFilter
          frame={frame}
          label={t('console.filter.kind')}
          chosen={asked.kind}
          options={ENTITY_KINDS.map((kind): Option => [kind, t(`console.kind.${kind}`)])}
          hrefOf={(kind) => hrefOf({ kind: kind as CaseQuery['kind'] })}
        />
      </FilterBar>
      {entries.length === 0 ? (
        <EmptyState icon="folder" title={t('console.cases.none')} text={t('console.cases.none.text')}>
          <ButtonLink kind="secondary" href={PATH}>
            {t('console.cases.all')}
          </ButtonLink>
        </EmptyState>
      ) : (
        <EntryTable frame={frame} columns={CASE_COLUMNS} entries={entries} {...{ vaults, people }} />
      )}
      <PageLinks frame={frame} {...{ page, hasMore }} hrefOf={(to) => hrefOf({}, to)} />
    </Shell>,
  )
}

/** Returns the number of cases of each status as text. */
async function countStatuses(deps: RouteDeps, filter: CaseFilter) {
  const counted = await Promise.all(
    STATUSES.map(
      async (status) =>
        [status, countText(await countCases(deps, { ...filter, status }, MAX_COUNT))] as const,
    ),
  )
  return new Map<CaseStatus | undefined, string>(counted)
}
