/** Page: the API keys of a vault, for the vault's own users. */
import type { KeysHandler } from '../settings/api-keys.tsx'
import { type ClientHandler, maySeat, seatPath } from './ask.ts'

/** Shows a page of the vault's keys, which operators also see. */
export const ofKeys =
  (handler: KeysHandler): ClientHandler =>
  (ask) => {
    const { id: vaultId } = ask.seat
    const list = seatPath(vaultId, 'keys')
    const mayChange = maySeat(ask, 'manage_own')
    const revocationOf = (id: string) => `${list}/${id}/revoke`
    return handler({ ...ask, user: ask.caller, vaultId, mayChange, list, revocationOf })
  }
