/** Page: create an API key, which is shown once, or revoke one. */

import type { Request, Response } from 'express'
import { createApiKeyBody } from '../../../contracts/api-key.ts'
import { parseOrRefuse } from '../../../contracts/check.ts'
import { CLIENT_ROLES } from '../../../domain/access/access.ts'
import { byOf } from '../../../http/address.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import {
  type CreatedApiKey,
  createApiKey,
  getApiKey,
  revokeApiKey,
} from '../../../use-cases/access/api-keys.ts'
import { getVault } from '../../../use-cases/access/vaults.ts'
import { formEffect } from '../../../use-cases/effect.ts'
import { Button } from '../../components/button.tsx'
import { PostForm } from '../../components/form.tsx'
import type { Sent } from '../../form-values.ts'
import { sendPage } from '../../response.tsx'
import { idIn } from '../case-form.ts'
import type { ConsoleVisit } from '../visit.ts'
import {
  Checkboxes,
  type FormState,
  Input,
  labelOf,
  listOf,
  Name,
  NEW_FORM,
  runForm,
  textOf,
} from './form.tsx'
import { BASE, ConfirmPage, Secret, Settings } from './shell.tsx'

export async function showNewKey(
  deps: RouteDeps,
  visit: ConsoleVisit,
  vaultId: string,
  res: Response,
  again: FormState = NEW_FORM,
): Promise<void> {
  const { frame } = visit
  const { t } = frame
  const { name } = await getVault(deps, vaultId)
  const about = { frame, again }
  sendPage(
    res,
    again.status,
    <Settings visit={visit} section="vaults" title={t('settings.newKey')} problems={again.problems}>
      <p>
        {t('settings.vault')}: <a href={`${BASE}/vaults/${vaultId}`}>{name}</a>
      </p>
      <PostForm visit={visit} action={`${BASE}/vaults/${vaultId}/api_keys`}>
        <Name again={again} />
        <Input {...about} name="name" hint={t('settings.keyName.hint')} />
        <Checkboxes
          {...about}
          name="roles"
          options={CLIENT_ROLES.map((value) => ({ value, label: labelOf(t, value) }))}
          chosen={CLIENT_ROLES}
        />
        <Input {...about} name="expires_at" type="date" hint={t('settings.expires_at.hint')} />
        <Button>{t('settings.newKey')}</Button>
      </PostForm>
    </Settings>,
  )
}

export async function createKeyFromForm(
  deps: RouteDeps,
  visit: ConsoleVisit,
  vaultId: string,
  req: Request,
  res: Response,
): Promise<void> {
  const { t } = visit.frame
  const sent = (req.body ?? {}) as Sent
  const day = textOf(sent, 'expires_at')
  const refused = await runForm(visit.frame, sent, async () => {
    const body = parseOrRefuse(createApiKeyBody, {
      roles: listOf(sent, 'roles'),
      name: textOf(sent, 'name'),
      // The key remains valid until the end of the day in UTC.
      expires_at: day === null ? null : Date.parse(`${day}T23:59:59Z`) / 1_000,
    })
    const { roles, name = null, expires_at } = body
    const asked = { roles, name, expiresAt: expires_at ? new Date(expires_at * 1_000) : null }
    const effect = formEffect<CreatedApiKey>(deps, idIn(sent) ?? undefined)
    const { key } = await createApiKey(deps, byOf(visit, req), vaultId, asked, effect)
    sendPage(
      res,
      200,
      <Secret
        visit={visit}
        section="vaults"
        title={t('settings.keyMade')}
        label={t('settings.key')}
        text={t('settings.once')}
        secret={key}
        next={`${BASE}/vaults/${vaultId}`}
      />,
    )
  })
  if (refused) await showNewKey(deps, visit, vaultId, res, refused)
}

export async function askToRevoke(
  deps: RouteDeps,
  visit: ConsoleVisit,
  id: string,
  res: Response,
): Promise<void> {
  const { t } = visit.frame
  const { prefix, vaultId } = await getApiKey(deps, id)
  sendPage(
    res,
    200,
    <ConfirmPage
      visit={visit}
      section="vaults"
      title={t('settings.revoke.title', { prefix })}
      text={t('settings.revoke.text')}
      action={`${BASE}/api_keys/${id}/revoke`}
      press={t('settings.revoke')}
      back={`${BASE}/vaults/${vaultId}`}
    />,
  )
}

export async function revokeFromForm(
  deps: RouteDeps,
  visit: ConsoleVisit,
  id: string,
  req: Request,
  res: Response,
): Promise<void> {
  const { vaultId } = await revokeApiKey(deps, byOf(visit, req), id)
  res.redirect(303, `${BASE}/vaults/${vaultId}`)
}
