/** Rules for four-eyes approval, in which a second operator must confirm decisions. */
import { operatorIdOf } from '../access/access.ts'
import type { Permission } from '../access/grant.ts'
import type { FourEyes, ReviewPolicy } from '../access/review-policy.ts'
import type { Decision, Finding, ReasonCode } from './decision.ts'

/** A decision that awaits a second approval, as part of the entity's state. Its texts are stored separately. */
export interface Pending<Kind extends string = string> {
  readonly kind: Kind
  /** The actor who decided. */
  readonly by: string
  /** When the decision was made, in ISO 8601. */
  readonly since: string
}

/** The permission that each step requires while a decision awaits a second approval. */
export const CONFIRMATION_PERMISSIONS = {
  compare: 'confirm',
  confirm: 'confirm',
  withdraw: 'decide',
} as const satisfies Readonly<Record<string, Permission>>
export type ConfirmationStep = keyof typeof CONFIRMATION_PERMISSIONS

const NEEDED_FOR: Readonly<Record<string, readonly FourEyes[]>> = {
  reject: ['rejections'],
  approve: ['approvals'],
  close_case: ['case_closings'],
}

/** Returns whether the decision needs a second operator. Decisions by the sandbox and by checks never do. */
export function needsSecondOperator(
  kind: string,
  { fourEyes }: ReviewPolicy,
  risks: readonly string[],
  actor: string,
): boolean {
  if (operatorIdOf(actor) === null) return false
  const isRisky = kind === 'approve' && risks.length > 0 && fourEyes.includes('high_risk_approvals')
  return isRisky || (NEEDED_FOR[kind] ?? []).some((each) => fourEyes.includes(each))
}

/** The outcome of each type of pending decision. */
export const PROPOSED_OUTCOMES = {
  approve: 'approved',
  reject: 'rejected',
  close_case: 'case_closed',
} as const
type ProposedKind = keyof typeof PROPOSED_OUTCOMES

/** A decision that awaits a second approval, with the first operator's texts. */
export interface Proposal {
  readonly outcome: (typeof PROPOSED_OUTCOMES)[ProposedKind]
  readonly caseId: string | null
  readonly reasonCode: ReasonCode | null
  readonly clientComment: string | null
  readonly internalNote: string | null
  readonly findings: readonly Finding[]
  readonly by: string
  readonly since: Date
}

interface Proposed {
  readonly state: { readonly pending?: (Pending<ProposedKind> & { readonly caseId?: string }) | null }
  readonly proposal: object | null
}

export function proposalOf({ state: { pending }, proposal }: Proposed): Proposal | null {
  if (!pending) return null
  const words: Partial<Decision> = proposal ?? {}
  return {
    outcome: PROPOSED_OUTCOMES[pending.kind],
    caseId: pending.caseId ?? null,
    reasonCode: words.reasonCode ?? null,
    clientComment: words.clientComment ?? null,
    internalNote: words.internalNote ?? null,
    findings: words.findings ?? [],
    by: pending.by,
    since: new Date(pending.since),
  }
}
