/** What each command and fact makes of an identification, and which events that causes. Pure. */
import { needsSecondOperator } from './confirmation.ts'
import {
  type Confirmation,
  type Correction,
  correctionsOf,
  type Decision,
  type ReasonCode,
  staleness,
} from './decision.ts'
import type { Problem } from './errors.ts'
import type { GatehouseEvent } from './events.ts'
import {
  type BlockReason,
  type Hold,
  type HoldOwner,
  isCase,
  SERVICES,
  type Service,
  servicesOf,
} from './holds.ts'
import {
  decideIdentification,
  identificationEnded,
  isFilledIn,
  type KnownFact,
  MOVES,
  type MoveKind,
  moveTo,
  type Outcome,
} from './identification.ts'
import { accountEvents, statusEvents } from './identification-events.ts'
import type {
  Account,
  CaseClosing,
  IdentificationDecision,
  IdentificationRecord,
  IdentificationReview,
} from './identification-record.ts'
import {
  fillIn,
  isPersonFile,
  PERSON_PATHS,
  type PersonFile,
  personDue,
  requiredOfApplicant,
} from './person-form.ts'
import type { Profile } from './profile.ts'
import { risksOfPerson } from './risk.ts'
import { heldUp, sameSubjects, subjectsOfIdentification } from './screening.ts'
import type { TransitionContext } from './transition.ts'

export type IdentificationCommand =
  | { readonly kind: 'close' | 'unblock' }
  | IdentificationDecision
  | CaseClosing
  | Confirmation
  | {
      readonly kind: 'block'
      readonly holdId: string
      readonly reason: BlockReason
      readonly notes?: string | undefined
    }
  | { readonly kind: 'edit_profile'; readonly changes: Profile }
  | { readonly kind: 'add_account'; readonly account: Account }
  | { readonly kind: 'fill_in'; readonly changes: Readonly<Record<string, string | null>> }
  | { readonly kind: 'attach'; readonly attribute: PersonFile; readonly fileId: string }
  | { readonly kind: 'detach'; readonly attribute: PersonFile }
  | { readonly kind: 'submit' }

interface IdentificationTransition<R> {
  readonly record: R
  readonly events: readonly GatehouseEvent[]
}

type Transitioned<R> = IdentificationTransition<R> | { readonly problems: readonly Problem[] }

/** The identification after the command, or why not. Nothing changed means the same record, no event. */
export function transitionIdentification<R extends IdentificationRecord>(
  record: R,
  command: IdentificationCommand,
  context: TransitionContext,
): Transitioned<R> {
  if (record.erasedAt) return { problems: [{ code: 'identification_erased' }] }
  const refusal =
    staleness(command, record.state) ??
    refusalOfCheck(record, command.kind) ??
    decideIdentification(record.state, command.kind) ??
    heldUp(record, command.kind)
  if (refusal) return { problems: [refusal] }
  if (command.kind === 'confirm') return confirm(record, context)
  if (isProposed(record, command, context)) return propose(record, command, context)
  const settled = concernsProposal(record, command.kind) ? withoutProposal(record) : record
  const result = apply(settled, command, context)
  // What changes nothing leaves the decision that waits as it is.
  return 'record' in result && result.record === settled && command.kind !== 'withdraw'
    ? { record, events: [] }
    : result
}

/** What is entered and added meanwhile has nothing to do with the closing of a case. */
const BESIDE_CASES: readonly IdentificationCommand['kind'][] = [
  'fill_in',
  'attach',
  'detach',
  'submit',
  'edit_profile',
  'add_account',
]
const concernsProposal = ({ state }: IdentificationRecord, kind: IdentificationCommand['kind']): boolean =>
  state.pending?.kind !== 'close_case' || !BESIDE_CASES.includes(kind)

/** Whatever changes the identification, a decision about what it was no longer waits. */
function withoutProposal<R extends IdentificationRecord>(record: R): R {
  const { pending, waitingOn } = record.state
  if (!pending) return record
  // The closing of a case takes nobody's turn, so that is whose it is now.
  const isTaken = pending.kind !== 'close_case' || pending.waitedOn === 'nobody'
  const state = { ...record.state, waitingOn: isTaken ? pending.waitedOn : waitingOn, pending: null }
  return { ...record, state, proposal: null }
}

type Proposable = IdentificationDecision | CaseClosing

/** What makes the person a high risk. */
export const risksOf = (record: Pick<IdentificationRecord, 'profile' | 'policy' | 'confirmedHits'>) =>
  risksOfPerson(record.profile, record)

const isProposed = (
  record: IdentificationRecord,
  command: IdentificationCommand,
  { actor }: TransitionContext,
): command is Proposable => needsSecondOperator(command.kind, record.policy, risksOf(record), actor)

/** The decision is looked at whole, and then waits. */
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
  const takesTurn = decision.kind !== 'close_case' || state.waitingOn === 'nobody'
  const waitingOn = takesTurn ? 'operator' : state.waitingOn
  return changed(record, { ...record, state: { ...state, waitingOn, pending }, proposal: decision })
}

/** Takes effect as it was decided. */
function confirm<R extends IdentificationRecord>(record: R, context: TransitionContext): Transitioned<R> {
  const { proposal, state } = record
  if (!proposal || !state.pending) return { problems: [{ code: 'no_decision_pending' }] }
  if (state.pending.by === context.actor) return { problems: [{ code: 'same_operator' }] }
  const settled = withoutProposal(record)
  const refusal = decideIdentification(settled.state, proposal.kind) ?? heldUp(record, proposal.kind)
  return refusal ? { problems: [refusal] } : apply(settled, proposal, context)
}

/** What the command makes of it when nothing else is to be waited for. */
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
      return changed(record, withoutCase(record, command.caseId))
    case 'close':
      return changed(record, close(record, context))
    case 'block':
      return changed(record, block(record, command.holdId))
    case 'unblock':
      return changed(record, { ...record, state: { ...state, holds: state.holds.filter(isCase) } })
    case 'edit_profile':
      return editProfile(record, command.changes)
    case 'add_account':
      return changed(record, { ...record, accounts: [...record.accounts, command.account] })
    case 'fill_in':
      return changed(record, filledIn(record, command.changes))
    case 'attach':
      return requiredOfApplicant(record.profile).includes(command.attribute)
        ? changed(record, filledIn(record, { [command.attribute]: command.fileId }))
        : { problems: [{ code: 'invalid', field: 'attribute' }] }
    case 'detach':
      return changed(record, filledIn(record, { [command.attribute]: null }))
    case 'submit': {
      const due = personDue(record.profile, record.review?.corrections ?? [])
      if (due.length > 0) return { problems: due.map((field) => ({ code: 'requirements_due', field })) }
      return changed(record, { ...record, state: { ...state, waitingOn: 'provider' } })
    }
    default:
      return decide(record, command, context)
  }
}

/** The check of a beneficiary has no account, and so nothing to block. */
const refusalOfCheck = (
  { origin }: IdentificationRecord,
  kind: IdentificationCommand['kind'],
): Problem | null => {
  if (origin !== 'beneficiary') return null
  if (kind === 'block') return { code: 'cannot_block' }
  return kind === 'add_account' ? { code: 'invalid_transition' } : null
}

/** With what was entered: changing what is to be mended settles it. */
function filledIn<R extends IdentificationRecord>(
  record: R,
  changes: Readonly<Record<string, string | null>>,
): R {
  const profile = fillIn(record.profile, changes)
  if (JSON.stringify(profile) === JSON.stringify(record.profile)) return record
  const isOpen = ({ path }: Correction) => profile[path] === record.profile[path]
  const { review } = record
  const next = { ...record, profile }
  return review?.corrections
    ? { ...next, review: { ...review, corrections: review.corrections.filter(isOpen) } }
    : next
}

function decide<R extends IdentificationRecord>(
  record: R,
  { kind, fields = [], ...decision }: IdentificationDecision,
  context: TransitionContext,
) {
  const problems = unknownPaths(record, kind, fields, decision)
  if (problems.length > 0) return { problems }
  return changed(record, {
    ...moved(record, kind),
    review: reviewOf(MOVES[kind].to, decision, fields, context.now),
  })
}

/** What a decision names and the applicant did not enter, or could not mend. */
function unknownPaths(
  record: IdentificationRecord,
  kind: MoveKind,
  fields: readonly string[],
  { findings = [] }: Decision,
): Problem[] {
  const required = requiredOfApplicant(record.profile)
  const wrong = (field: string, message: string): Problem => ({ code: 'invalid', field, message })
  const mendable = (path: string) =>
    PERSON_PATHS.includes(path) && (!isPersonFile(path) || required.includes(path))
  const asks = kind === 'request_information'
  const check = (field: string, isKnown: boolean): Problem[] => {
    if (asks && !isFilledIn(record))
      return [wrong(field, 'Only an applicant who fills in hosted pages can mend it.')]
    return isKnown ? [] : [wrong(field, `Choose from: ${PERSON_PATHS.join(', ')}.`)]
  }
  return [
    ...fields.flatMap((path, index) =>
      asks
        ? check(`fields.${index}`, mendable(path))
        : [wrong(`fields.${index}`, 'Only an applicant who fills in hosted pages can mend it.')],
    ),
    ...findings.flatMap(({ path, fileId }, index) => {
      const isKnown = mendable(path) || (!asks && Object.hasOwn(record.profile, path))
      const isOther = fileId !== undefined && fileId !== record.profile[path]
      if (isOther) return [wrong(`findings.${index}.file_id`, 'The field does not have this file.')]
      return check(`findings.${index}.path`, isKnown)
    }),
  ]
}

function reviewOf(
  outcome: Outcome,
  decision: Decision,
  fields: readonly string[],
  now: Date,
): IdentificationReview {
  const { reasonCode, clientComment = null, findings = [] } = decision
  const decidedAt = Math.floor(now.getTime() / 1000)
  const corrections = outcome === 'initiated' ? correctionsOf(decision, fields) : []
  return { outcome, reasonCode, clientComment, findings, decidedAt, corrections }
}

const moved = <R extends IdentificationRecord>(record: R, kind: MoveKind): R => {
  const { to: verification, waitingOn: usual } = MOVES[kind]
  const waitingOn = kind === 'request_information' && isFilledIn(record) ? 'applicant' : usual
  return { ...record, state: { ...record.state, verification, waitingOn } }
}

const held = <R extends IdentificationRecord>(
  record: R,
  id: string,
  owner: HoldOwner,
  services: readonly Service[] = servicesOf(record.internalSettlements),
): R => {
  const hold: Hold = { id, owner, services }
  return { ...record, state: { ...record.state, holds: [...record.state.holds, hold] } }
}

/** Before verification finished it ends the identification; afterwards it blocks it for good. */
function close<R extends IdentificationRecord>(record: R, { newId }: TransitionContext): R {
  if (record.state.verification === 'approved') return held(record, newId(), 'closure', SERVICES)
  return { ...record, state: { ...record.state, verification: 'closed', waitingOn: 'nobody' } }
}

/** The client has one hold of its own at the most. */
function block<R extends IdentificationRecord>(record: R, holdId: string): R {
  const own = record.state.holds.some((hold) => !isCase(hold))
  return own ? record : held(record, holdId, 'client')
}

/**
 * Names are what was verified: they change only until then. Who was asked for more has
 * answered by it; a check that is under way saw other data, so its result no longer decides.
 */
function editProfile<R extends IdentificationRecord>(record: R, changes: Profile) {
  if (record.state.verification !== 'initiated') {
    const fixed = ['name', 'surname'].filter((field) => field in changes)
    if (fixed.length > 0)
      return { problems: fixed.map((field) => ({ code: 'already_verified', field }) as const) }
  }
  const profile = { ...record.profile, ...changes }
  const same = JSON.stringify(profile) === JSON.stringify(record.profile)
  const { state } = record
  const answered = (state.waitingOn === 'client' || state.waitingOn === 'provider') && !state.awaitsKyb
  const next = { ...record, profile, state: answered ? { ...state, waitingOn: 'operator' as const } : state }
  return changed(record, same ? record : next)
}

/** The identification after a fact; the same record when the fact comes too late to change anything. */
export function followFact<R extends IdentificationRecord>(
  record: R,
  fact: KnownFact,
  now: Date,
): IdentificationTransition<R> {
  const settled = withoutProposal(record)
  const after = afterFact(settled, fact, now)
  return after === settled ? { record, events: [] } : changed(settled, after)
}

function afterFact<R extends IdentificationRecord>(record: R, fact: KnownFact, now: Date): R {
  const { state } = record
  if (identificationEnded(state)) return record
  switch (fact.kind) {
    case 'kyb_processed': {
      const next = { ...record, state: { ...state, awaitsKyb: false } }
      return movedTo(next, fact.outcome) ?? record
    }
    case 'check_finished': {
      if (state.waitingOn !== 'provider') return record
      // Silently: whoever asked for the check is not told of a hit.
      if (fact.outcome === 'manual' || (fact.outcome === 'approved' && heldUp(record, 'approve')))
        return { ...record, state: { ...state, waitingOn: 'operator' } }
      if (fact.outcome === 'initiated') return askedForMore(record, fact, now)
      return movedTo(record, fact.outcome) ?? record
    }
    case 'case_opened': {
      const known = state.holds.some((hold) => hold.id === fact.caseId)
      const full = state.holds.length >= MAX_HOLDS
      return known || full ? record : held(record, fact.caseId, fact.owner, fact.services)
    }
    case 'case_closed':
      return withoutCase(record, fact.caseId)
    case 'beneficiary_removed':
      return { ...record, state: { ...state, verification: 'closed', waitingOn: 'nobody' } }
  }
}

/** The same record when there is no such case. */
function withoutCase<R extends IdentificationRecord>(record: R, caseId: string): R {
  const { state } = record
  const holds = state.holds.filter((hold) => !(hold.id === caseId && isCase(hold)))
  return holds.length === state.holds.length ? record : { ...record, state: { ...state, holds } }
}

/** It stays at the beginning, and is the applicant's again. */
function askedForMore<R extends IdentificationRecord>(
  record: R,
  {
    reasonCode = 'other',
    fields = [],
  }: { readonly reasonCode?: ReasonCode; readonly fields?: readonly string[] },
  now: Date,
): R {
  const review = reviewOf('initiated', { reasonCode }, fields, now)
  return { ...moved(record, 'request_information'), review }
}

/** What a workflow carries is bounded. */
export const MAX_HOLDS = 100

/** Null when its state does not allow the move. */
function movedTo<R extends IdentificationRecord>(record: R, outcome: Outcome): R | null {
  const kind = moveTo(outcome)
  return decideIdentification(record.state, kind) === null ? moved(record, kind) : null
}

/** The version rises with every change; events follow from the two states. */
function changed<R extends IdentificationRecord>(before: R, after: R): IdentificationTransition<R> {
  if (after === before) return { record: before, events: [] }
  const isSame = sameSubjects(
    subjectsOfIdentification(before.kind, before.profile),
    subjectsOfIdentification(after.kind, after.profile),
  )
  const record = {
    ...after,
    state: { ...after.state, version: before.state.version + 1 },
    screenedWith: isSame ? after.screenedWith : null,
  }
  return { record, events: [...statusEvents(before, record), ...accountEvents(before, record)] }
}
