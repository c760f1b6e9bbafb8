/** Rules for the effect of each fact on a KYB application. */
import { formApplying } from '../decision/profile-change.ts'
import type { GatehouseEvent } from '../webhook/events.ts'
import { isKybEnded, type KybFact } from './application.ts'
import { identifiedIn } from './beneficiary-check.ts'
import { changed, underForm, withoutProposal, withSubmission } from './change.ts'
import { progressEvents } from './events.ts'
import { circumstancesOf, type KybRecord } from './record.ts'
import { beneficiaryPath, currentlyDue } from './requirements.ts'

/** Returns the application after the fact. Returns the same record if the fact changes nothing. */
export function transitionOnKybFact<R extends KybRecord>(
  record: R,
  fact: KybFact,
  now: Date,
): { readonly record: R; readonly events: readonly GatehouseEvent[] } {
  if (isKybEnded(record.state)) return { record, events: [] }
  const settled = withoutProposal(record)
  if (fact.kind === 'profile_applies') {
    return underForm(record, formApplying(record.later, now) ?? record.form, now)
  }
  if (fact.kind !== 'company_closed') return recheck(record, settled, fact, now)
  return { record: changed(settled, { status: 'abandoned' }), events: [] }
}

/**
 * Determines the missing fields again after a beneficiary's verification has changed or a file is lost. Resolves only
 * corrections of the identity document of a person whose verification now counts.
 */
function recheck<R extends KybRecord>(record: R, settled: R, fact: KybFact, now: Date) {
  const due = currentlyDue(record.content, circumstancesOf(record, now))
  const proved = [...identifiedIn(record.content, record.checks)].find((personId) =>
    fact.id.includes(record.checks.get(personId)?.id ?? fact.kind),
  )
  const corrections = record.corrections.filter(
    ({ path }) => !proved || path !== beneficiaryPath(proved, 'beneficiary_identification'),
  )
  const isSame = corrections.length === record.corrections.length
  // The check knows the birth date and the nationality, so the person is screened again.
  const screenedWith = proved ? null : record.screenedWith
  const isScreened = screenedWith === record.screenedWith
  if (isSame && isScreened && due.join() === record.currentlyDue.join()) return { record, events: [] }
  const completed = due.length === 0
  const correcting = isSame ? record.state.correcting : corrections.length > 0
  const next = withSubmission<R>({
    ...changed(settled, { completed, correcting }),
    currentlyDue: due,
    corrections,
    screenedWith,
  })
  return { record: next, events: progressEvents(record, next) }
}
