/** What a provider's answer to a check does: the first one stands, and all others change nothing. */
import { type Database, transaction } from '../db/database.ts'
import { lockIdentification } from '../db/identification.ts'
import { appendTimeline } from '../db/timeline.ts'
import { findCheck, lockCheck, recordAnswer, type VerificationCheck } from '../db/verification-check.ts'
import { RequestRefused } from '../domain/errors.ts'
import { type CheckResult, identificationStatus, isFilledIn } from '../domain/identification.ts'
import { isAbout, isSameResult } from '../domain/verification-check.ts'

export interface AnsweredCheck {
  readonly check: VerificationCheck
  /** Whether the identification is to hear of it. */
  readonly isAwaited: boolean
}

/** Throws RequestRefused when there is no such check, or when it was answered otherwise before. */
export async function answerCheck(db: Database, id: string, result: CheckResult): Promise<AnsweredCheck> {
  const { answered, isContradicted } = await transaction(db, (tx) => answerLocked(tx, id, result))
  if (isContradicted) throw new RequestRefused({ code: 'check_answered' })
  return answered
}

async function answerLocked(tx: Database, id: string, result: CheckResult) {
  const asked = await findCheck(tx, id)
  const identification = asked && (await lockIdentification(tx, asked.vaultId, asked.identificationId))
  const before = identification && (await lockCheck(tx, id))
  if (!identification || before?.provider !== 'http') throw new RequestRefused({ code: 'not_found' })
  if (result.fields && !isFilledIn(identification)) {
    const message = 'Only an applicant who fills in hosted pages can mend it.'
    throw new RequestRefused({ code: 'invalid', field: 'fields', message })
  }
  const record = (action: string, causeId: string) => {
    const status = identificationStatus(identification.state)
    const { vaultId } = before
    const entity = { entity: 'identification', entityId: identification.id } as const
    const { reasonCode } = result
    return appendTimeline(tx, {
      ...{ vaultId, ...entity, action, causeId, reasonCode },
      ...{ actor: 'provider', from: status, to: status },
    })
  }
  const isNew = await recordAnswer(tx, id, result)
  if (!isNew && before.result && !isSameResult(before.result, result)) {
    await record('check_contradicted', `check-contradicted-${id}-${result.outcome}`)
    return { answered: { check: before, isAwaited: false }, isContradicted: true }
  }
  const check = isNew ? ((await findCheck(tx, id)) ?? before) : before
  const isWaiting = identification.state.waitingOn === 'provider' && isAbout(check, identification)
  const isLate = !isWaiting || before.failure !== null
  if (isNew && isLate) await record('check_finished_without_effect', `check-late-${id}`)
  return { answered: { check, isAwaited: isWaiting }, isContradicted: false }
}
