/**
 * The life of an identification (specification, "Identification status"): the one place where its transitions
 * stand. The status is derived from the verification and the holds, never assigned.
 */
import type { Pending } from '../decision/confirmation.ts'
import type { ReasonCode } from '../decision/decision.ts'
import type { Problem } from '../errors.ts'
import { isUuid } from '../uuid.ts'
import {
  ALL_SERVICES,
  BLOCK_REASONS,
  type BlockReason,
  CASE_OWNERS,
  type CaseOwner,
  type Hold,
  isCase,
  isFullyHeld,
  type Service,
} from './holds.ts'

export const VERIFICATIONS = ['initiated', 'attention', 'approved', 'rejected', 'closed'] as const
export type Verification = (typeof VERIFICATIONS)[number]

export const IDENTIFICATION_STATUSES = [...VERIFICATIONS, 'blocked'] as const
export type IdentificationStatus = (typeof IDENTIFICATION_STATUSES)[number]

export const IDENTIFICATION_PARTIES = ['client', 'applicant', 'provider', 'operator', 'nobody'] as const
export type IdentificationParty = (typeof IDENTIFICATION_PARTIES)[number]

/** How an identification comes into being. */
export const ORIGINS = ['kyb_application', 'soft_kyc', 'hosted', 'import', 'beneficiary'] as const
export type Origin = (typeof ORIGINS)[number]

/** What decides a command: written by every transition, carried by the workflow. */
export interface IdentificationState {
  readonly verification: Verification
  /** Who has to act next; while it is the provider, the workflow runs the verification check. */
  readonly waitingOn: IdentificationParty
  /** The company's application is still open: its review decides, not the operator here. */
  readonly awaitsKyb: boolean
  readonly holds: readonly Hold[]
  readonly version: number
  /** A decision that awaits a second approval. */
  readonly pending: PendingDecision | null
}

interface PendingDecision extends Pending<'approve' | 'reject' | 'close_case'> {
  /** Of `close_case`. */
  readonly caseId?: string
  /** Who had to act before, and has to again when it is withdrawn. */
  readonly waitedOn: IdentificationParty
}

/** What its workflow carries: the state, and what an operator reads beside it. */
export interface IdentificationSnapshot extends IdentificationState {
  readonly kind: 'person' | 'company'
  readonly origin: Origin
  /** Follow from the state by the rules of when it was written. */
  readonly status: IdentificationStatus
  readonly ended: boolean
}

/** Whether a person enters what is verified, by hosted pages. */
export const isFilledIn = ({ kind, origin }: Pick<IdentificationSnapshot, 'kind' | 'origin'>): boolean =>
  kind === 'person' && (origin === 'hosted' || origin === 'beneficiary')

/** What its status is derived from. */
export type Standing = Pick<IdentificationState, 'verification' | 'holds'>

/** Blocked is what an approved identification is while its services are held. */
export const identificationStatus = ({ verification, holds }: Standing): IdentificationStatus =>
  verification === 'approved' && isFullyHeld(holds) ? 'blocked' : verification

/** Only one closed before its verification finished has ended; all others may be blocked or appealed. */
export const isIdentificationEnded = (state: IdentificationState): boolean => state.verification === 'closed'

interface Move {
  readonly from: readonly Verification[]
  readonly to: Verification
  readonly waitingOn: IdentificationParty
}

/** Where decisions, and the results of reviews and checks, take a verification; all else follows from here. */
export const MOVES = {
  approve: { from: ['initiated', 'attention'], to: 'approved', waitingOn: 'nobody' },
  /** From `rejected` it is an appeal. */
  call_attention: { from: ['initiated', 'rejected'], to: 'attention', waitingOn: 'operator' },
  reject: { from: ['initiated', 'attention'], to: 'rejected', waitingOn: 'nobody' },
  request_information: { from: ['initiated', 'attention'], to: 'initiated', waitingOn: 'client' },
} as const satisfies Record<string, Move>
export type MoveKind = keyof typeof MOVES
const MOVE_KINDS = Object.keys(MOVES) as MoveKind[]

/** What a decision can say: each outcome is where one move leads. */
export type Outcome = (typeof MOVES)[MoveKind]['to']
export const OUTCOMES: readonly Outcome[] = MOVE_KINDS.map((kind) => MOVES[kind].to)

const MOVE_TO = Object.fromEntries(MOVE_KINDS.map((kind) => [MOVES[kind].to, kind])) as Record<
  Outcome,
  MoveKind
>
export const isMove = (kind: string): kind is MoveKind => Object.hasOwn(MOVES, kind)
export const moveKindOf = (outcome: Outcome): MoveKind => MOVE_TO[outcome]

export const IDENTIFICATION_COMMANDS = [
  'close',
  'block',
  'unblock',
  'edit_profile',
  'add_account',
  /** An applicant's: what is entered, pictures, that a finding is disputed, and that all is there. */
  'fill_in',
  'attach',
  'detach',
  'reply',
  'submit',
  ...MOVE_KINDS,
  /** An operator's, where it takes two. */
  'close_case',
  'confirm',
  'withdraw',
] as const
export type IdentificationCommandKind = (typeof IDENTIFICATION_COMMANDS)[number]

/** Operators' commands, as opposed to edits. */
export const isDecision = (kind: IdentificationCommandKind): boolean =>
  isMove(kind) || kind === 'close_case' || kind === 'confirm' || kind === 'withdraw'

type Rule = (state: IdentificationState) => Problem | null

const whenStatus =
  (allowed: readonly IdentificationStatus[], problem: Problem): Rule =>
  (state) =>
    allowed.includes(identificationStatus(state)) ? null : problem

/** Edits of what is closed are refused with 403, decisions about it with 422. */
const unlessClosed = (status: 403 | 422): Rule =>
  whenStatus(
    IDENTIFICATION_STATUSES.filter((each) => each !== 'closed'),
    { code: 'identification_closed', status },
  )

const AWAITS_KYB =
  'The review of the company’s application decides this identification. Decide on the application.'

const ASKED_ALREADY =
  'The information has already been requested. Wait for the client or the applicant to provide it.'

const move =
  (kind: MoveKind): Rule =>
  ({ verification, awaitsKyb, pending, waitingOn }) => {
    const from: readonly Verification[] = MOVES[kind].from
    const isTheirTurn = waitingOn === 'client' || waitingOn === 'applicant'
    const isAskedAlready = verification === MOVES[kind].to && isTheirTurn
    if (awaitsKyb && kind !== 'call_attention') return { code: 'invalid_transition', message: AWAITS_KYB }
    if (isAskedAlready) return { code: 'invalid_transition', message: ASKED_ALREADY }
    if (!from.includes(verification)) {
      const message = `The identification is ${verification}. This requires ${from.join(' or ')}.`
      return { code: 'invalid_transition', message }
    }
    return pending ? { code: 'decision_pending' } : null
  }

const whilePending: Rule = ({ pending }) => (pending ? null : { code: 'no_decision_pending' })

const unblock: Rule = (state) => {
  if (identificationStatus(state) !== 'blocked') return { code: 'cannot_unblock' }
  if (state.holds.some(isCase)) return { code: 'blocked_by_internal_case' }
  return state.holds.some(({ owner }) => owner === 'closure') ? { code: 'cannot_unblock' } : null
}

/** While somebody looks at what was sent, nothing of it changes. */
const applicantsTurn: Rule = ({ verification, waitingOn }) =>
  verification === 'initiated' && waitingOn === 'applicant' ? null : { code: 'invalid_transition' }

const RULES: Record<IdentificationCommandKind, Rule> = {
  close: whenStatus(['initiated', 'approved'], { code: 'cannot_close' }),
  block: whenStatus(['approved', 'blocked'], { code: 'cannot_block' }),
  unblock,
  edit_profile: unlessClosed(403),
  add_account: unlessClosed(403),
  fill_in: applicantsTurn,
  attach: applicantsTurn,
  detach: applicantsTurn,
  reply: applicantsTurn,
  submit: applicantsTurn,
  ...(Object.fromEntries(MOVE_KINDS.map((kind) => [kind, move(kind)])) as Record<MoveKind, Rule>),
  close_case: (state) => unlessClosed(422)(state) ?? (state.pending ? { code: 'decision_pending' } : null),
  confirm: whilePending,
  withdraw: whilePending,
}

/** Settles a command: null when the state allows it, else why not. */
export const decideIdentification = (
  state: IdentificationState,
  kind: IdentificationCommandKind,
): Problem | null => RULES[kind](state)

/** The outcomes that an operator can decide now. */
export const offeredMoves = (state: IdentificationState): readonly Outcome[] =>
  OUTCOMES.filter((outcome) => decideIdentification(state, moveKindOf(outcome)) === null)

/** Something that has happened and is never refused; one that comes twice or too late changes nothing. */
export type IdentificationFact =
  | { readonly id: string; readonly kind: 'kyb_processed'; readonly outcome: ReviewEnd }
  /** The row of the check has the result. */
  | { readonly id: string; readonly kind: 'check_finished'; readonly checkId: string }
  | {
      readonly id: string
      readonly kind: 'case_opened'
      readonly caseId: string
      readonly owner: CaseOwner
      /** All that the vault has when it is absent. */
      readonly services?: readonly Service[]
      readonly reason: BlockReason
    }
  | { readonly id: string; readonly kind: 'case_closed'; readonly caseId: string }
  /** Of the application whose beneficiary it checks: the person was removed, or is another one now. */
  | { readonly id: string; readonly kind: 'beneficiary_removed' }
  | { readonly id: string; readonly kind: 'beneficiary_changed' }

/** A fact as it is followed, with what the rows say of it. */
export type KnownFact =
  | Exclude<IdentificationFact, { kind: 'check_finished' | 'kyb_processed' }>
  | (Extract<IdentificationFact, { kind: 'kyb_processed' }> & {
      readonly reasonCode?: ReasonCode
      readonly clientComment?: string
    })
  | ({ readonly id: string; readonly kind: 'check_finished' } & CheckResult)

/** How the review of a company's application can end. */
const REVIEW_ENDS = ['approved', 'rejected'] as const satisfies readonly Outcome[]
type ReviewEnd = (typeof REVIEW_ENDS)[number]

/** The id of the fact that a review ended: there is one for each application. */
export const reviewFactId = (kybId: string): string => `kyb-processed-${kybId}`

export const kybProcessed = (kybId: string, outcome: ReviewEnd): IdentificationFact => ({
  id: reviewFactId(kybId),
  kind: 'kyb_processed',
  outcome,
})

interface Review {
  readonly status: string
  readonly outcome: Outcome | 'revision_requested' | null
  readonly reasonCode: ReasonCode | null
  readonly clientComment: string | null
}

/** Returns the fact of this ID that a review has ended, with its reason and comment. Null for a review that has not. */
export function endOfReview(
  id: string,
  { status, outcome, reasonCode, clientComment }: Review,
): Extract<KnownFact, { kind: 'kyb_processed' }> | null {
  if (status !== 'processed' || (outcome !== 'approved' && outcome !== 'rejected')) return null
  return {
    id,
    kind: 'kyb_processed',
    outcome,
    ...(reasonCode && { reasonCode }),
    ...(clientComment && { clientComment }),
  }
}

interface OpenedCase {
  readonly id: string
  readonly owner: CaseOwner
  readonly services: readonly Service[]
  readonly reason: BlockReason
}

export const caseOpened = ({ id, owner, services, reason }: OpenedCase): IdentificationFact => ({
  id: `case-opened-${id}`,
  kind: 'case_opened',
  caseId: id,
  owner,
  services,
  reason,
})

export const caseClosed = (caseId: string): IdentificationFact => ({
  id: `case-closed-${caseId}`,
  kind: 'case_closed',
  caseId,
})

export const beneficiaryRemoved = (checkId: string): IdentificationFact => ({
  id: `beneficiary-removed-${checkId}`,
  kind: 'beneficiary_removed',
})

export const beneficiaryChanged = (checkId: string): IdentificationFact => ({
  id: `beneficiary-changed-${checkId}`,
  kind: 'beneficiary_changed',
})

/** `manual`: the check does not decide, an operator does; `initiated`: it asks for more. */
export const CHECK_OUTCOMES = [...OUTCOMES, 'manual'] as const
export type CheckOutcome = (typeof CHECK_OUTCOMES)[number]
export interface CheckResult {
  readonly outcome: CheckOutcome
  /** Why, and which of what was entered it wants mended. */
  readonly reasonCode?: ReasonCode
  readonly fields?: readonly string[]
}

/** An id is kept as it is, so it holds nothing that a database cannot hold. */
export const FACT_ID = /^[\x20-\x7e]{1,200}$/

const isOneOf = (values: readonly unknown[], value: unknown) => values.includes(value)
const isFactId = (value: unknown) => typeof value === 'string' && FACT_ID.test(value)
const areServices = (value: unknown) =>
  value === undefined ||
  (Array.isArray(value) && value.length > 0 && value.every((service) => isOneOf(ALL_SERVICES, service)))

const WELL_FORMED: Record<IdentificationFact['kind'], (fact: Record<string, unknown>) => boolean> = {
  kyb_processed: ({ outcome }) => isOneOf(REVIEW_ENDS, outcome),
  check_finished: ({ checkId }) => isUuid(checkId),
  case_opened: ({ caseId, owner, services, reason }) =>
    isUuid(caseId) && isOneOf(CASE_OWNERS, owner) && areServices(services) && isOneOf(BLOCK_REASONS, reason),
  case_closed: ({ caseId }) => isUuid(caseId),
  beneficiary_removed: () => true,
  beneficiary_changed: () => true,
}

/** The fact that a message states, or null when it states none: messages can be sent by hand. */
export function parseFact(message: unknown): IdentificationFact | null {
  if (typeof message !== 'object' || message === null) return null
  const fact = message as Record<string, unknown>
  const known = typeof fact.kind === 'string' && Object.hasOwn(WELL_FORMED, fact.kind)
  const wellFormed = known && isFactId(fact.id) && WELL_FORMED[fact.kind as IdentificationFact['kind']](fact)
  return wellFormed ? (message as IdentificationFact) : null
}
