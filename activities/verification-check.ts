/** Activities for verification checks. One calls the provider, and the other waits for a result that arrives later. */

import { CompleteAsyncError, Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import { findIdentification } from '../src/db/cases/identification.ts'
import {
  beginCheck,
  findCheck,
  giveUpCheck,
  readAnswerWait,
  recordAcceptance,
  recordAnswer,
  recordTaskToken,
} from '../src/db/cases/verification-check.ts'
import { insertCheckFact } from '../src/db/commands/pending-fact.ts'
import { type Database, transaction } from '../src/db/connection/database.ts'
import type { Ref } from '../src/domain/entity/entity.ts'
import type { Identification } from '../src/domain/identification/record.ts'
import { isAbout, type VerificationCheck } from '../src/domain/identification/verification-check.ts'
import { sendFacts } from '../src/temporal/facts.ts'
import type { PendingCheck, VerificationCheckActivities } from '../workflows/activities.ts'
import type { ActivityDeps } from './deps.ts'
import { inCheckSpan } from './spans.ts'
import type { ProviderAnswer } from './verification-provider.ts'

const HEARTBEAT_MS = 2_000

export function createVerificationCheckActivities({
  db,
  temporal,
  provider,
  verificationAnswerHours,
  verificationLimits,
  log,
}: ActivityDeps): VerificationCheckActivities {
  /**
   * Writes the result of a check. If the identification still waits for the check, also writes the fact that the check
   * has ended.
   */
  const settle = (
    own: Database,
    { id, vaultId, identificationId }: VerificationCheck,
    write: (tx: Database) => Promise<void>,
  ) =>
    transaction(own, async (tx) => {
      await write(tx)
      const check = await findCheck(tx, id)
      const identification = await findIdentification(tx, vaultId, identificationId)
      const isWaiting = identification?.state.waitingOn === 'provider'
      if (check && isWaiting && isAbout(check, identification)) await insertCheckFact(tx, check)
    })

  /** Records that a limit prevented a check, so that an operator decides. */
  async function stop(own: Database, check: VerificationCheck): Promise<void> {
    log.warn(
      { checkId: check.id, vaultId: check.vaultId, ...own.span.logFields },
      'limit on verification checks reached; an operator will decide',
    )
    await settle(own, check, async () => {})
  }

  async function keep(own: Database, check: VerificationCheck, answer: ProviderAnswer): Promise<void> {
    if (answer === 'later') await recordAcceptance(own, check.id)
    else if (answer === 'refused') {
      log.warn(
        { checkId: check.id, ...own.span.logFields },
        'verification provider refused a check; an operator will decide',
      )
      await settle(own, check, (tx) => giveUpCheck(tx, check.id, 'refused'))
    } else await settle(own, check, (tx) => recordAnswer(tx, check.id, answer))
  }

  async function ask(own: Database, identification: Identification, check: VerificationCheck): Promise<void> {
    const heartbeat = setInterval(() => Context.current().heartbeat(), HEARTBEAT_MS)
    try {
      await keep(own, check, await provider.verify(identification, check, own.span))
    } catch (err) {
      log.warn({ err, checkId: check.id, ...own.span.logFields }, 'verification provider did not respond')
      throw ApplicationFailure.retryable('the provider did not respond', 'provider_unavailable')
    } finally {
      clearInterval(heartbeat)
    }
  }

  /**
   * Returns how long to wait for the result, or null if no result is awaited. Settles the check if its time limit has
   * passed.
   */
  async function pending(own: Database, check: VerificationCheck): Promise<PendingCheck | null> {
    const { id, acceptedAt, settledAt } = check
    if (!acceptedAt || settledAt) return null
    const waitMs = await readAnswerWait(own, id, verificationAnswerHours)
    if (waitMs > 0) return { checkId: id, waitMs: Math.max(waitMs, 1_000) }
    log.warn(
      { checkId: id, ...own.span.logFields },
      'verification provider did not respond in time; an operator will decide',
    )
    await settle(own, check, (tx) => giveUpCheck(tx, id, 'no_answer'))
    return null
  }

  async function run(own: Database, { id, vaultId }: Ref): Promise<PendingCheck | null> {
    for (;;) {
      const identification = await findIdentification(own, vaultId, id)
      if (identification?.state.waitingOn !== 'provider') return null
      const check = await beginCheck(own, identification, provider.name, verificationLimits)
      if (check.failure === 'limit_reached') await stop(own, check)
      if (!check.acceptedAt && !check.settledAt) await ask(own, identification, check)
      const after = await findIdentification(own, vaultId, id)
      // During the call, the identification stopped waiting on the provider and then waited on it again. The workflow
      // did not notice this change.
      if (after?.state.waitingOn === 'provider' && !isAbout(check, after)) continue
      const known = await findCheck(own, check.id)
      const left = known && (await pending(own, known))
      if (left) return left
      await sendFacts(own, temporal, id)
      return null
    }
  }

  return {
    runVerificationCheck: (ref) =>
      inCheckSpan(db, { entity: 'identification', ...ref }, (own) => run(own, ref)),

    async awaitVerificationAnswer(checkId) {
      const token = Buffer.from(Context.current().info.taskToken).toString('base64')
      if (await recordTaskToken(db, checkId, token)) throw new CompleteAsyncError()
    },
  }
}
