/** Rules for the seats of a vault's own users in the console, and for the permissions of each role. */
import type { ClientRole, SeatRole, VaultAccess } from './access.ts'

const ROLES_WITH = {
  /** Permits reading the vault's own cases, webhooks, API keys and members. */
  read_own: ['client_viewer', 'client_admin'],
  /** Permits changing them. */
  manage_own: ['client_admin'],
} as const satisfies Readonly<Record<string, readonly SeatRole[]>>

export type SeatPermission = keyof typeof ROLES_WITH

/** The roles with which the use cases of the API act for a seat. */
const CLIENT_ROLES_OF: Readonly<Record<SeatPermission, ClientRole>> = {
  read_own: 'api_read',
  manage_own: 'api_write',
}

/** Access to one vault in the console. */
export type Seat = VaultAccess

export const isSeatPermission = (needed: unknown): needed is SeatPermission =>
  typeof needed === 'string' && Object.hasOwn(ROLES_WITH, needed)

export const seatPermits = ({ roles }: Pick<Seat, 'roles'>, permission: SeatPermission): boolean =>
  ROLES_WITH[permission].some((role) => roles.includes(role))

export const seatPermissionsOf = (role: SeatRole): SeatPermission[] =>
  (Object.keys(ROLES_WITH) as SeatPermission[]).filter((permission) =>
    seatPermits({ roles: [role] }, permission),
  )

export const seatsOf = (vaults: readonly VaultAccess[]): Seat[] =>
  vaults.filter((vault) => seatPermits(vault, 'read_own'))

/** Returns the access with which the use cases of the API act for the seat, in its vault only. */
export const clientAccessOf = (seat: Seat): VaultAccess => ({
  ...seat,
  roles: Object.entries(CLIENT_ROLES_OF).flatMap(([permission, role]) =>
    seatPermits(seat, permission as SeatPermission) ? role : [],
  ),
})
