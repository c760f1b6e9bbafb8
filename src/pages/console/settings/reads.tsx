/** Page: the report of what each operator read. */
import { listNamedReads } from '../../../use-cases/access/audit.ts'
import { LOCALES } from '../../texts/index.ts'
import { isoDay } from '../../values/dates.ts'
import { FilterForm } from '../base/filter-form.tsx'
import { List, PER_PAGE } from '../base/parts.tsx'
import { momentOf } from '../base/words.ts'
import type { Ask, Reply } from './ask.ts'
import { actorName, askedOf, auditHref, filterOf, VaultAndPeriod } from './audit.tsx'
import { BASE } from './sections.ts'

const PATH = `${BASE}/audit/reads`
const USUAL_PERIOD_MS = 30 * 86_400_000

export async function readsPage(ask: Ask): Promise<Reply> {
  const { deps, visit, frame, t, page } = ask
  const given = askedOf(ask.req)
  const from = given.from || isoDay(new Date(Date.now() - USUAL_PERIOD_MS))
  const asked = { ...given, from }
  const filter = filterOf(visit, asked)
  const {
    entries: reads,
    totalCount,
    ...names
  } = await listNamedReads(deps, visit, filter, {
    page,
    per_page: PER_PAGE,
  })
  const number = new Intl.NumberFormat(LOCALES[frame.language])
  const { vault_id, to } = asked
  return {
    section: 'audit',
    up: { href: `${BASE}/audit`, name: 'settings.audit' },
    title: t('settings.reads'),
    lead: t('settings.reads.lead'),
    children: (
      <>
        <FilterForm frame={frame} action={PATH}>
          <VaultAndPeriod frame={frame} asked={asked} vaults={names.vaults} />
        </FilterForm>
        <List
          ask={ask}
          rows={reads}
          keyOf={({ actor }) => actor}
          none="settings.reads.none"
          icon="eye"
          totalCount={totalCount}
          hrefOf={(next) => `${PATH}?${new URLSearchParams({ vault_id, from, to, page: String(next) })}`}
          columns={[
            {
              key: 'reads.actor',
              cell: ({ actor }) => (
                <a href={auditHref({ actor, action: 'case_read', vault_id, from, to })}>
                  {actorName(frame, names, actor)}
                </a>
              ),
            },
            ...(['cases', 'names', 'exports'] as const).map((key) => ({
              key: `reads.${key}`,
              cell: (row: (typeof reads)[number]) => <span class="number">{number.format(row[key])}</span>,
            })),
            {
              key: 'reads.lastAt',
              cell: ({ lastAt }) => (
                <time class="number" dateTime={lastAt.toISOString()}>
                  {momentOf(frame, lastAt)}
                </time>
              ),
            },
          ]}
        />
      </>
    ),
  }
}
