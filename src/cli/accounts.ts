/**
 * Commands: `create-vault`, `create-api-key`, `create-user`, `create-operator`, `map-group` and `break-glass`. They
 * work before anyone can sign in to the console.
 */
import { v7 as newId, validate } from 'uuid'
import { PARSING, problemsOf } from '../contracts/problems.ts'
import { createUserBody } from '../contracts/user.ts'
import { findUserByEmail, grantVault, revokeUserTokens, saveUser, setAccessEnd } from '../db/access/user.ts'
import { findVault } from '../db/access/vault.ts'
import { recordAudit } from '../db/audit/audit.ts'
import { type Database, transaction } from '../db/connection/database.ts'
import { CLIENT_ROLES, type ClientRole } from '../domain/access/access.ts'
import { auditChanges, BY_COMMAND_LINE, type Changes } from '../domain/access/audit.ts'
import { type Grant, grantsOfNames, ROLE_NAMES } from '../domain/access/grant.ts'
import type { Config } from '../process/config.ts'
import { drawMixed, newPassword } from '../storage/random.ts'
import { createApiKey } from '../use-cases/access/api-keys.ts'
import type { VaultUser } from '../use-cases/access/caller.ts'
import { changeGroup, getGroup, listGroups } from '../use-cases/access/operator-groups.ts'
import { recordedGrants } from '../use-cases/access/users.ts'
import { createVault } from '../use-cases/access/vaults.ts'
import { formEffect } from '../use-cases/base/effect.ts'
import { hashPassword } from '../use-cases/credentials/password-hash.ts'
import type { Values } from './command-line.ts'

/** The owner of the machine, who needs no second administrator. */
const OWNER: VaultUser = { operator: { grants: [{ role: 'administrator', vaultId: null }] } }

export async function printNewVault(db: Database, config: Config, name: string): Promise<void> {
  const { id } = await createVault({ config }, BY_COMMAND_LINE, { name }, formEffect({ db }))
  console.log(id)
}

/** Creates an API key and prints it. The key cannot be shown again. */
export async function printNewApiKey(
  db: Database,
  config: Config,
  vault: string,
  givenRoles: readonly string[] | undefined,
): Promise<void> {
  const vaultId = await existingVault(db, vault)
  const asked = { roles: rolesOf(CLIENT_ROLES, givenRoles), name: null, expiresAt: null }
  const { key } = await createApiKey(
    // Only clients have a limit.
    { db, config, spend: async () => {} },
    OWNER,
    BY_COMMAND_LINE,
    vaultId,
    asked,
    formEffect({ db }),
  )
  console.log(key)
}

/** Creates the user or replaces the password, grants the roles in the vault, and prints the password. */
export async function printNewUser(
  db: Database,
  vault: string,
  givenEmail: string,
  givenRoles: readonly string[] | undefined,
): Promise<void> {
  const vaultId = await existingVault(db, vault)
  const email = await acceptedEmail(db, givenEmail)
  const roles: ClientRole[] = rolesOf(CLIENT_ROLES, givenRoles)
  await printPassword(db, { email }, { vaults: [{ id: vaultId, roles }] }, (tx, userId) =>
    grantVault(tx, { vaultId, userId, roles }),
  )
}

/**
 * Creates the operator or replaces the password, replaces the operator's roles, and prints the password. The default
 * role is `operator_review`.
 */
export async function printNewOperator(
  db: Database,
  givenEmail: string,
  givenRoles: readonly string[] | undefined,
): Promise<void> {
  const email = await acceptedEmail(db, givenEmail)
  const operatorGrants = grantsOfNames(rolesOf(ROLE_NAMES, givenRoles ?? ['operator_review']))
  await printPassword(db, { email, operatorGrants }, { operator_grants: recordedGrants(operatorGrants) })
}

/**
 * Replaces the roles of an OpenID provider group in one vault or, without `vault`, for all vaults. Then prints all
 * mapped groups. Without `name`, only prints them.
 */
export async function mapOrPrintGroups(
  db: Database,
  name: string | undefined,
  { role, vault, remove = false }: Values,
): Promise<void> {
  if (name !== undefined) {
    if (remove === (role !== undefined)) throw new Error('Specify either --role or --remove.')
    const vaultId = vault === undefined ? null : await existingVault(db, vault)
    const added = grantsOfNames(rolesOf(ROLE_NAMES, role ?? [])).map((grant) => ({ ...grant, vaultId }))
    const { operatorGrants } = await getGroup({ db }, name)
    const kept = remove && vaultId === null ? [] : operatorGrants.filter((grant) => grant.vaultId !== vaultId)
    await changeGroup({ db }, BY_COMMAND_LINE, name, [...kept, ...added])
  }
  for (const { name: group, operatorGrants } of await listGroups({ db }))
    console.log(`${group}: ${operatorGrants.map(textOfGrant).join(', ')}`)
}

const textOfGrant = ({ role, vaultId }: Grant): string => (vaultId === null ? role : `${role} in ${vaultId}`)

const BREAK_GLASS_SECONDS = 3_600

/** Creates an operator for one hour, and prints the email and the password. The default is all roles. */
export async function printBreakGlass(db: Database, givenRoles: readonly string[] | undefined) {
  const operatorGrants = grantsOfNames(
    rolesOf(ROLE_NAMES, givenRoles ?? ['operator_review', 'operator_admin']),
  )
  const [id, password] = [newId(), newPassword()]
  const email = `break-glass-${drawMixed(8).toLowerCase()}@gatehouse.invalid`
  const passwordHash = await hashPassword(password)
  await transaction(db, async (tx) => {
    await saveUser(tx, { id, email, passwordHash, operatorGrants })
    await setAccessEnd(tx, id, BREAK_GLASS_SECONDS)
    await recordAudit(tx, BY_COMMAND_LINE, {
      action: 'break_glass_used',
      subject: 'user',
      subjectId: id,
      changes: auditChanges({}, { operator_grants: recordedGrants(operatorGrants) }),
    })
  })
  console.error(
    'This operator can sign in with a password for one hour. The audit trail records the creation.',
  )
  console.log(`${email}\n${password}`)
}

async function existingVault(db: Database, given: string): Promise<string> {
  const id = given.toLowerCase()
  if (!validate(id) || !(await findVault(db, id))) throw new Error(`There is no vault ${id}.`)
  return id
}

/** Returns the email if the API would accept it or an existing user has it. Throws otherwise. */
async function acceptedEmail(db: Database, email: string): Promise<string> {
  if (await findUserByEmail(db, email)) return email
  const { data, error } = createUserBody.shape.email.safeParse(email, PARSING)
  if (error) throw new Error(`--email: ${problemsOf(error)[0]?.message}`)
  return data
}

function rolesOf<R extends string>(allowed: readonly R[], given: readonly string[] = allowed): R[] {
  const unknown = given.find((role) => !(allowed as readonly string[]).includes(role))
  if (unknown !== undefined)
    throw new Error(`--role ${unknown} does not exist. Choose from: ${allowed.join(', ')}.`)
  return given as R[]
}

/** Sets a new password for the user with this email, revokes all tokens and prints the password. */
async function printPassword(
  db: Database,
  user: { readonly email: string; readonly operatorGrants?: readonly Grant[] },
  recorded: Readonly<Record<string, unknown>>,
  grant: (tx: Database, userId: string) => Promise<void> = async () => {},
): Promise<void> {
  const password = newPassword()
  const passwordHash = await hashPassword(password)
  const newUserId = newId()
  const changes: Changes = auditChanges({}, recorded)
  const isNew = await transaction(db, async (tx) => {
    const userId = await saveUser(tx, { id: newUserId, ...user, passwordHash })
    await grant(tx, userId)
    await revokeUserTokens(tx, userId)
    const isCreated = userId === newUserId
    await recordAudit(tx, BY_COMMAND_LINE, {
      action: isCreated ? 'user_created' : 'password_reset',
      subject: 'user',
      subjectId: userId,
      changes,
    })
    return isCreated
  })
  if (!isNew) console.error('A user with this email already exists. The password was replaced.')
  console.log(password)
}
