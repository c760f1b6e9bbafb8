/** Page: the identifications that are due for erasure. */
import { ENTITY_KINDS } from '../../../domain/entity/entity.ts'
import { listDueErasures } from '../../../use-cases/review/erasure.ts'
import { Chip } from '../../components/chip.tsx'
import { dayText } from '../../values/dates.ts'
import { Choice, FilterForm, type Option } from '../base/filter-form.tsx'
import { CaseLink, List, PER_PAGE } from '../base/parts.tsx'
import { wordOf } from '../base/words.ts'
import type { Ask, Reply } from './ask.ts'
import { askedOf, filterOf, VaultAndPeriod } from './audit.tsx'
import { BASE } from './sections.ts'

const PATH = `${BASE}/erasures`

export async function erasuresPage(ask: Ask): Promise<Reply> {
  const { deps, visit, frame, t, page, req } = ask
  const asked = askedOf(req)
  const kind = ENTITY_KINDS.find((each) => each === req.query.kind)
  const { from, before } = filterOf(visit, asked)
  const {
    entries: erasures,
    totalCount,
    vaults,
  } = await listDueErasures(
    deps,
    visit,
    { vaultId: asked.vault_id || undefined, kind, from, before },
    { page, per_page: PER_PAGE },
  )
  const { vault_id, from: fromDay, to } = asked
  return {
    section: 'erasures',
    title: t('settings.erasures'),
    count: String(totalCount),
    lead: t('settings.erasures.lead'),
    children: (
      <>
        <FilterForm frame={frame} action={PATH}>
          <Choice
            name="kind"
            label={t('console.filter.kind')}
            chosen={kind}
            options={[
              ['', t('console.any')],
              ...ENTITY_KINDS.map((each): Option => [each, t(`console.kind.${each}`)]),
            ]}
          />
          <VaultAndPeriod frame={frame} asked={asked} vaults={vaults} />
        </FilterForm>
        <List
          ask={ask}
          rows={erasures}
          keyOf={({ id }) => id}
          none="settings.erasures.none"
          icon="trash-2"
          totalCount={totalCount}
          hrefOf={(page) =>
            `${PATH}?${new URLSearchParams({ vault_id, kind: kind ?? '', from: fromDay, to, page: String(page) })}`
          }
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
                    <CaseLink
                      ask={ask}
                      entity={kybId ? 'kyb' : 'identification'}
                      id={kybId ?? id}
                      vaultId={of}
                    >
                      {id}
                    </CaseLink>
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
