/** Page: the list of vaults with their health, and the form for a new vault. */

import type { Request, Response } from 'express'
import { parseOrRefuse } from '../../../contracts/check.ts'
import { createVaultBody, vaultChangesOf } from '../../../contracts/vault.ts'
import { hasPermission, vaultsFor } from '../../../domain/access/grant.ts'
import type { Vault } from '../../../domain/access/vault.ts'
import { byOf } from '../../../http/address.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import {
  createVaultFromForm,
  isFileStoreAvailable,
  listVaultsWithHealth,
  type VaultHealth,
} from '../../../use-cases/access/vaults.ts'
import { Banner } from '../../components/banner.tsx'
import { ButtonLink } from '../../components/button.tsx'
import { Chip } from '../../components/chip.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { PostForm } from '../../components/form.tsx'
import type { Frame } from '../../components/layout.tsx'
import { sendPage } from '../../routing/response.tsx'
import type { Sent } from '../../values/form-values.ts'
import { idIn } from '../case-form.ts'
import { pageOf } from '../page-links.tsx'
import type { ConsoleVisit } from '../visit.ts'
import { momentOf } from '../words.ts'
import { type FormState, labelOf, Name, NEW_FORM, runForm } from './form.tsx'
import { BASE, FormFoot, Pager, PER_PAGE, Settings } from './shell.tsx'
import { VaultFields, vaultBodyOf } from './vault-fields.tsx'

export async function showVaults(
  deps: RouteDeps,
  visit: ConsoleVisit,
  req: Request,
  res: Response,
): Promise<void> {
  const { frame } = visit
  const { t } = frame
  const page = pageOf(req.query.page)
  const [{ vaults, totalCount }, hasFiles] = await Promise.all([
    listVaultsWithHealth(deps, vaultsFor(visit, 'read_settings'), { page, per_page: PER_PAGE }),
    isFileStoreAvailable(deps),
  ])
  sendPage(
    res,
    200,
    <Settings
      visit={visit}
      section="vaults"
      title={t('settings.vaults')}
      tools={
        hasPermission(visit, 'administer_deployment') ? (
          <ButtonLink href={`${BASE}/vaults/new`} icon="plus">
            {t('settings.newVault')}
          </ButtonLink>
        ) : null
      }
    >
      {hasFiles ? null : (
        <Banner tone="danger" title={t('settings.files.unavailable')}>
          {t('settings.files.unavailableText')}
        </Banner>
      )}
      {vaults.length === 0 ? (
        <p class="card quiet">{t('settings.none')}</p>
      ) : (
        <VaultTable frame={frame} vaults={vaults} />
      )}
      <Pager frame={frame} page={page} totalCount={totalCount} hrefOf={(to) => `${BASE}/vaults?page=${to}`} />
    </Settings>,
  )
}

interface VaultTableProps {
  readonly frame: Frame
  readonly vaults: readonly (Vault & { readonly health: VaultHealth })[]
}

function VaultTable({ frame, vaults }: VaultTableProps) {
  const { t, language } = frame
  const number = (value: number) => new Intl.NumberFormat(language).format(value)
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 })
  return (
    <DataTable
      isLinked
      rows={vaults}
      keyOf={({ id }) => id}
      columns={[
        {
          key: 'name',
          head: labelOf(t, 'name'),
          cell: ({ id, name }) => (
            <>
              <a class="row-link" href={`${BASE}/vaults/${id}`}>
                {name}
              </a>
              <br />
              <code class="quiet small">{id}</code>
            </>
          ),
        },
        {
          key: 'waiting',
          head: t('settings.health.waiting'),
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
          head: t('settings.health.delivered'),
          cell: ({ health: { delivered, finished } }) =>
            finished === 0 ? <span class="quiet">–</span> : percent.format(delivered / finished),
        },
        {
          key: 'webhooks',
          head: t('settings.webhooks'),
          cell: ({ health: { failingUrls } }) =>
            failingUrls > 0 ? (
              <Chip tone="danger" icon="circle-alert">
                {t('settings.health.failing', { count: failingUrls })}
              </Chip>
            ) : (
              <span class="quiet">{t('settings.webhooks.fine')}</span>
            ),
        },
        {
          key: 'created_at',
          head: labelOf(t, 'created_at'),
          cell: ({ createdAt }) => momentOf(frame, createdAt),
        },
      ]}
    />
  )
}

export const showNewVault = (visit: ConsoleVisit, res: Response, again: FormState = NEW_FORM): void =>
  sendPage(
    res,
    again.status,
    <Settings
      visit={visit}
      section="vaults"
      title={visit.frame.t('settings.newVault')}
      problems={again.problems}
    >
      <PostForm visit={visit} action={`${BASE}/vaults/new`} class="settings-form">
        <Name again={again} />
        <VaultFields frame={visit.frame} again={again} />
        <FormFoot
          frame={visit.frame}
          press={visit.frame.t('settings.newVault')}
          back={`${BASE}/vaults`}
          isNew
        />
      </PostForm>
    </Settings>,
  )

export async function createFromForm(
  deps: RouteDeps,
  visit: ConsoleVisit,
  req: Request,
  res: Response,
): Promise<void> {
  const sent = (req.body ?? {}) as Sent
  const refused = await runForm(visit.frame, sent, async () => {
    const body = parseOrRefuse(createVaultBody, vaultBodyOf(sent))
    const asked = { ...vaultChangesOf(body), name: body.name }
    const { id } = await createVaultFromForm(deps, byOf(visit, req), asked, idIn(sent) ?? undefined)
    res.redirect(303, `${BASE}/vaults/${id}`)
  })
  if (refused) showNewVault(visit, res, refused)
}
