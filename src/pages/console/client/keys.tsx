/** Page: the API keys of a vault, for the vault's own users. */
import { createApiKey, getApiKey, listApiKeys, revokeApiKey } from '../../../use-cases/access/api-keys.ts'
import { formEffect } from '../../../use-cases/base/effect.ts'
import { idIn } from '../case-form.ts'
import { flashAt } from '../flash.ts'
import { Keys, keyIn, keyName, newKeyPage, revocationPage, SHOWN_KEYS } from '../settings/api-keys.tsx'
import { type ClientAsk, type ClientReply, maySeat, seatPath } from './ask.ts'

const listPath = ({ seat }: ClientAsk) => seatPath(seat.id, 'keys')

export async function keysPage(ask: ClientAsk): Promise<ClientReply> {
  const { deps, t, caller, seat } = ask
  const { keys } = await listApiKeys(deps, caller, seat.id, { page: 1, per_page: SHOWN_KEYS })
  const list = listPath(ask)
  return {
    title: t('settings.keys'),
    children: (
      <Keys
        ask={ask}
        keys={keys}
        mayChange={maySeat(ask, 'manage_own')}
        action={list}
        revocationOf={(id) => `${list}/${id}/revoke`}
      />
    ),
  }
}

export async function createKey(ask: ClientAsk): Promise<ClientReply> {
  const { deps, caller, by, seat, sent } = ask
  const key = await createApiKey(deps, caller, by, seat.id, keyIn(sent), formEffect(deps, idIn(sent)))
  return newKeyPage(ask, key, listPath(ask))
}

export async function askToRevoke(ask: ClientAsk): Promise<ClientReply> {
  const { deps, caller, id } = ask
  const list = listPath(ask)
  return revocationPage(ask, await getApiKey(deps, caller, id), `${list}/${id}/revoke`, list)
}

export async function revokeKey(ask: ClientAsk): Promise<ClientReply> {
  const { deps, caller, by, res, id } = ask
  const key = await revokeApiKey(deps, caller, by, id)
  return flashAt(res, listPath(ask), 'keyRevoked', keyName(key))
}
