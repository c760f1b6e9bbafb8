/** Decisions that a second operator confirms, where the vault wants that. */
import { operatorIdOf } from '../access/access.ts'
import type { Decision, Finding, ReasonCode } from './decision.ts'

/** What a vault can want two operators for. */
export const FOUR_EYES = ['rejections', 'approvals', 'high_risk_approvals', 'case_closings'] as const
export type FourEyes = (typeof FOUR_EYES)[number]

export interface ReviewPolicy {
  readonly fourEyes: readonly FourEyes[]
  /** ISO 3166-1 alpha-2. */
  readonly highRiskCountries: readonly string[]
}

/** A decision that waits for another operator: part of the state, so without its words. */
export interface Pending<Kind extends string = string> {
  readonly kind: Kind
  /** The actor who decided. */
  readonly by: string
  /** ISO 8601. */
  readonly since: string
}

const NEEDED_FOR: Readonly<Record<string, readonly FourEyes[]>> = {
  reject: ['rejections'],
  approve: ['approvals'],
  close_case: ['case_closings'],
}

/** Whether what an operator decides waits for another one; what the sandbox or a check decides does not. */
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

/** What each kind of decision that waits was to bring about. */
export const PROPOSED_OUTCOMES = {
  approve: 'approved',
  reject: 'rejected',
  close_case: 'case_closed',
} as const
type ProposedKind = keyof typeof PROPOSED_OUTCOMES

/** A decision that waits for a second operator, with the words of the first one. */
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

/** Returns null if no decision waits. */
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
