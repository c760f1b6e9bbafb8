/** The activity that runs a verification check and tells the workflow what it said. */
import { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import { findIdentification } from '../src/db/identification.ts'
import type { CheckResult, IdentificationFact } from '../src/domain/identification.ts'
import { tellIdentification } from '../src/temporal/facts.ts'
import type { VerificationCheckActivities } from '../workflows/activities.ts'
import type { ActivityDeps } from './deps.ts'

const HEARTBEAT_MS = 2_000

export function createVerificationCheckActivities({
  db,
  temporal,
  verify,
  log,
}: ActivityDeps): VerificationCheckActivities {
  return {
    async runVerificationCheck({ id, vaultId, checkId }) {
      const identification = await findIdentification(db, vaultId, id)
      if (identification?.state.waitingOn !== 'provider') return
      const heartbeat = setInterval(() => Context.current().heartbeat(), HEARTBEAT_MS)
      let result: CheckResult
      try {
        result = await verify(identification)
      } catch (err) {
        log.warn({ err, identificationId: id }, 'the verification provider did not answer')
        throw ApplicationFailure.retryable('the provider did not answer', 'provider_unavailable')
      } finally {
        clearInterval(heartbeat)
      }
      const since = identification.waitingSince.getTime()
      // Run again, it may look at something that was sent since: that is another fact.
      const finished: IdentificationFact = {
        id: `${checkId}-${since}`,
        kind: 'check_finished',
        since,
        ...result,
      }
      await tellIdentification(db, temporal, { id, vaultId }, finished)
    },
  }
}
