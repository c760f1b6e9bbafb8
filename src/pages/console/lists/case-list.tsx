import type { CaseQuery } from '../../../contracts/queue.ts'
import { vaultsFor } from '../../../domain/access/grant.ts'
import { ENTITY_KINDS } from '../../../domain/entity/entity.ts'
import type { CaseFilter, CaseStatus } from '../../../domain/review/queue.ts'
import { byOf } from '../../../http/address.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { listOperatorNames, listVaultNames } from '../../../use-cases/access/names.ts'
import {
  countCases,
  exportCases,
  listCaseCountries,
  listCases,
  MAX_EXPORTED,
} from '../../../use-cases/review/queue.ts'
import { ButtonLink } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { sendPage } from '../../routing/response.tsx'
import { sendCsv } from '../base/csv.ts'
import { countText, FactFilters, FilterBar, LinkFilter, MAX_COUNT, SortMenu } from '../base/filter-bar.tsx'
import type { Option } from '../base/filter-form.tsx'
import { PageLinks, pageOf } from '../base/page-links.tsx'
import { caseQueryText, readCaseQuery } from '../base/queue-query.ts'
import { SearchField } from '../base/search-field.tsx'
import { Shell } from '../base/shell.tsx'
import type { ConsoleRequest, ConsoleVisit } from '../base/visit.ts'
import { CASE_COLUMNS, EntryTable } from './entry-table.tsx'
import { actorsIn } from './queue-cells.tsx'

const PATH = '/console/cases'
const PER_PAGE = 50
/** The filters of the chips. Undefined selects all cases. */
const STATUSES = [undefined, 'in_review', 'with_applicant', 'approved', 'rejected', 'closed'] as const

const filterOf = (visit: ConsoleVisit, asked: CaseQuery): CaseFilter => ({
  kind: asked.kind,
  status: asked.status,
  country: asked.country,
  riskLevel: asked.risk,
  scope: vaultsFor(visit, 'read_cases', asked.vault_id),
  isOldestFirst: asked.sort === 'oldest',
})

export async function showCases({ deps, visit, req, res }: ConsoleRequest): Promise<void> {
  const { frame } = visit
  const { t } = frame
  const asked = readCaseQuery(req.query)
  const page = pageOf(req.query.page)
  const filter = filterOf(visit, asked)
  const { entries, hasMore } = await listCases(deps, byOf(visit, req), filter, { page, per_page: PER_PAGE })
  const vaults = await listVaultNames(deps, vaultsFor(visit, 'read_cases'))
  const people = await listOperatorNames(deps, actorsIn(entries))
  const counts = await countStatuses(deps, filter)
  const countries = await listCaseCountries(deps, filter)
  const hrefOf = (change: Partial<CaseQuery>, to = 1) =>
    `${PATH}?${caseQueryText({ ...asked, ...change })}${to > 1 ? `&page=${to}` : ''}`
  sendPage(
    res,
    200,
    <Shell
      visit={visit}
      title={t('console.cases')}
      count={
        counts.size > 0 &&
        t('console.cases.count', {
          all: counts.get(undefined) ?? '',
          review: counts.get('in_review') ?? '',
        })
      }
      tools={
        <>
          <SearchField visit={visit} />
          <ButtonLink
            kind="secondary"
            icon="download"
            href={`${PATH}.csv?${caseQueryText(asked)}`}
            title={t('console.cases.csv.text', { count: MAX_EXPORTED })}
            download
          >
            {t('console.cases.csv')}
          </ButtonLink>
        </>
      }
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
        <FactFilters frame={frame} asked={asked} countries={countries} hrefOf={hrefOf} />
        <SortMenu
          frame={frame}
          chosen={asked.sort ?? 'newest'}
          hrefOf={(order) => hrefOf({ sort: order === 'newest' ? undefined : order })}
        />
      </FilterBar>
      {entries.length === 0 ? (
        <EmptyState icon="folder" text={t('console.cases.none')}>
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

export async function sendCases({ deps, visit, req, res }: ConsoleRequest): Promise<void> {
  const { t } = visit.frame
  const entries = await exportCases(deps, byOf(visit, req), filterOf(visit, readCaseQuery(req.query)))
  const vaults = await listVaultNames(deps, vaultsFor(visit, 'read_cases'))
  const people = await listOperatorNames(deps, actorsIn(entries))
  sendCsv(
    res,
    'cases',
    entries.map(({ id, kind, title, vaultId, outcome, riskLevel, country, createdAt, decided }) => ({
      id,
      name: title,
      type: t(`console.one.${kind}`),
      vault: vaults.get(vaultId) ?? vaultId,
      state: t(`console.outcome.state.${outcome}`),
      risk: riskLevel && t(`console.risk.${riskLevel}`),
      country,
      created_at: createdAt.toISOString(),
      decided_at: decided?.at.toISOString() ?? null,
      decided_by: decided?.by.map((actor) => people.get(actor) ?? t('console.automatic')).join(', ') ?? null,
    })),
  )
}

/** Returns counts as text, or none for a filter by risk, because counting would read all cases. */
async function countStatuses(deps: RouteDeps, filter: CaseFilter) {
  if (filter.riskLevel !== undefined) return new Map<CaseStatus | undefined, string>()
  const counted = await Promise.all(
    STATUSES.map(
      async (status) =>
        [status, countText(await countCases(deps, { ...filter, status }, MAX_COUNT))] as const,
    ),
  )
  return new Map<CaseStatus | undefined, string>(counted)
}
