/** Page: the API keys of a vault, for the vault's own users. */
import {
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
import { KEY_FIELDS, KeyState, keyIn, keyName, newKeyPage, revocationPage } from '../settings/api-keys.tsx'
import { labelOf } from '../settings/form.ts'
import { Inputs } from '../settings/inputs.tsx'
import { NewId } from '../settings/parts.tsx'
import { type ClientAsk, type ClientReply, maySeat, seatPath } from './ask.ts'

/** The number of keys to show, newest first. */
const SHOWN_KEYS = 50

export async function keysPage(ask: ClientAsk): Promise<ClientReply> {
  const { deps, visit, t, caller, seat, again } = ask
  const { keys } = await listOwnApiKeys(deps, caller, { page: 1, per_page: SHOWN_KEYS })
  const base = seatPath(seat.id, 'keys')
  return {
    title: t('settings.keys'),
    children: (
      <>
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
      </>
    ),
  }
}

export async function createKey(ask: ClientAsk): Promise<ClientReply> {
  const { deps, caller, by, seat, sent } = ask
  const key = await createOwnApiKey(deps, caller, by, keyIn(sent), formEffect(deps, idIn(sent)))
  return newKeyPage(ask, key, seatPath(seat.id, 'keys'))
}

export async function askToRevoke(ask: ClientAsk): Promise<ClientReply> {
  const { deps, caller, seat, id } = ask
  const list = seatPath(seat.id, 'keys')
  return revocationPage(ask, await getOwnApiKey(deps, caller, id), `${list}/${id}/revoke`, list)
}

export async function revokeKey({ deps, caller, by, seat, res, id }: ClientAsk): Promise<ClientReply> {
  const key = await revokeOwnApiKey(deps, caller, by, id)
  return flashAt(res, seatPath(seat.id, 'keys'), 'keyRevoked', keyName(key))
}
