/** The life of a KYB application: which commands its state allows, and whom it waits for. */
import type { Pending } from '../decision/confirmation.ts'
import type { ReasonCode } from '../decision/decision.ts'
import type { Problem } from '../errors.ts'
import { FACT_ID } from '../identification/identification.ts'

export const KYB_STATUSES = ['open', 'processed', 'abandoned'] as const
export type KybStatus = (typeof KYB_STATUSES)[number]

/** What lists can be asked for: what the status of an answer says, or `open`, where its review has not ended. */
export const LISTED_STATUSES = ['open', 'completed', 'processed', 'abandoned'] as const
export type ListedStatus = (typeof LISTED_STATUSES)[number]

/** What decides a command: the columns that every transition writes, and the workflow carries. */
export interface KybState {
  readonly status: KybStatus
  readonly completed: boolean
  /** Something the last revision asked for has not been mended yet. */
  readonly correcting: boolean
  readonly version: number
  /** A decision that awaits a second approval. */
  readonly pending: Pending<'approve' | 'reject'> | null
}

/** What its workflow carries: what decides commands, and what an operator reads. */
export interface KybSnapshot extends KybState {
  readonly identificationId: string
  /** Follow from the state by the rules of when it was written. */
  readonly waitingOn: WaitingOn
  readonly ended: boolean
  /** The first paths of what is missing, and how many there are. */
  readonly missing: readonly string[]
  readonly missingCount: number
  readonly review: {
    readonly outcome: ReviewOutcome
    readonly reasonCode: ReasonCode
    /** ISO 8601. */
    readonly decidedAt: string
  } | null
}

export const KYB_COMMANDS = [
  'patch',
  'attach',
  'detach',
  /** The applicant's: a finding is disputed, everything is answered. */
  'reply',
  'submit',
  'approve',
  /** The sandbox's approval, which does not ask whether anything is missing. */
  'approve_incomplete',
  'reject',
  'request_revision',
  /** A second operator's, about the decision that waits for one. */
  'confirm',
  'withdraw',
] as const
export type KybCommandKind = (typeof KYB_COMMANDS)[number]

export const REVIEW_OUTCOMES = ['approved', 'rejected', 'revision_requested'] as const
export type ReviewOutcome = (typeof REVIEW_OUTCOMES)[number]

type Rule = (state: KybState) => Problem | null

/** Edits of an application that has ended are refused with 403, decisions about it with 422. */
const open =
  (status: 403 | 422): Rule =>
  (state) =>
    state.status === 'open' ? null : { code: `kyb_${state.status}`, status }

/** One decision after the other: what waits for a second operator comes first. */
const decidable: Rule = (state) => open(422)(state) ?? (state.pending ? { code: 'decision_pending' } : null)

const pending: Rule = (state) => open(422)(state) ?? (state.pending ? null : { code: 'no_decision_pending' })

const RULES: Record<KybCommandKind, Rule> = {
  patch: open(403),
  attach: open(403),
  detach: open(403),
  reply: open(403),
  submit: (state) => open(403)(state) ?? (state.completed ? null : { code: 'requirements_due' }),
  approve: (state) => decidable(state) ?? (state.completed ? null : { code: 'requirements_due' }),
  approve_incomplete: decidable,
  reject: decidable,
  request_revision: decidable,
  confirm: pending,
  withdraw: pending,
}

/** Settles a command: null when the state allows it, else why not. */
export const decideKyb = (state: KybState, kind: KybCommandKind): Problem | null => RULES[kind](state)

/** The command by which an operator decides each outcome. */
export const DECISION_OF = {
  approved: 'approve',
  rejected: 'reject',
  revision_requested: 'request_revision',
} as const satisfies Record<ReviewOutcome, KybCommandKind>

/** The outcomes that an operator can decide now. */
export const offeredOutcomes = (state: KybState): readonly ReviewOutcome[] =>
  REVIEW_OUTCOMES.filter((outcome) => decideKyb(state, DECISION_OF[outcome]) === null)

/** The outcome that a command decides, when it is a decision of the review. */
export const OUTCOME_OF: Partial<Record<KybCommandKind, ReviewOutcome>> = {
  ...Object.fromEntries(REVIEW_OUTCOMES.map((outcome) => [DECISION_OF[outcome], outcome])),
  approve_incomplete: 'approved',
}

/**
 * Closing the company's identification abandons its application; the verification of a beneficiary may complete
 * it. One that has ended stays as it is.
 */
export interface KybFact {
  readonly id: string
  readonly kind: 'identification_closed' | 'beneficiary_verified'
}

export const beneficiaryVerified = (checkId: string): KybFact => ({
  id: `beneficiary-verified-${checkId}`,
  kind: 'beneficiary_verified',
})

export const identificationClosed = (identificationId: string): KybFact => ({
  id: `identification-closed-${identificationId}`,
  kind: 'identification_closed',
})

/** The fact that a message states, or null when it states none: messages can be sent by hand. */
export function parseKybFact(message: unknown): KybFact | null {
  if (typeof message !== 'object' || message === null) return null
  const { id, kind } = message as Record<string, unknown>
  if (typeof id !== 'string' || !FACT_ID.test(id)) return null
  return kind === 'identification_closed' || kind === 'beneficiary_verified' ? { id, kind } : null
}

/** Nothing can happen to it any more: its workflow completes. */
export const isKybEnded = (state: KybState): boolean => state.status !== 'open'

const WAITING_ON = ['client', 'operator', 'nobody'] as const
export type WaitingOn = (typeof WAITING_ON)[number]

export function kybWaitingOn(state: KybState): WaitingOn {
  if (isKybEnded(state)) return 'nobody'
  if (state.pending) return 'operator'
  return state.completed && !state.correcting ? 'operator' : 'client'
}
