/** Page: the report of what each operator read. */
import type { Request, Response } from 'express'
import type { RouteDeps } from '../../../http/deps.ts'
import { listNamedReads } from '../../../use-cases/access/audit.ts'
import { DataTable } from '../../components/data-table.tsx'
import { sendPage } from '../../routing/response.tsx'
import { LOCALES } from '../../texts/index.ts'
import { FilterForm } from '../filter-form.tsx'
import { pageOf } from '../page-links.tsx'
import type { ConsoleVisit } from '../visit.ts'
import { momentOf } from '../words.ts'
import { actorName, askedOf, auditHref, filterOf, VaultAndPeriod } from './audit.tsx'
import { BASE, Pager, PER_PAGE, Settings } from './shell.tsx'

const PATH = `${BASE}/audit/reads`
const USUAL_PERIOD_MS = 30 * 86_400_000

export async function showReads(
  deps: RouteDeps,
  visit: ConsoleVisit,
  req: Request,
  res: Response,
): Promise<void> {
  const { frame } = visit
  const { t } = frame
  const given = askedOf(req)
  const from = given.from || new Date(Date.now() - USUAL_PERIOD_MS).toISOString().slice(0, 10)
  const asked = { ...given, from }
  const page = pageOf(req.query.page)
  const { reads, totalCount, ...names } = await listNamedReads(deps, visit, filterOf(visit, asked), {
    page,
    per_page: PER_PAGE,
  })
  const number = new Intl.NumberFormat(LOCALES[frame.language])
  const { vault_id, to } = asked
  const hrefOf = (next: number) =>
    `${PATH}?${new URLSearchParams({ vault_id, from, to, page: String(next) })}`
  sendPage(
    res,
    200,
    <Settings
      visit={visit}
      section="audit"
      up={{ href: `${BASE}/audit`, name: 'settings.audit' }}
      title={t('settings.reads')}
      lead={t('settings.reads.lead')}
    >
      <FilterForm frame={frame} action={PATH}>
        <VaultAndPeriod frame={frame} asked={asked} vaults={names.vaults} />
      </FilterForm>
      {reads.length === 0 ? (
        <p class="card quiet">{t('settings.reads.none')}</p>
      ) : (
        <DataTable
          rows={reads}
          keyOf={({ actor }) => actor}
          columns={[
            {
              key: 'actor',
              head: t('settings.reads.actor'),
              cell: ({ actor }) => (
                <a href={auditHref({ actor, action: 'case_read', vault_id, from, to })}>
                  {actorName(frame, names, actor)}
                </a>
              ),
            },
            ...(['cases', 'names', 'exports'] as const).map((key) => ({
              key,
              head: t(`settings.reads.${key}`),
              cell: (row: (typeof reads)[number]) => <span class="number">{number.format(row[key])}</span>,
            })),
            {
              key: 'lastAt',
              head: t('settings.reads.lastAt'),
              cell: ({ lastAt }) => (
                <time class="number" dateTime={lastAt.toISOString()}>
                  {momentOf(frame, lastAt)}
                </time>
              ),
            },
          ]}
        />
      )}
      <Pager frame={frame} page={page} totalCount={totalCount} hrefOf={hrefOf} />
    </Settings>,
  )
}
