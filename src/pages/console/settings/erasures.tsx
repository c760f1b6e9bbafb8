/** Page: the identifications that are due for erasure. */

import { validate as isUuid } from 'uuid'
import { hasPermission } from '../../../domain/access/grant.ts'
import { consolePath } from '../../../domain/entity/console-path.ts'
import { listDueErasures } from '../../../use-cases/review/erasure.ts'
import { Chip } from '../../components/chip.tsx'
import { dayText } from '../../values/dates.ts'
import { Choice, FilterForm } from '../filter-form.tsx'
import { wordOf } from '../words.ts'
import type { Ask, Reply } from './ask.ts'
import { List, PER_PAGE } from './parts.tsx'
import { BASE } from './sections.ts'

const PATH = `${BASE}/erasures`

export async function erasuresPage(ask: Ask): Promise<Reply> {
  const { deps, visit, frame, t, page, req } = ask
  const vaultId = isUuid(req.query.vault_id) ? String(req.query.vault_id) : ''
  const { erasures, totalCount, vaults } = await listDueErasures(deps, visit, vaultId || undefined, {
    page,
    per_page: PER_PAGE,
  })
  return {
    section: 'erasures',
    title: t('settings.erasures'),
    count: String(totalCount),
    lead: t('settings.erasures.lead'),
    children: (
      <>
        {vaults.size > 1 ? (
          <FilterForm frame={frame} action={PATH}>
            <Choice
              name="vault_id"
              label={t('console.filter.vault_id')}
              chosen={vaultId}
              options={[['', t('console.any')], ...vaults]}
            />
          </FilterForm>
        ) : null}
        <List
          ask={ask}
          rows={erasures}
          keyOf={({ id }) => id}
          none="settings.erasures.none"
          icon="trash-2"
          totalCount={totalCount}
          hrefOf={(to) => `${PATH}?${new URLSearchParams({ vault_id: vaultId, page: String(to) })}`}
          columns={[
            {
              key: 'erasures.case',
              cell: ({ id, kybId, vaultId: of }) => (
                <span class="row-text">
                  <span>
                    {t(kybId ? 'console.kind.kyb' : 'console.kind.identification')}
                    {vaults.size > 1 ? `, ${vaults.get(of)}` : null}
                  </span>
                  <span class="row-note">
                    {hasPermission(visit, 'read_cases', of) ? (
                      <a href={kybId ? consolePath('kyb', kybId) : consolePath('identification', id)}>{id}</a>
                    ) : (
                      id
                    )}
                  </span>
                </span>
              ),
            },
            {
              key: 'erasures.state',
              cell: ({ isUnfinished, status }) =>
                isUnfinished ? t('settings.erasures.unfinished') : wordOf(frame, 'console.status', status),
            },
            {
              key: 'erasures.dueSince',
              cell: ({ dueSince }) => (
                <time class="number" dateTime={dueSince.toISOString()}>
                  {dayText(frame, dueSince)}
                </time>
              ),
            },
            {
              key: 'erasures.keptBy',
              cell: ({ keptBy }) =>
                keptBy ? (
                  <Chip tone="warning">{wordOf(frame, 'settings.erasures.keptBy', keptBy)}</Chip>
                ) : null,
            },
          ]}
        />
      </>
    ),
  }
}
