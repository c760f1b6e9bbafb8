/** Page: the API keys of a vault, for the vault's own users. */
import { createApiKeyBody } from '../../../contracts/api-key.ts'
import { parseOrRefuse } from '../../../contracts/check.ts'
import {
  type CreatedApiKey,
  createOwnApiKey,
  getOwnApiKey,
  listOwnApiKeys,
  revokeOwnApiKey,
} from '../../../use-cases/access/api-keys.ts'
import { formEffect } from '../../../use-cases/base/effect.ts'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { PostForm } from '../../components/form.tsx'
import { idIn } from '../case-form.ts'
import { flashAt } from '../flash.ts'
import { KEY_FIELDS, KeyState, keyName, keyTitle } from '../settings/api-keys.tsx'
import { enteredValues, labelOf } from '../settings/form.ts'
import { Inputs } from '../settings/inputs.tsx'
import { NewId } from '../settings/parts.tsx'
import { Shell } from '../shell.tsx'
import { type ClientAsk, type ClientReply, maySeat, seatPath } from './ask.ts'
import { Confirmation } from './confirmation.tsx'
import { ShownOnce } from './shown-once.tsx'

/** The number of keys to show, newest first. */
const SHOWN_KEYS = 50

export async function keysPage(ask: ClientAsk): Promise<ClientReply> {
  const { deps, visit, t, caller, seat, again } = ask
  const { keys } = await listOwnApiKeys(deps, caller, { page: 1, per_page: SHOWN_KEYS })
  const base = seatPath(seat.id, 'keys')
  return (
    <Shell visit={visit} title={t('settings.keys')} problems={again.problems} class="client-page">
      {keys.length === 0 ? (
        <EmptyState icon="key-round" text={t('settings.keys.none')} />
      ) : (
        <Card id="keys-title" title={t('settings.keys')}>
          <ul class="rows client-rows">
            {keys.map((key) => (
              <li key={key.id}>
                <span class="row-text">
                  <span class="row-name">{keyName(key)}</span>
                  <span class="row-note">
                    {key.prefix}… · {key.roles.map((role) => labelOf(t, role)).join(', ')}
                  </span>
                </span>
                <span class="actions">
                  <KeyState ask={ask} apiKey={key} />
                  {maySeat(ask, 'manage_own') && key.revokedAt === null ? (
                    <a href={`${base}/${key.id}/revoke`}>
                      {t('settings.revoke')}
                      <span class="unseen">: {key.prefix}</span>
                    </a>
                  ) : null}
                </span>
              </li>
            ))}
          </ul>
        </Card>
      )}
      {maySeat(ask, 'manage_own') ? (
        <Card id="new-key-title" title={t('settings.newKey')}>
          <PostForm visit={visit} action={base} class="client-form">
            <NewId again={again} />
            <Inputs ask={ask} fields={KEY_FIELDS} object={null} />
            <Button icon="plus">{t('settings.newKey')}</Button>
          </PostForm>
        </Card>
      ) : null}
    </Shell>
  )
}

export async function createKey(ask: ClientAsk): Promise<ClientReply> {
  const { deps, t, caller, by, seat, sent } = ask
  const { roles, name = null, expires_at } = parseOrRefuse(createApiKeyBody, enteredValues(sent, KEY_FIELDS))
  const asked = { roles, name, expiresAt: expires_at ? new Date(expires_at * 1_000) : null }
  const effect = formEffect<CreatedApiKey>(deps, idIn(sent))
  const { key } = await createOwnApiKey(deps, caller, by, asked, effect)
  return (
    <ShownOnce
      ask={ask}
      title={t('settings.keyMade')}
      id="secret"
      label={t('settings.key')}
      hint={t('settings.once')}
      value={key}
      next={seatPath(seat.id, 'keys')}
    />
  )
}

export async function askToRevoke(ask: ClientAsk): Promise<ClientReply> {
  const { deps, t, caller, seat, id } = ask
  const key = await getOwnApiKey(deps, caller, id)
  const back = seatPath(seat.id, 'keys')
  return (
    <Confirmation
      ask={ask}
      title={t('settings.revoke.title', { key: keyTitle(key) })}
      text="settings.revoke.text"
      action={`${back}/${id}/revoke`}
      press="settings.revoke"
      back={back}
    />
  )
}

export async function revokeKey({ deps, caller, by, seat, res, id }: ClientAsk): Promise<ClientReply> {
  const key = await revokeOwnApiKey(deps, caller, by, id)
  return flashAt(res, seatPath(seat.id, 'keys'), 'keyRevoked', keyName(key))
}
