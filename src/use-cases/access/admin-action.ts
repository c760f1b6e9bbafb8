/**
 * Use cases for administrative actions. With ADMIN_FOUR_EYES, actions that could defeat four-eyes approval need a
 * second administrator. Each administrator sees one half of a one-time password, so neither can sign in with it.
 */
import { insertProposal, listProposals, takeProposal } from '../../db/access/admin-proposal.ts'
import { lockGroup, type OperatorGroup, readGroupGrants } from '../../db/access/operator-group.ts'
import { deleteIdentities, isKnownToProvider } from '../../db/access/operator-identity.ts'
import { getUserForUpdate } from '../../db/access/user.ts'
import { removeOtp } from '../../db/access/user-otp.ts'
import { recordAudit } from '../../db/audit/audit.ts'
import { type Database, transaction } from '../../db/connection/database.ts'
import {
  type AdminAction,
  type AdminProposal,
  gainsRights,
  isActingClient,
  isOperator,
  mayDo,
  weakensReviews,
} from '../../domain/access/admin-action.ts'
import type { ApiKey } from '../../domain/access/api-key.ts'
import { type AuditAction, aboutVault, areSamePerson, type By } from '../../domain/access/audit.ts'
import { type Granted, vaultsFor } from '../../domain/access/grant.ts'
import type { User } from '../../domain/access/user.ts'
import type { Vault } from '../../domain/access/vault.ts'
import { canonicalJson } from '../../domain/base/canonical-json.ts'
import { type Problem, type Refusals, RequestRefused, requireFound } from '../../domain/base/errors.ts'
import type { Page } from '../../domain/base/page.ts'
import { newPassword } from '../../storage/random.ts'
import type { Deps, WithDb } from '../base/deps.ts'
import { type Commit, commitTogether } from '../base/effect.ts'
import { confirmKey, revokeApiKey } from './api-keys.ts'
import { requirePermission } from './caller.ts'
import { changeGroup } from './operator-groups.ts'
import { type Profile, publishDraft } from './profile.ts'
import { removeCodes } from './user-otp.ts'
import {
  changeUserRoles,
  createUser,
  getUser,
  recordedGrants,
  resetPassword,
  rolesOf,
  type UserWithPassword,
} from './users.ts'
import { changeVault, requireVaultForUpdate, withReadLogo } from './vaults.ts'

type Kind = AdminAction['kind']

export interface Outcomes {
  readonly create_user: UserWithPassword
  readonly reset_password: UserWithPassword
  readonly change_roles: User
  readonly remove_codes: User
  readonly change_group: OperatorGroup
  readonly change_vault: Vault
  readonly publish_profile: Profile
  readonly confirm_api_key: ApiKey
}

export type ActionOf<K extends Kind> = Extract<AdminAction, { kind: K }> & { readonly kind: K }

/**
 * The result of the action, or the proposal that awaits confirmation. If the action sets a one-time password, the
 * proposal comes with the proposer's half of it.
 */
export type Requested<T> =
  | { readonly done: T; readonly proposal?: never }
  | { readonly proposal: AdminProposal; readonly passwordHalf: string | null }

/** Performs or proposes the action. Throws `not_found`, `insufficient_role` and the errors of the action. */
export async function requestAction<K extends Kind>(
  { config }: Pick<Deps, 'config'>,
  operator: Granted,
  by: By,
  asked: ActionOf<K>,
  effect: Commit<Requested<Outcomes[K]>>,
): Promise<Requested<Outcomes[K]>> {
  requireRightTo(operator, asked)
  // Decodes the logo before the transaction, which would otherwise hold the lock of the vault for seconds.
  let action: AdminAction = asked
  if (action.kind === 'change_vault')
    action = { ...action, changes: await withReadLogo(by, action.vaultId, action.changes) }
  return commitTogether(effect, async (tx) => {
    if (config.ADMIN_FOUR_EYES) {
      const target = await lockTarget(tx, action)
      if (target.needsSecond) return propose(tx, by, action, effect.id, target)
    }
    return { done: (await perform(tx, by, action, effect.id, newPassword())) as Outcomes[K] }
  })
}

requestAction.refuses = { create_user: ['email_taken'] } as const satisfies Record<string, Refusals>

/** The result of reading the changed user, group or vault under its lock. */
interface Target {
  /** The values that the action replaces, as JSON. Empty if the action checks its key, draft or email itself. */
  readonly replaces: string
  readonly needsSecond: boolean
  /**
   * Whether confirming the action sets a one-time password. A user who was no operator gets one with the new roles,
   * because an administrator may know the current password.
   */
  readonly setsPassword: boolean
}

/** Locks and reads the user, group or vault that the action changes. */
async function lockTarget(tx: Database, action: AdminAction): Promise<Target> {
  if ('userId' in action) {
    await getUserForUpdate(tx, action.userId)
    const user = await getUser({ db: tx }, action.userId)
    const replaces = canonicalJson({ ...rolesOf(user), accessEndsAt: user.accessEndsAt })
    if (action.kind === 'change_roles')
      return { replaces, needsSecond: gainsRights(user, action), setsPassword: !isOperator(user) }
    const isPowerful =
      isOperator(user) || isActingClient(user) || (await isKnownToProvider(tx, action.userId))
    return { replaces, needsSecond: isPowerful, setsPassword: action.kind === 'reset_password' }
  }
  if (action.kind === 'change_group') {
    await lockGroup(tx, action.group)
    const operatorGrants = await readGroupGrants(tx, action.group)
    const replaces = canonicalJson(recordedGrants(operatorGrants))
    return { replaces, needsSecond: gainsRights({ operatorGrants }, action), setsPassword: false }
  }
  if (action.kind === 'change_vault') {
    const vault = await requireVaultForUpdate(tx, action.vaultId)
    const changed = Object.entries(action.changes).filter(([, value]) => value !== undefined)
    const before = changed.map(([name]) => [name, vault[name as keyof Vault]])
    const replaces = canonicalJson(Object.fromEntries(before))
    return { replaces, needsSecond: weakensReviews(vault, action.changes), setsPassword: false }
  }
  const isNewUser = action.kind === 'create_user'
  return { replaces: '', needsSecond: !isNewUser || gainsRights({}, action), setsPassword: isNewUser }
}

async function propose(
  tx: Database,
  by: By,
  action: AdminAction,
  id: string,
  { replaces, setsPassword }: Target,
): Promise<Extract<Requested<never>, { passwordHalf: string | null }>> {
  const firstHalf = setsPassword ? halfOf(newPassword()) : null
  const createdAt = await insertProposal(tx, { id, proposedBy: by.actor, action, firstHalf, replaces })
  await record(tx, by, 'admin_action_proposed', action)
  return { proposal: { id, action, proposedBy: by.actor, createdAt }, passwordHalf: firstHalf }
}

const halfOf = (password: string) => password.slice(0, password.length / 2)

function perform(
  tx: Database,
  by: By,
  action: AdminAction,
  id: string,
  password: string,
): Promise<Outcomes[Kind]> {
  const effect = {
    id,
    isRerun: false,
    isKeyed: false,
    commit: <T>(work: (tx: Database) => Promise<T>) => work(tx),
  }
  switch (action.kind) {
    case 'create_user':
      return createUser({ db: tx }, by, action, effect, password)
    case 'reset_password':
      return resetPassword({ db: tx }, by, action.userId, effect, password)
    case 'change_roles':
      return changeUserRoles({ db: tx }, by, action.userId, action)
    case 'remove_codes':
      return removeCodes({ db: tx }, by, action.userId)
    case 'change_group':
      return changeGroup({ db: tx }, by, action.group, action.operatorGrants)
    case 'change_vault':
      return changeVault({ db: tx }, by, action.vaultId, action.changes)
    case 'publish_profile':
      return publishDraft(tx, by, action)
    case 'confirm_api_key':
      return confirmKey(tx, by, action.keyId)
  }
}

/** Lists the proposals that the operator may see, newest first. */
export const listAdminProposals = ({ db }: WithDb, operator: Granted, page: Page) =>
  listProposals(db, vaultsFor(operator, 'read_settings'), page)

export interface ConfirmedAction {
  readonly proposal: AdminProposal
  /** The second half of the one-time password, or null if the action sets none. */
  readonly passwordHalf: string | null
}

const CHANGED: Problem = {
  code: 'stale_version',
  message:
    'The user, group or vault has changed since the proposal. Withdraw it and propose the change again.',
}

/**
 * Performs a proposed action. Throws `not_found`, `same_operator` for the proposer, `stale_version` if the values that
 * the action replaces have changed or the user needs a one-time password in the meantime, and the errors of the action.
 */
export const confirmAction = (operator: Granted, by: By, id: string, effect: Commit<ConfirmedAction>) =>
  commitTogether(effect, async (tx) => {
    const { firstHalf, replaces, proposal } = await take(tx, operator, id)
    if (areSamePerson(proposal.proposedBy, by.actor)) throw new RequestRefused({ code: 'same_operator' })
    const { action } = proposal
    const current = await lockTarget(tx, action)
    const needsPassword = firstHalf === null && current.setsPassword
    if (needsPassword || (replaces ?? current.replaces) !== current.replaces)
      throw new RequestRefused(CHANGED)
    const secondHalf = firstHalf === null ? null : halfOf(newPassword())
    const password = `${firstHalf}${secondHalf}`
    if (action.kind === 'change_roles' && firstHalf !== null) {
      // An administrator who knew the earlier password may have added codes or connected another identity.
      await deleteIdentities(tx, action.userId)
      await removeOtp(tx, action.userId)
      await perform(tx, by, { kind: 'reset_password', userId: action.userId }, effect.id, password)
    }
    await perform(tx, by, action, effect.id, password)
    await record(tx, by, 'admin_action_confirmed', proposal.action)
    return { proposal, passwordHalf: secondHalf }
  })

confirmAction.refuses = ['same_operator', 'email_taken', 'stale_version'] as const satisfies Refusals

/** Withdraws a proposal. Any administrator who may perform the action can withdraw it. Throws `not_found`. */
export const withdrawAction = ({ db }: WithDb, operator: Granted, by: By, id: string) =>
  transaction(db, async (tx) => {
    const { proposal } = await take(tx, operator, id)
    const { action } = proposal
    // A key that no one confirms must not remain.
    if (action.kind === 'confirm_api_key') await revokeApiKey({ db: tx }, { operator }, by, action.keyId)
    await record(tx, by, 'admin_action_withdrawn', proposal.action)
    return proposal
  })

async function take(tx: Database, operator: Granted, id: string) {
  const taken = requireFound(await takeProposal(tx, id))
  requireRightTo(operator, taken.proposal.action)
  return taken
}

function requireRightTo(operator: Granted, action: AdminAction): void {
  if ('vaultId' in action) requirePermission(operator, 'administer', action.vaultId)
  else if (!mayDo(operator, action)) throw new RequestRefused({ code: 'not_found' })
}

/** Records the step without its changes, because the audit entry of the completed action contains them. */
const record = (tx: Database, by: By, entry: AuditAction, action: AdminAction): Promise<void> =>
  recordAudit(tx, by, {
    action: entry,
    ...('vaultId' in action
      ? aboutVault(action.vaultId)
      : action.kind === 'change_group'
        ? { subject: 'operator_group', subjectId: null }
        : { subject: 'user', subjectId: 'userId' in action ? action.userId : null }),
    changes: {
      action: { to: action.kind },
      ...(action.kind === 'change_group' && { group: { to: action.group } }),
    },
  })
