/** Page: a vault's name, features, review rules and limits. */

import type { Request, Response } from 'express'
import { parseOrRefuse } from '../../../contracts/check.ts'
import { patchVaultBody, vaultChangesOf } from '../../../contracts/vault.ts'
import { hasPermission } from '../../../domain/access/grant.ts'
import { byOf } from '../../../http/address.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import { requestAction } from '../../../use-cases/access/admin-action.ts'
import { getVault, readVaultLimits, type VaultLimit } from '../../../use-cases/access/vaults.ts'
import { formEffect } from '../../../use-cases/base/effect.ts'
import { Card } from '../../components/card.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { PostForm } from '../../components/form.tsx'
import type { Frame } from '../../components/layout.tsx'
import { sendPage } from '../../routing/response.tsx'
import type { TextName } from '../../texts/en.ts'
import type { Sent } from '../../values/form-values.ts'
import type { ConsoleVisit } from '../visit.ts'
import { sendRequested } from './actions.tsx'
import { type FormState, NEW_FORM, runForm } from './form.tsx'
import { BASE, chooseVault, FormFoot, Settings } from './shell.tsx'
import { VaultFields, vaultBodyOf } from './vault-fields.tsx'

export async function showVault(
  deps: RouteDeps,
  visit: ConsoleVisit,
  id: string,
  res: Response,
  again: FormState = NEW_FORM,
): Promise<void> {
  const { frame } = visit
  const { t } = frame
  const vault = await getVault(deps, visit, 'read_settings', id)
  const limits = await readVaultLimits(deps, visit, id)
  const path = `${BASE}/vaults/${id}`
  sendPage(
    res,
    again.status,
    <Settings
      visit={visit}
      section="general"
      vault={await chooseVault(deps, visit, vault)}
      title={vault.name}
      lead={
        <>
          <code>{id}</code> · <a href={`${BASE}/audit?vault_id=${id}`}>{t('settings.itsAudit')}</a>
        </>
      }
      problems={again.problems}
    >
      <PostForm visit={visit} action={path} class="settings-form" data-changes>
        <VaultFields frame={frame} again={again} vault={vault} />
        <Limits frame={frame} limits={limits} />
        <FormFoot frame={frame} maySave={hasPermission(visit, 'administer', id)} back={path} />
      </PostForm>
    </Settings>,
  )
}

interface LimitsProps {
  readonly frame: Frame
  readonly limits: readonly VaultLimit[]
}

/** Shows the limits of the deployment, and how much of them the vault uses. */
function Limits({ frame: { t, language }, limits }: LimitsProps) {
  const numbers = new Intl.NumberFormat(language)
  return (
    <Card
      id="limits-title"
      title={t('settings.limits')}
      text={t('settings.limits.hint')}
      class="card-of-table"
    >
      <DataTable
        rows={limits}
        keyOf={({ name }) => name}
        columns={[
          {
            key: 'name',
            head: t('settings.limits.name'),
            cell: ({ name }) => t(`settings.limit.${name}` as TextName),
          },
          {
            key: 'limit',
            head: t('settings.limits.limit'),
            class: 'number',
            cell: ({ limit }) => numbers.format(limit),
          },
          {
            key: 'used',
            head: t('settings.limits.used'),
            class: 'number',
            cell: ({ used, limit }) =>
              used === null ? null : (
                <span class="limit-used">
                  <progress max={limit} value={used} aria-hidden="true" />
                  {numbers.format(used)}
                </span>
              ),
          },
        ]}
      />
    </Card>
  )
}

export async function changeFromForm(
  deps: RouteDeps,
  visit: ConsoleVisit,
  id: string,
  req: Request,
  res: Response,
): Promise<void> {
  const sent = (req.body ?? {}) as Sent
  const refused = await runForm(visit.frame, sent, async () => {
    const body = parseOrRefuse(
      patchVaultBody,
      vaultBodyOf(sent, await getVault(deps, visit, 'administer', id)),
    )
    const action = { kind: 'change_vault', vaultId: id, changes: vaultChangesOf(body) } as const
    const requested = await requestAction(deps, visit, byOf(visit, req), action, formEffect(deps))
    sendRequested(visit, res, requested, () => res.redirect(303, `${BASE}/vaults/${id}`))
  })
  if (refused) await showVault(deps, visit, id, res, refused)
}
