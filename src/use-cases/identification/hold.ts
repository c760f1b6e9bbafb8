/** Use cases for internal holds. The database stores each hold before the identification's workflow applies it. */

import {
  findHold,
  type HoldFilter,
  type HoldOfVault,
  insertHold,
  listInternalHolds as listOfAll,
  requestLifting,
} from '../../db/cases/hold.ts'
import { findIdentification, getStateForUpdate } from '../../db/cases/identification.ts'
import { insertFact } from '../../db/commands/pending-fact.ts'
import { transaction } from '../../db/connection/database.ts'
import { renewAssignment } from '../../db/lists/assignment.ts'
import type { By } from '../../domain/access/audit.ts'
import { type Granted, vaultsFor } from '../../domain/access/grant.ts'
import { type Refusals, RequestRefused, requireFound } from '../../domain/base/errors.ts'
import type { Page } from '../../domain/base/page.ts'
import { needsSecondOperator } from '../../domain/decision/confirmation.ts'
import { findVersionProblem } from '../../domain/decision/decision.ts'
import type { Ref } from '../../domain/entity/entity.ts'
import {
  type BlockReason,
  type InternalOwner,
  isInternalOwner,
  type Service,
  servicesOf,
} from '../../domain/identification/holds.ts'
import { holdLifted, holdPlaced, isIdentificationEnded } from '../../domain/identification/identification.ts'
import type { HoldDetails } from '../../domain/identification/recorded-hold.ts'
import { trySendFacts } from '../../temporal/facts.ts'
import { requirePermission } from '../access/caller.ts'
import type { Deps, WithDb } from '../base/deps.ts'
import { type Asking, type CommandDeps, runCommand } from '../case/command.ts'
import { refuseErased } from '../case/entity-ref.ts'
import { recordCaseRead, recordNamesRead } from '../case/reading-record.ts'
import { waitUntil } from '../case/wait-until.ts'

type HoldDeps = CommandDeps & Pick<Deps, 'temporal' | 'log'>

interface NewHold {
  readonly owner: InternalOwner
  /** The services to block. If absent, all services of the vault are blocked. */
  readonly services?: readonly Service[] | undefined
  readonly reason: BlockReason
  readonly notes?: string | null | undefined
}

/** The version of the identification that the operator read. */
interface ReadVersion {
  readonly version?: number | undefined
}

/** Places a hold, whose ID is that of the effect. Throws RequestRefused if it cannot be placed. */
export async function placeHold(
  deps: HoldDeps,
  { actor, effect }: Asking,
  { id, vaultId }: Ref,
  { owner, services: asked, reason, notes = null }: NewHold,
): Promise<HoldOfVault> {
  const identification = requireFound(await findIdentification(deps.db, vaultId, id))
  const available = servicesOf(identification.internalSettlements)
  const services = available.filter((service) => (asked ?? available).includes(service))
  if (asked?.some((service) => !available.includes(service))) {
    const message = 'This vault does not have internal settlements. Remove internal_settlements.'
    throw new RequestRefused({ code: 'invalid', field: 'services', message })
  }
  const target = { entity: 'identification', id, vaultId } as const
  await transaction(deps.db, async (tx) => {
    await refuseErased(tx, target)
    const isInserted = effect.isRerun && (await findHold(tx, effect.id)) !== null
    if (!isInserted && isIdentificationEnded(identification.state))
      throw new RequestRefused({ code: 'invalid_transition' })
    const hold = { id: effect.id, identificationId: id, owner, services, reason, notes, openedBy: actor }
    await insertHold(tx, hold)
    await insertFact(tx, id, target, holdPlaced(hold))
    await renewAssignment(tx, target, actor)
  })
  const opened = await follow(deps, { id: effect.id, identificationId: id }, isInForce)
  // The hold was lifted before it took effect.
  if (opened.appliedAt === null && opened.liftedAt !== null)
    throw new RequestRefused({ code: 'invalid_transition' })
  return opened
}

placeHold.refuses = ['invalid_transition', 'identification_erased'] as const satisfies Refusals

/**
 * Lifts a hold, or proposes to lift it if the vault requires a second operator. Throws RequestRefused if there is no
 * such hold, or if the identification has changed since the operator read it.
 */
export async function liftHold(
  deps: HoldDeps,
  { actor, effect, ...operator }: Asking & Granted,
  id: string,
  read: ReadVersion,
): Promise<HoldOfVault> {
  const found = await findHold(deps.db, id)
  if (!found || !isInternalOwner(found.owner)) throw new RequestRefused({ code: 'not_found' })
  requirePermission(operator, 'confirm', found.vaultId)
  const identification = await findIdentification(deps.db, found.vaultId, found.identificationId)
  if (
    identification &&
    !found.liftedAt &&
    // A closed identification has no blocks, and no workflow that could wait for a second operator.
    !isIdentificationEnded(identification.state) &&
    needsSecondOperator('close_case', identification.policy, [], actor)
  ) {
    const target = { entity: 'identification', id: identification.id, vaultId: found.vaultId } as const
    // A hold that the workflow has not applied cannot be lifted yet.
    const { appliedAt } = found.appliedAt ? found : await follow(deps, found, isInForce)
    if (appliedAt === null) throw new RequestRefused({ code: 'service_unavailable' })
    await runCommand(deps, { actor, effect }, target, { kind: 'close_case', caseId: id, ...read })
    return (await findHold(deps.db, id)) ?? found
  }
  const isRequested = effect.isRerun && found.closeRequestedBy === actor
  if (!isRequested) await requestClose(deps, found, actor, read)
  return follow(deps, found, ({ liftedAt }) => liftedAt !== null)
}

liftHold.refuses = [
  'stale_version',
  'decision_pending',
  { code: 'identification_closed', status: 422 },
  { code: 'identification_erased', status: 422 },
] as const satisfies Refusals

/** Returns whether the hold is active or has been lifted. */
const isInForce = ({ appliedAt, liftedAt }: HoldOfVault): boolean => (appliedAt ?? liftedAt) !== null

/** Stores the request to lift the hold. The lock keeps the version unchanged until the request is stored. */
const requestClose = (
  { db }: HoldDeps,
  { id, identificationId, vaultId }: HoldOfVault,
  actor: string,
  read: ReadVersion,
): Promise<void> =>
  transaction(db, async (tx) => {
    const stale = findVersionProblem(read, await getStateForUpdate(tx, identificationId))
    if (stale) throw new RequestRefused(stale)
    const target = { entity: 'identification', id: identificationId, vaultId } as const
    await requestLifting(tx, id, actor)
    await insertFact(tx, identificationId, target, holdLifted(id))
    await renewAssignment(tx, target, actor)
  })

/** Signals the stored state of a hold. Returns the hold when the workflow has applied it, or after four seconds. */
async function follow(
  { db, temporal, log }: HoldDeps,
  { id, identificationId }: Pick<HoldOfVault, 'id' | 'identificationId'>,
  isFollowed: (found: HoldOfVault) => boolean,
): Promise<HoldOfVault> {
  const since = performance.now()
  await trySendFacts({ db, temporal, log }, identificationId)
  let found = await findHold(db, id)
  await waitUntil(async () => {
    found = await findHold(db, id)
    return found !== null && isFollowed(found)
  }, since)
  return requireFound(found)
}

/** Lists the internal holds that match the filter, newest first. Counts those with notes as reads of their cases. */
export async function listInternalHolds(deps: WithDb, by: By, filter: Omit<HoldFilter, 'id'>, page: Page) {
  const listed = await listOfAll(deps.db, page, filter)
  const noted = listed.entries.filter(({ notes }) => notes !== null)
  await recordNamesRead(deps, by, noted)
  return listed
}

/**
 * Returns an internal hold, and records the read of its identification. Throws `not_found` if none of the operator's
 * vaults has it.
 */
export async function getInternalHold(
  deps: Pick<Deps, 'db' | 'spend'>,
  operator: Granted,
  by: By,
  id: string,
): Promise<HoldDetails> {
  const scope = vaultsFor(operator, 'read_cases')
  const found = requireFound((await listOfAll(deps.db, { page: 1, per_page: 1 }, { id, scope })).entries[0])
  const { identificationId, vaultId } = found
  await recordCaseRead(deps, by, { entity: 'identification', id: identificationId, vaultId })
  return found
}
