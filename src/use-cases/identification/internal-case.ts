/** Use cases for internal cases. The database stores each case before the identification's workflow applies it. */
import type { Client } from '@temporalio/client'
import { renewAssignment } from '../../db/cases/assignment.ts'
import { type Case, findHold, insertHold, requestHoldClose } from '../../db/cases/hold.ts'
import { findIdentification, getStateForUpdate } from '../../db/cases/identification.ts'
import { insertFact } from '../../db/cases/pending-fact.ts'
import { transaction } from '../../db/connection/database.ts'
import type { Granted } from '../../domain/access/grant.ts'
import { RequestRefused } from '../../domain/base/errors.ts'
import { needsSecondOperator } from '../../domain/decision/confirmation.ts'
import { findVersionProblem } from '../../domain/decision/decision.ts'
import type { Ref } from '../../domain/entity/entity.ts'
import {
  type BlockReason,
  type CaseOwner,
  isCaseOwner,
  type Service,
  servicesOf,
} from '../../domain/identification/holds.ts'
import { caseClosed, caseOpened, isIdentificationEnded } from '../../domain/identification/identification.ts'
import type { Logger } from '../../process/log.ts'
import { trySendFacts } from '../../temporal/facts.ts'
import { requirePermission } from '../access/caller.ts'
import { type Asking, type CommandDeps, runCommand } from '../case/command.ts'
import { waitUntil } from '../case/wait-until.ts'

interface Deps extends CommandDeps {
  readonly temporal: Client
  readonly log: Logger
}

interface CaseOpening {
  readonly owner: CaseOwner
  /** The services to block. If absent, all services of the vault are blocked. */
  readonly services?: readonly Service[] | undefined
  readonly reason: BlockReason
  readonly notes?: string | null | undefined
}

/** The version of the identification that the operator read. */
interface ReadVersion {
  readonly version?: number | undefined
}

/** Opens a case, whose ID is that of the effect. Throws RequestRefused if the case cannot be opened. */
export async function openCase(
  deps: Deps,
  { actor, effect }: Asking,
  { id, vaultId }: Ref,
  { owner, services: asked, reason, notes = null }: CaseOpening,
): Promise<Case> {
  const identification = await findIdentification(deps.db, vaultId, id)
  if (!identification) throw new RequestRefused({ code: 'not_found' })
  const available = servicesOf(identification.internalSettlements)
  const services = available.filter((service) => (asked ?? available).includes(service))
  if (asked?.some((service) => !available.includes(service))) {
    const message = 'This vault does not have internal settlements. Remove internal_settlements.'
    throw new RequestRefused({ code: 'invalid', field: 'services', message })
  }
  await transaction(deps.db, async (tx) => {
    // Waits for an erasure in progress, because a note added after it would never be erased.
    const { erasedAt } = await getStateForUpdate(tx, id)
    if (erasedAt) throw new RequestRefused({ code: 'identification_erased' })
    const isInserted = effect.isRerun && (await findHold(tx, effect.id)) !== null
    if (!isInserted && isIdentificationEnded(identification.state))
      throw new RequestRefused({ code: 'invalid_transition' })
    const hold = { id: effect.id, identificationId: id, owner, services, reason, notes, openedBy: actor }
    await insertHold(tx, hold)
    await insertFact(tx, id, { entity: 'identification', id, vaultId }, caseOpened(hold))
    await renewAssignment(tx, { entity: 'identification', id }, actor)
  })
  const opened = await follow(deps, { id: effect.id, identificationId: id }, isInForce)
  // The case was closed before it took effect.
  if (opened.appliedAt === null && opened.liftedAt !== null)
    throw new RequestRefused({ code: 'invalid_transition' })
  return opened
}

/**
 * Closes a case, or proposes its closing if the vault requires a second operator. Throws RequestRefused if there is no
 * such case, or if the identification has changed since the operator read it.
 */
export async function closeCase(
  deps: Deps,
  { actor, effect, ...operator }: Asking & Granted,
  id: string,
  read: ReadVersion,
): Promise<Case> {
  const found = await findHold(deps.db, id)
  if (!found || !isCaseOwner(found.owner)) throw new RequestRefused({ code: 'not_found' })
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
    // A case that the workflow has not applied cannot be closed yet.
    const { appliedAt } = found.appliedAt ? found : await follow(deps, found, isInForce)
    if (appliedAt === null) throw new RequestRefused({ code: 'service_unavailable' })
    await runCommand(deps, { actor, effect }, target, { kind: 'close_case', caseId: id, ...read })
    return (await findHold(deps.db, id)) ?? found
  }
  const isRequested = effect.isRerun && found.closeRequestedBy === actor
  if (!isRequested) await requestClose(deps, found, actor, read)
  return follow(deps, found, ({ liftedAt }) => liftedAt !== null)
}

/** Returns whether the hold is active or has been lifted. */
const isInForce = ({ appliedAt, liftedAt }: Case): boolean => (appliedAt ?? liftedAt) !== null

/** Stores the request to close the case. The lock keeps the version unchanged until the request is stored. */
const requestClose = (
  { db }: Deps,
  { id, identificationId, vaultId }: Case,
  actor: string,
  read: ReadVersion,
): Promise<void> =>
  transaction(db, async (tx) => {
    const stale = findVersionProblem(read, await getStateForUpdate(tx, identificationId))
    if (stale) throw new RequestRefused(stale)
    const target = { entity: 'identification', id: identificationId, vaultId } as const
    await requestHoldClose(tx, id, actor)
    await insertFact(tx, identificationId, target, caseClosed(id))
    await renewAssignment(tx, target, actor)
  })

/** Signals the stored state of a case. Returns the case when the workflow has applied it, or after four seconds. */
async function follow(
  { db, temporal, log }: Deps,
  { id, identificationId }: Pick<Case, 'id' | 'identificationId'>,
  isFollowed: (found: Case) => boolean,
): Promise<Case> {
  const since = performance.now()
  await trySendFacts({ db, temporal, log }, identificationId)
  let found = await findHold(db, id)
  await waitUntil(async () => {
    found = await findHold(db, id)
    return found !== null && isFollowed(found)
  }, since)
  if (!found) throw new RequestRefused({ code: 'not_found' })
  return found
}
