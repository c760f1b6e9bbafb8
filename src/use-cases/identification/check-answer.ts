/** Records a provider's result for a check. The first result is final. */

import { getIdentificationForUpdate } from '../../db/cases/identification.ts'
import { findCheck, getCheckForUpdate, recordAnswer } from '../../db/cases/verification-check.ts'
import { insertCheckFact } from '../../db/commands/pending-fact.ts'
import { appendTimeline } from '../../db/commands/timeline.ts'
import { type Database, transaction } from '../../db/connection/database.ts'
import { RequestRefused } from '../../domain/base/errors.ts'
import {
  type CheckResult,
  identificationStatus,
  isFilledIn,
} from '../../domain/identification/identification.ts'
import {
  isAbout,
  isSameResult,
  type VerificationCheck,
} from '../../domain/identification/verification-check.ts'

interface AnsweredCheck {
  readonly check: VerificationCheck
  /** Whether the identification waits on this result. */
  readonly isAwaited: boolean
}

/**
 * Records a result. Throws `not_found` if there is no such check, and `check_answered` if the check already has
 * another result.
 */
export async function answerCheck(db: Database, id: string, result: CheckResult): Promise<AnsweredCheck> {
  const answered = await transaction(db, (tx) => recordCheckAnswer(tx, id, result))
  // Throws after the commit, so that the timeline records the contradiction.
  if (!answered) throw new RequestRefused({ code: 'check_answered' })
  return answered
}

/** Records a result. Returns null if the check already has another one. */
async function recordCheckAnswer(
  tx: Database,
  id: string,
  result: CheckResult,
): Promise<AnsweredCheck | null> {
  const asked = await findCheck(tx, id)
  const identification =
    asked && (await getIdentificationForUpdate(tx, asked.vaultId, asked.identificationId))
  const before = identification && (await getCheckForUpdate(tx, id))
  if (!identification || before?.provider !== 'http') throw new RequestRefused({ code: 'not_found' })
  if (result.fields && !isFilledIn(identification)) {
    const message = 'Only an applicant on the hosted pages can correct fields. Remove this field.'
    throw new RequestRefused({ code: 'invalid', field: 'fields', message })
  }
  const status = identificationStatus(identification.state)
  const { id: identificationId, vaultId } = identification
  const target = { entity: 'identification', id: identificationId, vaultId } as const
  const entry = {
    actor: 'provider',
    from: status,
    to: status,
    reasonCode: result.reasonCode,
  } as const
  const isAwaited = identification.state.waitingOn === 'provider' && isAbout(before, identification)
  if (before.result) {
    if (isSameResult(before.result, result)) return { check: before, isAwaited }
    const causeId = `check-contradicted-${id}-${result.outcome}`
    await appendTimeline(tx, target, { ...entry, action: 'check_contradicted', causeId })
    return null
  }
  await recordAnswer(tx, id, result)
  const check = (await findCheck(tx, id)) ?? before
  if (isAwaited) await insertCheckFact(tx, check)
  if (!isAwaited || before.failure !== null)
    await appendTimeline(tx, target, {
      ...entry,
      action: 'check_finished_without_effect',
      causeId: `check-late-${id}`,
    })
  return { check, isAwaited }
}
