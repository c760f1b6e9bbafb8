/** Decisions that a second operator confirms, where the vault wants that. */
import { operatorIdOf } from '../access/access.ts'

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
