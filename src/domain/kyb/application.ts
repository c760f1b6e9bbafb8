/** Rules for the life cycle of a KYB application, the commands that each state allows, and the party that acts next. */

import type { Problem } from '../base/errors.ts'
import { readFact } from '../base/fact.ts'
import type { Pending } from '../decision/confirmation.ts'
import type { ReasonCode } from '../decision/decision.ts'
import { reviewProgress } from '../decision/review-progress.ts'

export const KYB_STATUSES = ['open', 'processed', 'abandoned'] as const
export type KybStatus = (typeof KYB_STATUSES)[number]

/**
 * The statuses by which lists can be filtered. Responses show all of them except `open`, which selects applications
 * whose review is not finished.
 */
export const LISTED_STATUSES = ['open', 'completed', 'processed', 'abandoned'] as const
export type ListedStatus = (typeof LISTED_STATUSES)[number]

/** The state that every transition writes and the workflow keeps. It determines whether a command is allowed. */
export interface KybState {
  readonly status: KybStatus
  readonly completed: boolean
  /** Whether the latest request for changes still has open corrections. */
  readonly correcting: boolean
  /** Whether the applicant has changed the form since it was last submitted, so that it waits to be submitted. */
  readonly unsubmitted: boolean
  readonly version: number
  /** The decision that awaits a second approval, or null. */
  readonly pending: Pending<'approve' | 'reject'> | null
}

/** The data that the workflow keeps, which is the state and the details that operators see in the Temporal UI. */
export interface KybSnapshot extends KybState {
  readonly identificationId: string
  /** The party that acts next, which was derived from the state when the snapshot was written. */
  readonly waitingOn: WaitingOn
  readonly ended: boolean
  /** The paths of the first missing fields, and the total number of missing fields. */
  readonly missing: readonly string[]
  readonly missingCount: number
  readonly review: {
    readonly outcome: ReviewOutcome
    readonly reasonCode: ReasonCode
    /** When the decision was made, in ISO 8601. */
    readonly decidedAt: string
  } | null
}

export const REVIEW_OUTCOMES = ['approved', 'rejected', 'revision_requested'] as const
export type ReviewOutcome = (typeof REVIEW_OUTCOMES)[number]

type Rule = (state: KybState) => Problem | null

/** Refuses commands on a closed application, with 403 for edits and 422 for decisions. */
const open =
  (status: 403 | 422): Rule =>
  (state) =>
    state.status === 'open' ? null : { code: `kyb_${state.status}`, status }

/** Refuses a decision while another decision awaits a second approval. */
const decidable: Rule = (state) => open(422)(state) ?? (state.pending ? { code: 'decision_pending' } : null)

const pending: Rule = (state) => open(422)(state) ?? (state.pending ? null : { code: 'no_decision_pending' })

const completed =
  (rule: Rule): Rule =>
  (state) =>
    rule(state) ?? (state.completed ? null : { code: 'requirements_due' })

const RULES = {
  patch: open(403),
  attach: open(403),
  detach: open(403),
  /** The applicant disputes a finding. */
  reply: open(403),
  submit: completed(open(403)),
  /** An operator moves the application to a later version of the profile. */
  change_profile: open(422),
  approve: completed(decidable),
  /** The sandbox's approval, which ignores missing fields. */
  approve_incomplete: decidable,
  reject: decidable,
  request_revision: decidable,
  /** A second operator confirms the pending decision. */
  confirm: pending,
  withdraw: pending,
}
export type KybCommandKind = keyof typeof RULES
export const KYB_COMMANDS = Object.keys(RULES) as KybCommandKind[]

/** Returns null if the state allows the command, or the problem otherwise. */
export const decideKyb = (state: KybState, kind: KybCommandKind): Problem | null => RULES[kind](state)

/** The command for each outcome that an operator can choose. */
export const DECISION_OF = {
  approved: 'approve',
  rejected: 'reject',
  revision_requested: 'request_revision',
} as const satisfies Record<ReviewOutcome, KybCommandKind>

/** Returns the outcomes that an operator can choose now. */
export const offeredOutcomes = (state: KybState): readonly ReviewOutcome[] =>
  REVIEW_OUTCOMES.filter((outcome) => decideKyb(state, DECISION_OF[outcome]) === null)

export const OUTCOME_OF: Partial<Record<KybCommandKind, ReviewOutcome>> = {
  ...Object.fromEntries(REVIEW_OUTCOMES.map((outcome) => [DECISION_OF[outcome], outcome])),
  approve_incomplete: 'approved',
}

/**
 * An event that happened outside the application. If the company's identification is closed, the application is
 * abandoned. If a beneficiary's verification is submitted, approved or reopened, the application may become complete or
 * incomplete. If a later version of the profile applies, the application moves to it. An application that has ended does
 * not change.
 */
export interface KybFact {
  readonly id: string
  readonly kind: (typeof KYB_FACTS)[number]
}

const KYB_FACTS = [
  'company_closed',
  'beneficiary_verified',
  'beneficiary_updated',
  'file_lost',
  'profile_applies',
] as const

export const beneficiaryVerified = (checkId: string): KybFact => ({
  id: `beneficiary-verified-${checkId}`,
  kind: 'beneficiary_verified',
})

/** The verification of a beneficiary is under review, or no longer. `version` is that of the verification. */
export const beneficiaryUpdated = (checkId: string, version: number): KybFact => ({
  id: `beneficiary-updated-${checkId}-${version}`,
  kind: 'beneficiary_updated',
})

export const companyClosed = (identificationId: string): KybFact => ({
  id: `identification-closed-${identificationId}`,
  kind: 'company_closed',
})

/**
 * Returns the fact in a message, or null if the message is not a valid fact. Operators can send any message by hand.
 */
export function parseKybFact(message: unknown): KybFact | null {
  const { id, kind } = readFact(message) ?? {}
  const known = KYB_FACTS.find((each) => each === kind)
  return known ? { id: String(id), kind: known } : null
}

/** Returns whether the application is final. If it is, its workflow completes. */
export const isKybEnded = (state: KybState): boolean => state.status !== 'open'

const WAITING_ON = ['client', 'operator', 'nobody'] as const
export type WaitingOn = (typeof WAITING_ON)[number]

export function kybWaitingOn(state: KybState): WaitingOn {
  if (isKybEnded(state)) return 'nobody'
  if (state.pending) return 'operator'
  return state.completed && !state.correcting && !state.unsubmitted ? 'operator' : 'client'
}

/** The part of an application that states whether the applicant corrects it. */
interface UnderRevision {
  readonly state: KybState
  readonly review: { readonly outcome: ReviewOutcome } | null
  readonly corrections: readonly unknown[]
  readonly submittedAt: Date | null
}

/** Returns whether the applicant makes the requested changes, which lasts until the form is submitted again. */
export const isRevision = ({ state, review, corrections, submittedAt }: UnderRevision): boolean =>
  !isKybEnded(state) &&
  review?.outcome === 'revision_requested' &&
  (corrections.length > 0 || submittedAt === null)

/** Returns the review progress of an application. `outcome` is the outcome of the latest decision. */
export function kybReviewProgress(status: KybStatus, waitingOn: WaitingOn, outcome: ReviewOutcome | null) {
  const ended = status === 'processed' && outcome !== 'revision_requested' ? outcome : null
  return reviewProgress(waitingOn, ended, outcome !== null)
}
