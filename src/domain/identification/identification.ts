/**
 * Rules for the life cycle of an identification (specification, "Identification status"), with all its transitions. The
 * status always derives from the verification and the holds.
 */

import type { Problem } from '../base/errors.ts'
import { readFact } from '../base/fact.ts'
import { isUuid } from '../base/uuid.ts'
import type { Pending } from '../decision/confirmation.ts'
import type { ReasonCode } from '../decision/decision.ts'
import { nextParty, type ReviewProgress, reviewProgress } from '../decision/review-progress.ts'
import {
  ALL_SERVICES,
  BLOCK_REASONS,
  type BlockReason,
  type Hold,
  INTERNAL_OWNERS,
  type InternalOwner,
  isFullyHeld,
  isInternal,
  type Service,
} from './holds.ts'

export const VERIFICATIONS = ['initiated', 'attention', 'approved', 'rejected', 'closed'] as const
export type Verification = (typeof VERIFICATIONS)[number]

export const IDENTIFICATION_STATUSES = [...VERIFICATIONS, 'blocked'] as const
export type IdentificationStatus = (typeof IDENTIFICATION_STATUSES)[number]

export const IDENTIFICATION_PARTIES = ['client', 'applicant', 'provider', 'operator', 'nobody'] as const
export type IdentificationParty = (typeof IDENTIFICATION_PARTIES)[number]

export const ORIGINS = ['kyb_application', 'soft_kyc', 'hosted', 'import', 'beneficiary'] as const
export type Origin = (typeof ORIGINS)[number]

/** The state that every transition writes and the workflow keeps. It determines whether a command is allowed. */
export interface IdentificationState {
  readonly verification: Verification
  /** The party that acts next. While this is the provider, the workflow runs the verification check. */
  readonly waitingOn: IdentificationParty
  /**
   * Whether the review of the company's application is open. If it is, operators decide on the application and not on
   * the identification.
   */
  readonly awaitsKyb: boolean
  readonly holds: readonly Hold[]
  readonly version: number
  /** The decision that awaits a second approval, or null. */
  readonly pending: PendingDecision | null
}

interface PendingDecision extends Pending<'approve' | 'reject' | 'close_case'> {
  /** The ID of the hold, for a decision to lift a hold. */
  readonly caseId?: string
  /** The party that acted next before the decision, and that acts again if the decision is withdrawn. */
  readonly waitedOn: IdentificationParty
}

/** The data that the workflow keeps, which is the state and the details that operators see in the Temporal UI. */
export interface IdentificationSnapshot extends IdentificationState {
  readonly kind: 'person' | 'company'
  readonly origin: Origin
  /** The status, which was derived from the state when the snapshot was written. */
  readonly status: IdentificationStatus
  readonly ended: boolean
}

/** Returns whether a person enters the data on hosted pages. */
export const isFilledIn = ({ kind, origin }: Pick<IdentificationSnapshot, 'kind' | 'origin'>): boolean =>
  kind === 'person' && (origin === 'hosted' || origin === 'beneficiary')

/** The part of the state from which the status is derived. */
export type Standing = Pick<IdentificationState, 'verification' | 'holds'>

/** Returns the status. An approved identification is `blocked` while all its services are on hold. */
export const identificationStatus = ({ verification, holds }: Standing): IdentificationStatus =>
  verification === 'approved' && isFullyHeld(holds) ? 'blocked' : verification

/**
 * Returns whether the identification is final, because it was closed before its verification finished. In all other
 * states, it can still be blocked or appealed.
 */
export const isIdentificationEnded = (state: IdentificationState): boolean => state.verification === 'closed'

interface Move {
  readonly from: readonly Verification[]
  readonly to: Verification
  readonly waitingOn: IdentificationParty
}

/** The transitions that decisions, reviews and checks make. All other rules on verification derive from this table. */
export const MOVES = {
  approve: { from: ['initiated', 'attention'], to: 'approved', waitingOn: 'nobody' },
  /** If the identification is `rejected`, this is an appeal. */
  call_attention: { from: ['initiated', 'rejected'], to: 'attention', waitingOn: 'operator' },
  reject: { from: ['initiated', 'attention'], to: 'rejected', waitingOn: 'nobody' },
  request_information: { from: ['initiated', 'attention'], to: 'initiated', waitingOn: 'client' },
} as const satisfies Record<string, Move>
export type MoveKind = keyof typeof MOVES
const MOVE_KINDS = Object.keys(MOVES) as MoveKind[]

/** The outcomes of decisions. Each is the target of one transition. */
export type Outcome = (typeof MOVES)[MoveKind]['to']
export const OUTCOMES: readonly Outcome[] = MOVE_KINDS.map((kind) => MOVES[kind].to)

const MOVE_TO = Object.fromEntries(MOVE_KINDS.map((kind) => [MOVES[kind].to, kind])) as Record<
  Outcome,
  MoveKind
>
export const isMove = (kind: string): kind is MoveKind => Object.hasOwn(MOVES, kind)
export const moveKindOf = (outcome: Outcome): MoveKind => MOVE_TO[outcome]

type Rule = (state: IdentificationState) => Problem | null

const whenStatus =
  (allowed: readonly IdentificationStatus[], problem: Problem): Rule =>
  (state) =>
    allowed.includes(identificationStatus(state)) ? null : problem

/** Refuses commands on a closed identification, with 403 for edits and 422 for decisions. */
const unlessClosed = (status: 403 | 422): Rule =>
  whenStatus(
    IDENTIFICATION_STATUSES.filter((each) => each !== 'closed'),
    { code: 'identification_closed', status },
  )

const AWAITS_KYB =
  'The review of the company’s application decides this identification. Decide on the application.'

const ALREADY_REQUESTED =
  'The information has already been requested. Wait for the client or the applicant to provide it.'

const move =
  (kind: MoveKind): Rule =>
  ({ verification, awaitsKyb, pending, waitingOn }) => {
    const from: readonly Verification[] = MOVES[kind].from
    const waitsForInformation = waitingOn === 'client' || waitingOn === 'applicant'
    const isAlreadyRequested = verification === MOVES[kind].to && waitsForInformation
    if (awaitsKyb && kind !== 'call_attention') return { code: 'invalid_transition', message: AWAITS_KYB }
    if (isAlreadyRequested) return { code: 'invalid_transition', message: ALREADY_REQUESTED }
    if (!from.includes(verification)) {
      const message = `The identification is ${verification}. This requires ${from.join(' or ')}.`
      return { code: 'invalid_transition', message }
    }
    return pending ? { code: 'decision_pending' } : null
  }

const whilePending: Rule = ({ pending }) => (pending ? null : { code: 'no_decision_pending' })

const closeCase: Rule = (state) =>
  unlessClosed(422)(state) ?? (state.pending ? { code: 'decision_pending' } : null)

const unblock: Rule = (state) => {
  if (identificationStatus(state) !== 'blocked') return { code: 'cannot_unblock' }
  if (state.holds.some(isInternal)) return { code: 'blocked_by_internal_case' }
  return state.holds.some(({ owner }) => owner === 'closure') ? { code: 'cannot_unblock' } : null
}

/** Refuses changes while the submitted data is under review. */
const whileWaitingOnApplicant: Rule = ({ verification, waitingOn }) =>
  verification === 'initiated' && waitingOn === 'applicant' ? null : { code: 'invalid_transition' }

const OF_APPLICANTS = {
  fill_in: whileWaitingOnApplicant,
  attach: whileWaitingOnApplicant,
  detach: whileWaitingOnApplicant,
  reply: whileWaitingOnApplicant,
  submit: whileWaitingOnApplicant,
}
const OF_OPERATORS = {
  ...(Object.fromEntries(MOVE_KINDS.map((kind) => [kind, move(kind)])) as Record<MoveKind, Rule>),
  /** An operator moves the verification to a later version of the vault's profile. */
  change_profile: whileWaitingOnApplicant,
  close_case: closeCase,
  confirm: whilePending,
  withdraw: whilePending,
}
const RULES = {
  close: whenStatus(['initiated', 'approved'], { code: 'cannot_close' }),
  block: whenStatus(['approved', 'blocked'], { code: 'cannot_block' }),
  unblock,
  edit_profile: unlessClosed(403),
  add_account: unlessClosed(403),
  ...OF_APPLICANTS,
  ...OF_OPERATORS,
}
export type IdentificationCommandKind = keyof typeof RULES
export const IDENTIFICATION_COMMANDS = Object.keys(RULES) as IdentificationCommandKind[]

export const isOfApplicants = (kind: IdentificationCommandKind): boolean => Object.hasOwn(OF_APPLICANTS, kind)
/** Returns whether the command is one of an operator rather than an edit. */
export const isOfOperators = (kind: IdentificationCommandKind): boolean => Object.hasOwn(OF_OPERATORS, kind)

/** Returns null if the state allows the command, or the problem otherwise. */
export const decideIdentification = (state: IdentificationState, kind: IdentificationCommandKind) =>
  RULES[kind](state)

/** Returns the outcomes that an operator can choose now. */
export const offeredMoves = (state: IdentificationState): readonly Outcome[] =>
  OUTCOMES.filter((outcome) => decideIdentification(state, moveKindOf(outcome)) === null)

/** An event that has happened and cannot be refused. A fact that arrives twice or too late changes nothing. */
export type IdentificationFact =
  | { readonly id: string; readonly kind: 'review_finished'; readonly outcome: ReviewEnd }
  /** The row of the check contains the result. */
  | { readonly id: string; readonly kind: 'check_finished'; readonly checkId: string }
  | {
      readonly id: string
      readonly kind: 'case_opened'
      readonly caseId: string
      readonly owner: InternalOwner
      /** The services to block. If absent, all services of the vault are blocked. */
      readonly services?: readonly Service[]
      readonly reason: BlockReason
    }
  | { readonly id: string; readonly kind: 'case_closed'; readonly caseId: string }
  /** The application no longer lists the beneficiary of this check, or now names another person. */
  | { readonly id: string; readonly kind: 'beneficiary_removed' }
  | { readonly id: string; readonly kind: 'beneficiary_changed' }
  | { readonly id: string; readonly kind: 'file_lost'; readonly fileId: string }
  /** The date of a later version of the vault's profile has come. */
  | { readonly id: string; readonly kind: 'profile_applies' }

/** A fact with the data of the rows that it refers to. */
export type KnownFact =
  | Exclude<IdentificationFact, { kind: 'check_finished' | 'review_finished' }>
  | (Extract<IdentificationFact, { kind: 'review_finished' }> & {
      readonly reasonCode?: ReasonCode
      readonly clientComment?: string
    })
  | ({ readonly id: string; readonly kind: 'check_finished' } & CheckResult)

/** The outcomes that finish the review of a company's application. */
const REVIEW_ENDS = ['approved', 'rejected'] as const satisfies readonly Outcome[]
type ReviewEnd = (typeof REVIEW_ENDS)[number]

/** Returns the ID of the fact that a review has ended. Each application has only one such fact. */
export const reviewFactId = (kybId: string): string => `kyb-processed-${kybId}`

export const reviewFinished = (kybId: string, outcome: ReviewEnd): IdentificationFact => ({
  id: reviewFactId(kybId),
  kind: 'review_finished',
  outcome,
})

interface Review {
  readonly status: string
  readonly outcome: Outcome | 'revision_requested' | null
  readonly reasonCode: ReasonCode | null
  readonly clientComment: string | null
}

/**
 * Returns the fact for a finished review, with the given ID and the review's reason and comment. Returns null if the
 * review is not finished.
 */
export function endOfReview(
  id: string,
  { status, outcome, reasonCode, clientComment }: Review,
): Extract<KnownFact, { kind: 'review_finished' }> | null {
  if (status !== 'processed' || !isOneOf(REVIEW_ENDS, outcome)) return null
  return {
    id,
    kind: 'review_finished',
    outcome,
    ...(reasonCode && { reasonCode }),
    ...(clientComment && { clientComment }),
  }
}

interface PlacedHold {
  readonly id: string
  readonly owner: InternalOwner
  readonly services: readonly Service[]
  readonly reason: BlockReason
}

export const holdPlaced = ({ id, owner, services, reason }: PlacedHold): IdentificationFact => ({
  id: `case-opened-${id}`,
  kind: 'case_opened',
  caseId: id,
  owner,
  services,
  reason,
})

export const holdLifted = (caseId: string): IdentificationFact => ({
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

/**
 * The outcomes of checks. `manual` means that an operator must decide, and `initiated` that the check requests changes.
 */
export const CHECK_OUTCOMES = [...OUTCOMES, 'manual'] as const
export type CheckOutcome = (typeof CHECK_OUTCOMES)[number]
export interface CheckResult {
  readonly outcome: CheckOutcome
  /** The reason for the outcome, and the fields to correct. */
  readonly reasonCode?: ReasonCode
  readonly fields?: readonly string[]
}

const isOneOf = <T>(values: readonly T[], value: unknown): value is T =>
  (values as readonly unknown[]).includes(value)
const areServices = (value: unknown) =>
  value === undefined ||
  (Array.isArray(value) && value.length > 0 && value.every((service) => isOneOf(ALL_SERVICES, service)))

const WELL_FORMED: Record<IdentificationFact['kind'], (fact: Record<string, unknown>) => boolean> = {
  review_finished: ({ outcome }) => isOneOf(REVIEW_ENDS, outcome),
  check_finished: ({ checkId }) => isUuid(checkId),
  case_opened: ({ caseId, owner, services, reason }) =>
    isUuid(caseId) &&
    isOneOf(INTERNAL_OWNERS, owner) &&
    areServices(services) &&
    isOneOf(BLOCK_REASONS, reason),
  case_closed: ({ caseId }) => isUuid(caseId),
  beneficiary_removed: () => true,
  beneficiary_changed: () => true,
  file_lost: ({ fileId }) => isUuid(fileId),
  profile_applies: () => true,
}

/**
 * Returns the fact in a message, or null if the message is not a valid fact. Operators can send any message by hand.
 */
export function parseFact(message: unknown): IdentificationFact | null {
  const fact = readFact(message)
  if (!fact || !Object.hasOwn(WELL_FORMED, String(fact.kind))) return null
  const isWellFormed = WELL_FORMED[fact.kind as IdentificationFact['kind']](fact)
  return isWellFormed ? (fact as unknown as IdentificationFact) : null
}

/**
 * Returns the review progress of an identification. While the review of the company's application is open, returns the
 * progress of the application (`kyb`).
 */
export function identificationReviewProgress(
  {
    verification,
    waitingOn,
    awaitsKyb,
  }: Pick<IdentificationState, 'verification' | 'waitingOn' | 'awaitsKyb'>,
  isReviewed: boolean,
  kyb: ReviewProgress | null,
  undeliveredAt: Date | null,
): ReviewProgress {
  if (kyb && awaitsKyb && verification === 'initiated') return kyb
  const ended = verification === 'approved' || verification === 'rejected' ? verification : null
  return reviewProgress(nextParty(waitingOn, undeliveredAt), ended, isReviewed)
}
