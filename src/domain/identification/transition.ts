/** Rules for the effect of each command on an identification, and for the resulting events. */

import type { Problem } from '../base/errors.ts'
import { needsSecondOperator } from '../decision/confirmation.ts'
import {
  type Confirmation,
  type Correction,
  findReasonProblem,
  findVersionProblem,
  NOTHING_TO_CORRECT,
  type Replying,
  withReply,
} from '../decision/decision.ts'
import { formAfter, type ProfileChange } from '../decision/profile-change.ts'
import { RISKS, type Risk } from '../decision/risk.ts'
import type { TransitionContext } from '../decision/transition.ts'
import { screeningProblem } from '../screening/screening.ts'
import {
  block,
  changed,
  close,
  type Transitioned,
  underForm,
  withoutHold,
  withoutProposal,
} from './change.ts'
import { decide } from './decision.ts'
import { type BlockReason, isInternal } from './holds.ts'
import {
  decideIdentification,
  isMove,
  isOfApplicants,
  isOfOperators,
  MOVES,
  type Outcome,
} from './identification.ts'
import {
  fillIn,
  findPersonDue,
  formOf,
  hasConsented,
  isWithdrawal,
  outsideLimits,
  type PersonFile,
  requiredOfApplicant,
  unusedPhotoFields,
} from './person-form.ts'
import type { Profile } from './profile.ts'
import type { Account, HoldLifting, IdentificationDecision, IdentificationRecord } from './record.ts'
import { risksOfPerson } from './risk.ts'

export type IdentificationCommand =
  | { readonly kind: 'close' | 'unblock' }
  | IdentificationDecision
  | HoldLifting
  | Confirmation
  | ProfileChange
  | {
      readonly kind: 'block'
      readonly holdId: string
      readonly reason: BlockReason
      readonly notes?: string | undefined
    }
  | {
      readonly kind: 'edit_profile'
      readonly changes: Readonly<Record<string, string | null>>
      /** The new document among the changes, which the client has uploaded. */
      readonly fileId?: string
    }
  | { readonly kind: 'add_account'; readonly account: Account }
  | { readonly kind: 'fill_in'; readonly changes: Readonly<Record<string, string | null>> }
  | { readonly kind: 'attach'; readonly attribute: PersonFile; readonly fileId: string }
  | { readonly kind: 'detach'; readonly attribute: PersonFile }
  | Replying
  | { readonly kind: 'submit' }

/**
 * Returns the identification after the command, or all problems. If nothing changes, returns the same record and no
 * events.
 */
export function transitionIdentification<R extends IdentificationRecord>(
  record: R,
  command: IdentificationCommand,
  context: TransitionContext,
): Transitioned<R> {
  if (record.erasedAt)
    return {
      problems: [{ code: 'identification_erased', ...(isOfOperators(command.kind) && { status: 422 }) }],
    }
  const stale = findVersionProblem(command, record.state)
  if (stale) return { problems: [stale] }
  const problems = [
    refusalOfBeneficiary(record, command.kind) ??
      decideIdentification(record.state, command.kind) ??
      refusalWithoutConsent(record, command) ??
      screeningProblem(record, command.kind),
    findReasonProblem(outcomeOf(record, command), command),
  ].filter((problem) => problem !== null)
  if (problems.length > 0) return { problems }
  if (command.kind === 'confirm') return confirm(record, context)
  if (isProposed(record, command, context)) return propose(record, command, context)
  const settled = concernsProposal(record, command.kind) ? withoutProposal(record) : record
  const result = apply(settled, command, context)
  // A command without effect keeps a pending decision.
  return 'record' in result && result.record === settled && command.kind !== 'withdraw'
    ? { record, events: [] }
    : result
}

/** Returns the outcome of the decision that the command makes or confirms. */
function outcomeOf({ proposal }: IdentificationRecord, { kind }: IdentificationCommand): Outcome | undefined {
  const decided = kind === 'confirm' ? proposal?.kind : kind
  return decided && isMove(decided) ? MOVES[decided].to : undefined
}

/** Returns whether the command affects the pending decision. Edits do not affect a decision to lift a hold. */
const concernsProposal = ({ state }: IdentificationRecord, kind: IdentificationCommand['kind']): boolean =>
  state.pending?.kind !== 'close_case' ||
  !(isOfApplicants(kind) || kind === 'edit_profile' || kind === 'add_account')

type Proposable = IdentificationDecision | HoldLifting

/** Returns the reasons for a high risk that follow from the profile and from the company's application. */
export const risksOfIdentification = (
  record: Pick<IdentificationRecord, 'profile' | 'policy' | 'confirmedHits' | 'companyRisks'>,
): Risk[] => {
  const own = risksOfPerson(record.profile, record)
  return RISKS.filter((risk) => own.includes(risk) || record.companyRisks.includes(risk))
}

const isProposed = (
  record: IdentificationRecord,
  command: IdentificationCommand,
  { actor }: TransitionContext,
): command is Proposable =>
  needsSecondOperator(command.kind, record.policy, risksOfIdentification(record), actor)

/** Validates the complete decision, and then stores it until a second operator approves it. */
function propose<R extends IdentificationRecord>(
  record: R,
  decision: Proposable,
  context: TransitionContext,
): Transitioned<R> {
  const trial = apply(record, decision, context)
  if ('problems' in trial || trial.record === record) return trial
  const { state } = record
  const pending = {
    kind: decision.kind === 'close_case' || decision.kind === 'reject' ? decision.kind : 'approve',
    ...(decision.kind === 'close_case' && { caseId: decision.caseId }),
    by: context.actor,
    since: context.now.toISOString(),
    waitedOn: state.waitingOn,
  } as const
  const waitsOnOperator = decision.kind !== 'close_case' || state.waitingOn === 'nobody'
  const waitingOn = waitsOnOperator ? 'operator' : state.waitingOn
  return changed(record, { ...record, state: { ...state, waitingOn, pending }, proposal: decision })
}

/** Applies the decision exactly as the first operator made it. */
function confirm<R extends IdentificationRecord>(record: R, context: TransitionContext): Transitioned<R> {
  const { proposal, state } = record
  if (!proposal || !state.pending) return { problems: [{ code: 'no_decision_pending' }] }
  if (state.pending.by === context.actor) return { problems: [{ code: 'same_operator' }] }
  const settled = withoutProposal(record)
  const refusal =
    decideIdentification(settled.state, proposal.kind) ?? screeningProblem(record, proposal.kind)
  return refusal ? { problems: [refusal] } : apply(settled, proposal, context)
}

/**
 * The maximum number of accounts. Placing a hold writes one row for each service of each account in one transaction.
 */
const MAX_ACCOUNTS = 1_000
const TOO_MANY_ACCOUNTS = 'The identification already has 1,000 accounts. Use an existing account.'

/** Applies a command that needs no second approval. */
function apply<R extends IdentificationRecord>(
  record: R,
  command: Exclude<IdentificationCommand, { kind: 'confirm' }>,
  context: TransitionContext,
): Transitioned<R> {
  const { state } = record
  switch (command.kind) {
    case 'withdraw':
      return changed(record, { ...record, state: { ...state } })
    case 'close_case':
      return changed(record, withoutHold(record, command.caseId))
    case 'close':
      return changed(record, close(record, context))
    case 'block':
      return changed(record, block(record, command.holdId))
    case 'unblock':
      return changed(record, { ...record, state: { ...state, holds: state.holds.filter(isInternal) } })
    case 'edit_profile':
      return editProfile(record, command.changes)
    case 'add_account':
      return record.accounts.length < MAX_ACCOUNTS
        ? changed(record, { ...record, accounts: [...record.accounts, command.account] })
        : { problems: [{ code: 'invalid_transition', message: TOO_MANY_ACCOUNTS }] }
    case 'fill_in':
      return withinLimits(record, enteredOrDeclined(record, command.changes))
    case 'attach':
      return requiredOfApplicant(record.profile, record.form).includes(command.attribute)
        ? changed(record, filledIn(record, { [command.attribute]: command.fileId }))
        : { problems: [{ code: 'invalid', field: 'attribute' }] }
    case 'detach':
      return changed(record, filledIn(record, { [command.attribute]: null }))
    case 'reply':
      return reply(record, command)
    case 'submit': {
      const due = findPersonDue(record.profile, record.review?.corrections ?? [], record.form)
      if (due.length > 0) return { problems: due.map((field) => ({ code: 'requirements_due', field })) }
      const sent = filledIn(record, unusedPhotoFields(record.profile, record.form))
      return changed(record, { ...sent, state: { ...state, waitingOn: 'provider' } })
    }
    case 'change_profile': {
      const form = formAfter({ form: formOf(record), later: record.later }, command)
      return 'problems' in form ? form : changed(record, underForm(record, form))
    }
    default:
      return decide(record, command, context)
  }
}

/** Completes a change to the profile, or returns the problems of values that are outside their limits. */
function withinLimits<R extends IdentificationRecord>(before: R, after: R): Transitioned<R> {
  const problems = before.form ? outsideLimits(before.profile, after.profile, before.form) : []
  return problems.length > 0 ? { problems } : changed(before, after)
}

/** Refuses blocks and accounts for the verification of a beneficiary, which has no accounts. */
const refusalOfBeneficiary = (
  { origin }: IdentificationRecord,
  kind: IdentificationCommand['kind'],
): Problem | null => {
  if (origin !== 'beneficiary') return null
  if (kind === 'block') return { code: 'cannot_block' }
  return kind === 'add_account' ? { code: 'invalid_transition' } : null
}

/** Refuses data without consent, for example if a request arrives after the person has withdrawn consent. */
function refusalWithoutConsent(
  { profile }: IdentificationRecord,
  command: IdentificationCommand,
): Problem | null {
  const adds =
    command.kind === 'attach' ||
    command.kind === 'reply' ||
    (command.kind === 'fill_in' && !('consent' in command.changes))
  return adds && !hasConsented(profile) ? { code: 'requirements_due', field: 'consent' } : null
}

/** Applies the changes. If they withdraw consent, removes the comments about the data from the review. */
function enteredOrDeclined<R extends IdentificationRecord>(
  record: R,
  changes: Readonly<Record<string, string | null>>,
): R {
  const next = filledIn(record, changes)
  if (next === record || !next.review || !isWithdrawal(changes)) return next
  return {
    ...next,
    review: { ...next.review, clientComment: null, findings: [], corrections: [], replies: [], places: [] },
  }
}

function filledIn<R extends IdentificationRecord>(
  record: R,
  changes: Readonly<Record<string, string | null>>,
): R {
  const profile = fillIn(record.profile, changes)
  if (JSON.stringify(profile) === JSON.stringify(record.profile)) return record
  return { ...record, profile, review: corrected(record, profile) }
}

/** Returns the review without the corrections and replies that the new profile resolves. */
function corrected({ profile: before, review }: IdentificationRecord, profile: Profile) {
  if (!review) return null
  const isSame = ({ path }: Correction) => profile[path] === before[path]
  const corrections = review.corrections.filter(isSame)
  return { ...review, corrections, replies: review.replies.filter(isSame) }
}

function reply<R extends IdentificationRecord>(record: R, command: Replying): Transitioned<R> {
  const { review } = record
  const answers = review && withReply(review, command)
  if (!answers) return { problems: [NOTHING_TO_CORRECT] }
  return changed(record, { ...record, review: { ...review, ...answers } })
}

/** Returns whether the name comes from the application. If it does, the name can be changed only in the application. */
const isNamedByApplication = ({ kind, origin }: IdentificationRecord): boolean =>
  kind === 'company' && (origin === 'kyb_application' || origin === 'hosted')
const NAMED = 'The company’s name belongs to its application. To change the name, use PATCH /kyb/{id}.'

/**
 * Changes the profile. Names can change only before the verification. If the client had to provide data, or if a check
 * of the earlier data is running, an operator acts next.
 */
function editProfile<R extends IdentificationRecord>(
  record: R,
  changes: Readonly<Record<string, string | null>>,
): Transitioned<R> {
  if (isNamedByApplication(record)) {
    const own = ['name', 'surname'].filter((field) => field in changes)
    if (own.length > 0)
      return { problems: own.map((field) => ({ code: 'invalid', field, message: NAMED }) as const) }
  }
  if (record.state.verification !== 'initiated') {
    const fixed = ['name', 'surname'].filter((field) => field in changes)
    if (fixed.length > 0)
      return { problems: fixed.map((field) => ({ code: 'already_verified', field }) as const) }
  }
  const profile = fillIn(record.profile, changes)
  const same = JSON.stringify(profile) === JSON.stringify(record.profile)
  const { state } = record
  const answered = (state.waitingOn === 'client' || state.waitingOn === 'provider') && !state.awaitsKyb
  const next = {
    ...record,
    profile,
    review: corrected(record, profile),
    state: answered ? { ...state, waitingOn: 'operator' as const } : state,
  }
  return withinLimits(record, same ? record : next)
}
