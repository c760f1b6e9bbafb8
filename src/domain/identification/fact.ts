/** Rules for the effect of each fact on an identification, and for the resulting events. */
import type { ReasonCode } from '../decision/decision.ts'
import { formApplying } from '../decision/profile-change.ts'
import { screeningProblem } from '../screening/screening.ts'
import {
  changed,
  MAX_HOLDS,
  reviewOf,
  underForm,
  withHold,
  withMove,
  withoutHold,
  withoutProposal,
} from './change.ts'
import {
  type CheckOutcome,
  decideIdentification,
  isIdentificationEnded,
  type KnownFact,
  moveKindOf,
  type Outcome,
} from './identification.ts'
import { filesIn, fillIn, formOf } from './person-form.ts'
import type { IdentificationRecord, Verifier } from './record.ts'

/** Applies a fact and returns the transition. If the fact arrives too late to matter, the record is unchanged. */
export function transitionOnFact<R extends IdentificationRecord>(record: R, fact: KnownFact, now: Date) {
  const settled = withoutProposal(record)
  const after = afterFact(settled, fact, now)
  return after === settled ? { record, events: [] } : changed(settled, after)
}

function afterFact<R extends IdentificationRecord>(record: R, fact: KnownFact, now: Date): R {
  const { state } = record
  if (isIdentificationEnded(state)) return record
  switch (fact.kind) {
    case 'review_finished': {
      const next = { ...record, state: { ...state, awaitsKyb: false } }
      return moveIfAllowed(next, fact, fact.outcome, now, 'application') ?? record
    }
    case 'check_finished': {
      if (state.waitingOn !== 'provider') return record
      // A hit causes no event, because clients must not learn of the hit.
      const isHit = fact.outcome === 'approved' && screeningProblem(record, 'approve') !== null
      if (fact.outcome === 'manual' || isHit || isDisputed(record, fact.outcome))
        return { ...record, state: { ...state, waitingOn: 'operator' } }
      if (fact.outcome === 'initiated') return withInformationRequest(record, fact, now)
      return moveIfAllowed(record, fact, fact.outcome, now, 'provider') ?? record
    }
    case 'case_opened': {
      const known = state.holds.some((hold) => hold.id === fact.caseId)
      const full = state.holds.length >= MAX_HOLDS
      return known || full ? record : withHold(record, fact.caseId, fact.owner, fact.services)
    }
    case 'case_closed':
      return withoutHold(record, fact.caseId)
    case 'file_lost':
      return withoutLostPhoto(record, fact.fileId, now)
    case 'profile_applies': {
      const isOpen = decideIdentification(state, 'change_profile') === null
      const form = isOpen ? formApplying(record.later, now) : null
      return form ? underForm(record, form) : record
    }
    case 'beneficiary_removed':
    case 'beneficiary_changed':
      return { ...record, state: { ...state, verification: 'closed', waitingOn: 'nobody' } }
  }
}

/** Requests a lost photo again, unless the verification has a result. */
function withoutLostPhoto<R extends IdentificationRecord>(record: R, fileId: string, now: Date): R {
  const { profile, state } = record
  const fields = filesIn(formOf(record)).filter((name) => profile[name] === fileId)
  if (fields.length === 0 || (state.verification !== 'initiated' && state.verification !== 'attention'))
    return record
  if (state.waitingOn === 'operator' || state.waitingOn === 'provider')
    return withInformationRequest(record, { reasonCode: 'documents_missing', fields }, now)
  const missing = Object.fromEntries(fields.map((name) => [name, null]))
  return { ...record, profile: fillIn(profile, missing) }
}

/**
 * Returns whether the applicant has disputed a correction. If so, an operator must read the replies before a check
 * approves the person or requests changes again.
 */
const isDisputed = ({ review }: IdentificationRecord, outcome: CheckOutcome): boolean =>
  (review?.replies ?? []).length > 0 && (outcome === 'approved' || outcome === 'initiated')

/** Returns the identification to the applicant for changes. The verification remains `initiated`. */
function withInformationRequest<R extends IdentificationRecord>(
  record: R,
  {
    reasonCode = 'other',
    fields = [],
  }: { readonly reasonCode?: ReasonCode; readonly fields?: readonly string[] },
  now: Date,
): R {
  const review = reviewOf(record, 'initiated', { reasonCode }, fields, now, 'provider')
  return { ...withMove(record, 'request_information'), review }
}

/** Applies the transition. Returns null if the state does not allow it. */
function moveIfAllowed<R extends IdentificationRecord>(
  record: R,
  { reasonCode, clientComment }: { readonly reasonCode?: ReasonCode; readonly clientComment?: string },
  outcome: Outcome,
  now: Date,
  by: Verifier,
): R | null {
  const kind = moveKindOf(outcome)
  if (decideIdentification(record.state, kind) !== null) return null
  const usual = outcome === 'approved' ? 'complete' : 'other'
  const decision = { reasonCode: reasonCode ?? usual, clientComment }
  const review = reviewOf(record, outcome, decision, [], now, by)
  return { ...withMove(record, kind), review }
}
