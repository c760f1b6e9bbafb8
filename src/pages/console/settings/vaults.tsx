/** Page: the list of vaults with their health. */
import { vaultsFor } from '../../../domain/access/grant.ts'
import { isFileStoreAvailable, listVaultsWithHealth } from '../../../use-cases/access/vaults.ts'
import { Banner } from '../../components/banner.tsx'
import { ButtonLink } from '../../components/button.tsx'
import { Chip } from '../../components/chip.tsx'
import { List, PER_PAGE, RowLink } from '../base/parts.tsx'
import { momentOf } from '../base/words.ts'
import { type Ask, mayAdministerAll, type Reply } from './ask.ts'
import { BASE, vaultPath } from './sections.ts'

export async function vaultsPage(ask: Ask): Promise<Reply> {
  const { deps, visit, frame, t, page } = ask
  const [{ entries: vaults, totalCount }, hasFiles] = await Promise.all([
    listVaultsWithHealth(deps, vaultsFor(visit, 'read_settings'), { page, per_page: PER_PAGE }),
    isFileStoreAvailable(deps),
  ])
  const number = (value: number) => new Intl.NumberFormat(frame.language).format(value)
  const percent = new Intl.NumberFormat(frame.language, { style: 'percent', maximumFractionDigits: 1 })
  return {
    section: 'vaults',
    title: t('settings.vaults'),
    tools: mayAdministerAll(ask) ? (
      <ButtonLink href={`${BASE}/vaults/new`} icon="plus">
        {t('settings.newVault')}
      </ButtonLink>
    ) : null,
    children: (
      <>
        {hasFiles ? null : (
          <Banner tone="danger" title={t('settings.files.unavailable')}>
            {t('settings.files.unavailableText')}
          </Banner>
        )}
        <List
          ask={ask}
          isLinked
          rows={vaults}
          keyOf={({ id }) => id}
          none="settings.none"
          icon="building-2"
          totalCount={totalCount}
          columns={[
            {
              key: 'name',
              cell: ({ id, name }) => (
                <>
                  <RowLink href={vaultPath(id)}>{name}</RowLink>
                  <br />
                  <code class="quiet small">{id}</code>
                </>
              ),
            },
            {
              key: 'waiting',
              head: 'settings.health.waiting',
              cell: ({ health: { waiting, overdue } }) => (
                <span class="chips">
                  {number(waiting)}
                  {overdue > 0 ? (
                    <Chip tone="danger" icon="clock">
                      {t('settings.health.overdue', { count: overdue })}
                    </Chip>
                  ) : null}
                </span>
              ),
            },
            {
              key: 'delivered',
              head: 'settings.health.delivered',
              cell: ({ health: { delivered, finished } }) =>
                finished === 0 ? <span class="quiet">–</span> : percent.format(delivered / finished),
            },
            {
              key: 'webhooks',
              cell: ({ health: { failingUrls } }) =>
                failingUrls > 0 ? (
                  <Chip tone="danger" icon="circle-alert">
                    {t('settings.health.failing', { count: failingUrls })}
                  </Chip>
                ) : (
                  <span class="quiet">{t('settings.webhooks.fine')}</span>
                ),
            },
            { key: 'created_at', class: 'words', cell: ({ createdAt }) => momentOf(frame, createdAt) },
          ]}
        />
      </>
    ),
  }
}
