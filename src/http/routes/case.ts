/** Internal cases: opened on identifications and closed by operators. */
import type { z } from 'zod'
import { idParams } from '../../contracts/common.ts'
import { caseAnswer, closeCaseBody, openCaseBody } from '../../contracts/identification.ts'
import { renewAssignment } from '../../db/assignment.ts'
import { transaction } from '../../db/database.ts'
import { findHold, insertHold, requestHoldClose, settleHoldOfEnded } from '../../db/hold.ts'
import { findIdentification, lockState } from '../../db/identification.ts'
import { staleness } from '../../domain/decision.ts'
import { RequestRefused } from '../../domain/errors.ts'
import { isCaseOwner, servicesOf } from '../../domain/holds.ts'
import { identificationEnded } from '../../domain/identification.ts'
import { tellCase } from '../../temporal/facts.ts'
import { type Case, presentCase } from '../case-answer.ts'
import type { RouteDeps } from '../deps.ts'
import { ofAnyVault } from '../entity-ref.ts'
import { type Route, route } from '../route.ts'
import { waitUntil } from '../wait-until.ts'

const DEADLINE_MS = 4_000

export const caseRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/identifications/:id/cases',
    role: 'operator_review',
    summary: 'Open an internal case that blocks services of the identification',
    errors: ['invalid_transition', 'identification_erased'],
    response: { 201: caseAnswer },
    params: idParams,
    body: openCaseBody,
    handler: async ({ deps, caller, params: { id }, body, effect }) => {
      const { vaultId } = await ofAnyVault(deps.db, 'identification', id)
      const identification = await findIdentification(deps.db, vaultId, id)
      if (!identification) throw new RequestRefused({ code: 'not_found' })
      const available = servicesOf(identification.internalSettlements)
      const services = available.filter((service) => (body.services ?? available).includes(service))
      if (body.services?.some((service) => !available.includes(service))) {
        const message = 'This vault has no internal settlements: leave them out.'
        throw new RequestRefused({ code: 'invalid', field: 'services', message })
      }
      if (identification.erasedAt) throw new RequestRefused({ code: 'identification_erased' })
      const caseId = effect.id
      const isThere = effect.again && (await findHold(deps.db, caseId)) !== null
      if (!isThere && identificationEnded(identification.state))
        throw new RequestRefused({ code: 'invalid_transition' })
      const { owner, reason, notes = null } = body
      const openedBy = caller.actor
      await insertHold(deps.db, {
        id: caseId,
        identificationId: id,
        owner,
        services,
        reason,
        notes,
        openedBy,
      })
      await renewAssignment(deps.db, { entity: 'identification', id }, openedBy)
      await tell(deps, caseId)
      const opened = await answerOnce(
        deps,
        caseId,
        ({ appliedAt, liftedAt }) => (appliedAt ?? liftedAt) !== null,
      )
      // Closed in the meantime: the case never had an effect.
      if (opened.appliedAt === null && opened.liftedAt !== null)
        throw new RequestRefused({ code: 'invalid_transition' })
      return { status: 201 as const, body: { data: presentCase(opened) } }
    },
  }),
  route({
    method: 'post',
    path: '/cases/:id/close',
    role: 'operator_review',
    summary: 'Close an internal case',
    errors: ['stale_version'],
    response: { 200: caseAnswer },
    params: idParams,
    body: closeCaseBody,
    handler: async ({ deps, caller, params: { id }, body, effect }) => {
      const found = await findHold(deps.db, id)
      if (!found || !isCaseOwner(found.owner)) throw new RequestRefused({ code: 'not_found' })
      const isAsked = effect.again && found.closeRequestedBy === caller.actor
      if (!isAsked) await requestClose(deps, found, caller.actor, body)
      await tell(deps, id)
      const closed = await answerOnce(deps, id, ({ liftedAt }) => liftedAt !== null)
      return { body: { data: presentCase(closed) } }
    },
  }),
]

/** The identification does not change between the look at its version and the mark on its case. */
const requestClose = (
  { db }: RouteDeps,
  { id, identificationId }: Case,
  actor: string,
  body: z.output<typeof closeCaseBody>,
): Promise<void> =>
  transaction(db, async (tx) => {
    const stale = staleness(body, await lockState(tx, identificationId))
    if (stale) throw new RequestRefused(stale)
    await requestHoldClose(tx, id, actor)
    await renewAssignment(tx, { entity: 'identification', id: identificationId }, actor)
  })

/** What is asked is in the row already: when it cannot be told now, housekeeping tells it. */
async function tell({ db, temporal, log }: RouteDeps, caseId: string): Promise<void> {
  await temporal
    .withDeadline(Date.now() + DEADLINE_MS, () => tellCase(db, temporal, caseId))
    .catch((err) => log.warn({ err, caseId }, 'the workflow was not told of a case'))
}

async function answerOnce({ db }: RouteDeps, id: string, isSo: (found: Case) => boolean): Promise<Case> {
  let found = await findHold(db, id)
  await waitUntil(async () => {
    await settleHoldOfEnded(db, id)
    found = await findHold(db, id)
    return found !== null && isSo(found)
  })
  if (!found) throw new RequestRefused({ code: 'not_found' })
  return found
}
