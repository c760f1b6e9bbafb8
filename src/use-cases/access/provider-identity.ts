/** Use cases for users of the OpenID provider, who become operators through their groups. */
import { v7 as newId } from 'uuid'
import { findMappedGroups, readMemberships, replaceMemberships } from '../../db/access/operator-group.ts'
import {
  findUserIdByDirectoryId,
  findUserIdBySubject,
  hasIdentity,
  insertIdentity,
} from '../../db/access/operator-identity.ts'
import { findUserByEmail, getUserForUpdate, insertUser, revokeUserTokens } from '../../db/access/user.ts'
import { type Database, transaction } from '../../db/connection/database.ts'
import { violatedConstraint } from '../../db/connection/failure.ts'
import { operatorActor } from '../../domain/access/access.ts'
import { auditChanges } from '../../domain/access/audit.ts'
import { seatsOf } from '../../domain/access/seat.ts'
import { hasAccessEnded, type User } from '../../domain/access/user.ts'
import type { Identity } from '../../oidc/claims.ts'
import { getUser, recordUser } from './users.ts'

/**
 * `no_group`: no group grants a role. `no_email`: the provider states no email, or an unverified one. `account_exists`:
 * the email belongs to an account with a password or another identity, or the provider does not state that the email is
 * verified. `ended`: the operator's access has ended.
 */
export type AdmissionRefusal = 'no_group' | 'no_email' | 'account_exists' | 'ended'

type Admitted = { readonly user: User } | { readonly refused: AdmissionRefusal }

/**
 * Finds or creates the operator, and replaces the operator's groups. Two simultaneous first sign-ins create one
 * operator.
 */
export const admit = (db: Database, identity: Identity, address: string | null): Promise<Admitted> => {
  const attempt = () => transaction(db, (tx) => admitIn(tx, identity, address))
  return attempt().catch((error: unknown) => {
    if (violatedConstraint(error) === undefined) throw error
    return attempt()
  })
}

async function admitIn(tx: Database, identity: Identity, address: string | null): Promise<Admitted> {
  const groups = await findMappedGroups(tx, identity.groups)
  const { email } = identity
  // Looks up the email before the subject, because a simultaneous sign-in may create both in between.
  const existing = email === null ? null : await findUserByEmail(tx, email)
  const known = await findUserIdBySubject(tx, identity)
  if (known !== null) return admitKnown(tx, known, groups, address)
  const provisioned = await findUserIdByDirectoryId(tx, identity.directoryIds)
  if (provisioned !== null) {
    if (await hasIdentity(tx, provisioned)) return { refused: 'account_exists' }
    await connect(tx, provisioned, identity, address)
    return admitKnown(tx, provisioned, groups, address)
  }
  if (email === null) return { refused: 'no_email' }
  if (existing) {
    // An account with a password may have more rights than the groups grant. Anyone can state an unverified email.
    const isFree =
      identity.isEmailVerified && existing.passwordHash === null && !(await hasIdentity(tx, existing.id))
    if (!isFree) return { refused: 'account_exists' }
    await connect(tx, existing.id, identity, address)
    return admitKnown(tx, existing.id, groups, address)
  }
  if (groups.length === 0) return { refused: 'no_group' }
  const id = newId()
  await insertUser(tx, { id, email, passwordHash: null, operatorGrants: [], vaults: [] })
  await replaceMemberships(tx, id, groups)
  const by = { actor: operatorActor(id), address }
  await recordUser(tx, by, 'user_created', id, auditChanges({}, { method: 'single_sign_on', groups }))
  await connect(tx, id, identity, address)
  return { user: await getUser({ db: tx }, id) }
}

/** Connects the identity to the user for the first time. */
async function connect(tx: Database, id: string, identity: Identity, address: string | null): Promise<void> {
  await insertIdentity(tx, id, identity)
  await recordUser(tx, { actor: operatorActor(id), address }, 'identity_connected', id)
}

async function admitKnown(
  tx: Database,
  id: string,
  groups: readonly string[],
  address: string | null,
): Promise<Admitted> {
  await getUserForUpdate(tx, id)
  const user = await getUser({ db: tx }, id)
  if (hasAccessEnded(user)) return { refused: 'ended' }
  const changes = auditChanges({ groups: await readMemberships(tx, id) }, { groups })
  if (Object.keys(changes).length === 0) return admitted(user)
  await replaceMemberships(tx, id, groups)
  await revokeUserTokens(tx, id)
  await recordUser(tx, { actor: operatorActor(id), address }, 'user_groups_changed', id, changes)
  return admitted(await getUser({ db: tx }, id))
}

/** Admits operators, and vaults' own users, who have connected the identity themselves. */
const admitted = (user: User): Admitted =>
  user.effectiveGrants.length + seatsOf(user.vaults).length > 0 ? { user } : { refused: 'no_group' }

/**
 * Returns the operator of an access token. Creates the operator for an unknown person, or returns null if the person is
 * refused. Does not change the groups of a known operator, because an older token could restore groups that a later
 * sign-in removed.
 */
export async function admitCaller(db: Database, identity: Identity): Promise<User | null> {
  const known = await findUserIdBySubject(db, identity)
  if (known === null) {
    const admitted = await admit(db, identity, null)
    return 'refused' in admitted ? null : admitted.user
  }
  const user = await getUser({ db }, known)
  return hasAccessEnded(user) || user.effectiveGrants.length === 0 ? null : user
}
