/** A verification check: who was asked, and what came of it. */
import type { CheckResult } from './identification.ts'

export const PROVIDERS = ['manual', 'sandbox', 'http'] as const
export type ProviderName = (typeof PROVIDERS)[number]

/** Why a check was given up: the provider refused the request for good, or did not answer in time. */
export const CHECK_FAILURES = ['refused', 'no_answer'] as const
export type CheckFailure = (typeof CHECK_FAILURES)[number]

/** A check as its row says. */
export interface VerificationCheck extends Settled, Asked, Ended {
  readonly vaultId: string
  readonly provider: ProviderName
  readonly createdAt: Date
  /** When a provider that answers later took it on. */
  readonly acceptedAt: Date | null
  readonly answeredAt: Date | null
  /** By which Temporal knows the activity that waits for the answer, in base64. */
  readonly taskToken: string | null
}

/** What is to be known of a check to say what came of it. */
interface Settled {
  readonly result: CheckResult | null
  readonly failure: CheckFailure | null
}

/** Null while nothing has come of it. One that was given up is for an operator, whatever came afterwards. */
export const resultOf = ({ result, failure }: Settled): CheckResult | null =>
  failure === null ? result : { outcome: 'manual' }

interface Ended {
  readonly id: string
  readonly settledAt: Date | null
}

/** The fact that a check has ended: there is one for each, which nobody can name before. */
export const checkFact = ({ id, settledAt }: Ended) => ({
  id: `check-${id}-${settledAt?.getTime() ?? 0}`,
  kind: 'check_finished' as const,
  checkId: id,
})

interface Asked {
  readonly identificationId: string
  readonly waitingSince: Date
}

/** Whether the check is of what the identification waits for now. */
export const isAbout = (
  check: Asked,
  { id, waitingSince }: { readonly id: string; readonly waitingSince: Date },
): boolean => check.identificationId === id && check.waitingSince.getTime() === waitingSince.getTime()

/** Whether both say the same. */
export const isSameResult = (a: CheckResult, b: CheckResult): boolean =>
  a.outcome === b.outcome &&
  (a.reasonCode ?? null) === (b.reasonCode ?? null) &&
  [...(a.fields ?? [])].sort().join() === [...(b.fields ?? [])].sort().join()
