/** Defines the requests and responses of the pages for vaults' own users. */
import type { VNode } from 'preact'
import type { By } from '../../../domain/access/audit.ts'
import { type Seat, type SeatPermission, seatPermits } from '../../../domain/access/seat.ts'
import type { Caller } from '../../../use-cases/access/caller.ts'
import type { Frame } from '../../components/layout.tsx'
import type { Translate } from '../../texts/index.ts'
import type { Sent } from '../../values/form-values.ts'
import type { FormState } from '../settings/form.ts'
import { CLIENT_BASE, type ConsoleRequest } from '../visit.ts'

/** A request for a page of a vault in which the user has a seat. */
export interface ClientAsk extends ConsoleRequest {
  readonly frame: Frame
  readonly t: Translate
  readonly seat: Seat
  /** The caller with which the use cases of the API act. It has only the vault of the seat. */
  readonly caller: Caller
  readonly by: By
  /** The ID of the object in the address, or an empty text if the address has none. */
  readonly id: string
  readonly page: number
  /** The form, which is empty in a GET request. */
  readonly sent: Sent
  /** The problems and typed values of a refused form. */
  readonly again: FormState
}

/** A page, or the path to which the browser is redirected. */
export type ClientReply = VNode | string

export type ClientHandler = (ask: ClientAsk) => ClientReply | Promise<ClientReply>

/** Returns the address of a page of the vault. */
export const seatPath = (vaultId: string, ...rest: readonly string[]): string =>
  [CLIENT_BASE, vaultId, ...rest].join('/')

export const maySeat = ({ seat }: ClientAsk, permission: SeatPermission): boolean =>
  seatPermits(seat, permission)
