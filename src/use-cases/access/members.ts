/** Use cases for the members of a vault, who are its own users with a seat in the console. */
import { listSeatUsers } from '../../db/access/user.ts'
import { SEAT_ROLES, type SeatRole } from '../../domain/access/access.ts'
import type { By } from '../../domain/access/audit.ts'
import { seatsOf } from '../../domain/access/seat.ts'
import type { VaultGrant } from '../../domain/access/user.ts'
import { RequestRefused } from '../../domain/base/errors.ts'
import { newPassword } from '../../storage/random.ts'
import type { Deps, WithDb } from '../base/deps.ts'
import type { Commit } from '../base/effect.ts'
import { type Caller, requireVault } from './caller.ts'
import { createUser, replaceRoles, type UserWithPassword } from './users.ts'

type SpendDeps = Pick<Deps, 'db' | 'spend'>

interface Member {
  readonly id: string
  readonly email: string
  readonly role: SeatRole
}

/** Lists the members of the caller's vault, oldest first. */
export async function listMembers({ db }: WithDb, caller: Caller): Promise<Member[]> {
  const vaultId = requireVault(caller, 'api_read')
  const users = await listSeatUsers(db, vaultId)
  return users.map(({ id, email, roles }) => ({ id, email, role: roleIn(roles) }))
}

/** Returns a member that the caller may change. Throws `not_found`, also for the caller. */
export async function getMember(deps: WithDb, caller: Caller, id: string): Promise<Member> {
  requireVault(caller, 'api_write')
  const member = (await listMembers(deps, caller)).find((each) => each.id === id)
  if (!member || id === caller.userId) throw new RequestRefused({ code: 'not_found' })
  return member
}

const roleIn = (roles: readonly string[]): SeatRole =>
  roles.includes('client_admin') ? 'client_admin' : 'client_viewer'

/** The maximum number of members, because one page lists them, and each administrator gets emails about webhooks. */
const MAX_MEMBERS = 200

/**
 * Creates a member of the caller's vault, or restores one that was removed. The result does not depend on users who are
 * no members of this vault. Throws `email_taken` for the email of a member, `too_many` if the vault is full, and
 * RateReached after too many changes.
 */
export async function addMember(
  deps: SpendDeps,
  caller: Caller,
  by: By,
  { email, role }: Omit<Member, 'id'>,
  effect: Commit<UserWithPassword>,
): Promise<UserWithPassword> {
  const id = requireVault(caller, 'api_write')
  await deps.spend('settings', id)
  const members = await listMembers(deps, caller)
  if (members.some((member) => member.email.toLowerCase() === email.toLowerCase()))
    throw new RequestRefused({ code: 'email_taken', field: 'email' })
  if (members.length >= MAX_MEMBERS) throw new RequestRefused({ code: 'too_many' })
  const user = { email, memberOf: id, vaults: [{ id, roles: [role] }], operatorGrants: [] }
  return createUser(deps, by, user, effect, newPassword())
}

/**
 * Changes the role of a member, or removes the seat if `role` is null, and returns the email. Does not change the
 * member's other roles. Throws `not_found` for users without a seat in the caller's vault, and for the caller, who would
 * lose the access.
 */
export async function changeMember(
  deps: SpendDeps,
  caller: Caller,
  by: By,
  id: string,
  role: SeatRole | null,
): Promise<Pick<Member, 'email'>> {
  const vaultId = requireVault(caller, 'api_write')
  await deps.spend('settings', vaultId)
  const isSeatRole = (each: string) => SEAT_ROLES.some((known) => known === each)
  // Reads the roles under the lock of the change, which would otherwise restore roles that another one removes.
  return replaceRoles(deps, by, id, (user) => {
    const isMember = seatsOf(user.vaults).some((seat) => seat.id === vaultId)
    if (!isMember || user.id === caller.userId) throw new RequestRefused({ code: 'not_found' })
    const vaults = user.vaults.map(({ id: vault, roles }) => ({
      id: vault,
      roles:
        vault === vaultId ? [...roles.filter((each) => !isSeatRole(each)), ...(role ? [role] : [])] : roles,
    })) as VaultGrant[]
    return { vaults: vaults.filter(({ roles }) => roles.length > 0) }
  })
}
