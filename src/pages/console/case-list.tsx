/** Page: all cases, newest first, with a filter. */
import type { Request, Response } from 'express'
import type { CaseQuery } from '../../contracts/queue.ts'
import { vaultsFor } from '../../domain/access/grant.ts'
import { ENTITY_KINDS } from '../../domain/entity/entity.ts'
import { CASE_STATUSES } from '../../domain/review/queue.ts'
import { byOf } from '../../http/address.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { listOperatorNames, listVaultNames, type Names } from '../../use-cases/access/names.ts'
import { type Found, listCases } from '../../use-cases/review/queue.ts'
import { sendPage } from '../routing/response.tsx'
import { Choice, FilterForm, type Option } from './filter-form.tsx'
import { PageLinks, pageOf } from './page-links.tsx'
import { Entries } from './queue.tsx'
import { caseQueryText, readCaseQuery } from './queue-query.ts'
import { Shell } from './shell.tsx'
import type { ConsoleVisit } from './visit.ts'

const PATH = '/console/cases'
const PER_PAGE = 50

export async function showCases(
  deps: RouteDeps,
  visit: ConsoleVisit,
  req: Request,
  res: Response,
): Promise<void> {
  const asked = readCaseQuery(req.query)
  const page = pageOf(req.query.page)
  const scope = vaultsFor(visit, 'read_cases', asked.vault_id)
  const filter = { kind: asked.kind, scope, status: asked.status }
  const found = await listCases(deps, byOf(visit, req), filter, { page, per_page: PER_PAGE })
  const vaults = await listVaultNames(deps, vaultsFor(visit, 'read_cases'))
  const people = await listOperatorNames(
    deps,
    found.entries.map((entry) => entry.assignedTo),
  )
  sendPage(res, 200, <Cases visit={visit} {...{ asked, page, found, vaults, people }} />)
}

interface CasesProps {
  readonly visit: ConsoleVisit
  readonly asked: CaseQuery
  readonly page: number
  readonly found: Found
  readonly vaults: Names
  readonly people: Names
}

function Cases({ visit, asked, page, found: { entries, hasMore }, vaults, people }: CasesProps) {
  const { frame } = visit
  const { t } = frame
  const any: Option = ['', t('console.any')]
  const selects: readonly (readonly [name: keyof CaseQuery, options: readonly Option[]])[] = [
    ['kind', [any, ...ENTITY_KINDS.map((kind): Option => [kind, t(`console.kind.${kind}`)])]],
    ['vault_id', [any, ...vaults]],
    ['status', [any, ...CASE_STATUSES.map((status): Option => [status, t(`console.status.${status}`)])]],
  ]
  const hrefOf = (to: number) => `${PATH}?${caseQueryText(asked)}${to > 1 ? `&page=${to}` : ''}`
  return (
    <Shell visit={visit} title={t('console.cases')}>
      <FilterForm frame={frame} action={PATH}>
        {selects.map(([name, options]) => (
          <Choice
            key={name}
            name={name}
            label={t(`console.filter.${name}`)}
            chosen={asked[name]}
            options={options}
          />
        ))}
      </FilterForm>
      {entries.length === 0 ? (
        <p class="card quiet">{t('console.cases.none')}</p>
      ) : (
        <Entries frame={frame} entries={entries} {...{ vaults, people }} />
      )}
      <PageLinks frame={frame} {...{ page, hasMore, hrefOf }} />
    </Shell>
  )
}
