/** Defines the requests and responses of the pages for vaults' own users. */
import { type Seat, seatPermits } from '../../../domain/access/seat.ts'
import type { Caller } from '../../../use-cases/access/caller.ts'
import type { FormAsk, PageContent } from '../base/ask.ts'

export interface ClientAsk extends FormAsk {
  readonly seat: Seat
  /** The caller with which the use cases of the API act. It has only the vault of the seat. */
  readonly caller: Caller
  /** The ID of the object in the address, or an empty text if the address has none. */
  readonly id: string
}

interface ClientPage extends PageContent {
  readonly isWide?: boolean
}

/** A page, or the path to which the browser is redirected. */
export type ClientReply = ClientPage | string

export type ClientHandler = (ask: ClientAsk) => ClientReply | Promise<ClientReply>

export const canManage = ({ seat }: ClientAsk): boolean => seatPermits(seat, 'manage_own')
