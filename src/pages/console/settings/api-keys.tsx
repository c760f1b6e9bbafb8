/** Page: the API keys of a vault. Administrators create keys, which are shown once, and revoke them. */

import type { Request, Response } from 'express'
import { createApiKeyBody } from '../../../contracts/api-key.ts'
import { parseOrRefuse } from '../../../contracts/check.ts'
import { CLIENT_ROLES } from '../../../domain/access/access.ts'
import type { ApiKey } from '../../../domain/access/api-key.ts'
import { hasPermission } from '../../../domain/access/grant.ts'
import { byOf } from '../../../http/address.ts'
import type { RouteDeps } from '../../../http/deps.ts'
import {
  type CreatedApiKey,
  createApiKey,
  getApiKey,
  listApiKeys,
  revokeApiKey,
} from '../../../use-cases/access/api-keys.ts'
import { getVault } from '../../../use-cases/access/vaults.ts'
import { formEffect } from '../../../use-cases/base/effect.ts'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Chip } from '../../components/chip.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { PostForm } from '../../components/form.tsx'
import type { Frame } from '../../components/layout.tsx'
import { sendPage } from '../../routing/response.tsx'
import type { Sent } from '../../values/form-values.ts'
import { idIn } from '../case-form.ts'
import type { ConsoleVisit } from '../visit.ts'
import { momentOf } from '../words.ts'
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
import { BASE, ConfirmPage, chooseVault, Secret, Settings } from './shell.tsx'

/** The number of keys to show, newest first. The API returns all keys. */
const SHOWN_KEYS = 50

export async function showKeys(
  deps: RouteDeps,
  visit: ConsoleVisit,
  vaultId: string,
  res: Response,
  again: FormState = NEW_FORM,
): Promise<void> {
  const { frame } = visit
  const { t } = frame
  const vault = await getVault(deps, visit, 'read_settings', vaultId)
  const { keys } = await listApiKeys(deps, visit, vaultId, { page: 1, per_page: SHOWN_KEYS })
  const about = { frame, again }
  const mayChange = hasPermission(visit, 'administer', vaultId)
  sendPage(
    res,
    again.status,
    <Settings
      visit={visit}
      section="keys"
      vault={await chooseVault(deps, visit, vault)}
      title={t('settings.keys')}
      problems={again.problems}
    >
      {keys.length === 0 ? (
        <p class="card quiet">{t('settings.keys.none')}</p>
      ) : (
        <Keys frame={frame} keys={keys} mayRevoke={mayChange} />
      )}
      {mayChange ? (
        <Card id="new-key-title" title={t('settings.newKey')} class="settings-form">
          <PostForm visit={visit} action={`${BASE}/vaults/${vaultId}/api_keys`}>
            <Name again={again} />
            <Input {...about} name="name" hint={t('settings.keyName.hint')} />
            <Checkboxes
              {...about}
              name="roles"
              options={CLIENT_ROLES.map((value) => ({ value, label: labelOf(t, value) }))}
              chosen={CLIENT_ROLES}
              hint={t('settings.roles.hint')}
              isRow
            />
            <Input {...about} name="expires_at" type="date" hint={t('settings.expires_at.hint')} />
            <Button icon="plus">{t('settings.newKey')}</Button>
          </PostForm>
        </Card>
      ) : null}
    </Settings>,
  )
}

interface KeysProps {
  readonly frame: Frame
  readonly keys: readonly ApiKey[]
  readonly mayRevoke: boolean
}

function Keys({ frame, keys, mayRevoke }: KeysProps) {
  const { t } = frame
  return (
    <DataTable
      rows={keys}
      keyOf={({ id }) => id}
      columns={[
        {
          key: 'key',
          head: labelOf(t, 'key'),
          cell: ({ prefix, name }) => (
            <>
              {name}
              {name ? <br /> : null}
              <code class="quiet">{prefix}…</code>
            </>
          ),
        },
        {
          key: 'roles',
          head: labelOf(t, 'roles'),
          cell: ({ roles }) => roles.map((role) => labelOf(t, role)).join(', '),
        },
        {
          key: 'last_used_at',
          head: labelOf(t, 'last_used_at'),
          cell: ({ lastUsedAt }) => (lastUsedAt === null ? t('settings.never') : momentOf(frame, lastUsedAt)),
        },
        {
          key: 'state',
          head: labelOf(t, 'state'),
          cell: (key) => <KeyState frame={frame} apiKey={key} />,
        },
        {
          key: 'revoke',
          head: t('settings.revoke'),
          isHidden: true,
          cell: ({ id, prefix, revokedAt }) =>
            mayRevoke && revokedAt === null ? (
              <a href={`${BASE}/api_keys/${id}/revoke`}>
                {t('settings.revoke')}
                <span class="unseen">: {prefix}</span>
              </a>
            ) : null,
        },
      ]}
    />
  )
}

function KeyState({
  frame,
  apiKey: { revokedAt, expiresAt, awaitsConfirmation },
}: {
  frame: Frame
  apiKey: ApiKey
}) {
  const { t } = frame
  if (revokedAt !== null) return <Chip>{t('settings.revokedAt', { at: momentOf(frame, revokedAt) })}</Chip>
  if (awaitsConfirmation)
    return (
      <Chip tone="warning" icon="clock">
        {t('settings.keys.unconfirmed')}
      </Chip>
    )
  if (expiresAt === null)
    return (
      <Chip tone="success" icon="check">
        {t('settings.valid')}
      </Chip>
    )
  return expiresAt.getTime() < Date.now() ? (
    <Chip tone="warning" icon="clock">
      {t('settings.expiredAt', { at: momentOf(frame, expiresAt) })}
    </Chip>
  ) : (
    <Chip tone="success" icon="check">
      {t('settings.expiresAt', { at: momentOf(frame, expiresAt) })}
    </Chip>
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
      // The key remains valid until the end of the day, in UTC.
      expires_at: day === null ? null : Date.parse(`${day}T23:59:59Z`) / 1_000,
    })
    const { roles, name = null, expires_at } = body
    const asked = { roles, name, expiresAt: expires_at ? new Date(expires_at * 1_000) : null }
    const effect = formEffect<CreatedApiKey>(deps, idIn(sent) ?? undefined)
    const chosen = await chooseVault(deps, visit, await getVault(deps, visit, 'read_settings', vaultId))
    const { key } = await createApiKey(deps, visit, byOf(visit, req), vaultId, asked, effect)
    sendPage(
      res,
      200,
      <Secret
        visit={visit}
        section="keys"
        vault={chosen}
        title={t('settings.keyMade')}
        label={t('settings.key')}
        text={t('settings.once')}
        secret={key}
        next={`${BASE}/vaults/${vaultId}/api_keys`}
      />,
    )
  })
  if (refused) await showKeys(deps, visit, vaultId, res, refused)
}

export async function askToRevoke(
  deps: RouteDeps,
  visit: ConsoleVisit,
  id: string,
  res: Response,
): Promise<void> {
  const { t } = visit.frame
  const { prefix, vaultId } = await getApiKey(deps, visit, id)
  sendPage(
    res,
    200,
    <ConfirmPage
      visit={visit}
      section="keys"
      vault={await chooseVault(deps, visit, await getVault(deps, visit, 'read_settings', vaultId))}
      title={t('settings.revoke.title', { prefix })}
      text={t('settings.revoke.text')}
      action={`${BASE}/api_keys/${id}/revoke`}
      press={t('settings.revoke')}
      back={`${BASE}/vaults/${vaultId}/api_keys`}
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
  const { vaultId } = await revokeApiKey(deps, visit, byOf(visit, req), id)
  res.redirect(303, `${BASE}/vaults/${vaultId}/api_keys`)
}
