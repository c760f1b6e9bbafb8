/** Rules for verification checks, their results and their failures. */
import type { CheckResult } from './identification.ts'

export const PROVIDERS = ['manual', 'sandbox', 'http'] as const
export type ProviderName = (typeof PROVIDERS)[number]

/**
 * The reasons why a check failed. The provider refused the request permanently or did not respond in time, or a limit on
 * the number of checks prevented the request.
 */
export const CHECK_FAILURES = ['refused', 'no_answer', 'limit_reached'] as const
export type CheckFailure = (typeof CHECK_FAILURES)[number]

/** The maximum number of checks in 24 hours, which protects the client from costs. */
export interface CheckLimits {
  readonly perVerification: number
  readonly perVault: number
}

export interface VerificationCheck extends Settled, Asked, Ended {
  readonly vaultId: string
  readonly provider: ProviderName
  readonly createdAt: Date
  /** When the provider accepted the check, if it sends the result by callback. Otherwise null. */
  readonly acceptedAt: Date | null
  readonly answeredAt: Date | null
  /** The Temporal token of the activity that waits for the result, in base64. */
  readonly taskToken: string | null
}

/** The data that determines the outcome of a check. */
interface Settled {
  readonly result: CheckResult | null
  readonly failure: CheckFailure | null
}

/**
 * Returns the result, or null until the check has an outcome. After a failure, an operator decides, even if a result
 * arrives later.
 */
export const resultOf = ({ result, failure }: Settled): CheckResult | null =>
  failure === null ? result : { outcome: 'manual' }

interface Ended {
  readonly id: string
  readonly settledAt: Date | null
}

/** Returns the fact that a check has finished. Each check has only one such fact, and outsiders cannot guess its ID. */
export const checkFact = ({ id, settledAt }: Ended) => ({
  id: `check-${id}-${settledAt?.getTime() ?? 0}`,
  kind: 'check_finished' as const,
  checkId: id,
})

interface Asked {
  readonly identificationId: string
  readonly waitingSince: Date
}

/** Returns whether the identification currently waits on this check. */
export const isAbout = (
  check: Asked,
  { id, waitingSince }: { readonly id: string; readonly waitingSince: Date },
): boolean => check.identificationId === id && check.waitingSince.getTime() === waitingSince.getTime()

export const isSameResult = (a: CheckResult, b: CheckResult): boolean =>
  a.outcome === b.outcome &&
  (a.reasonCode ?? null) === (b.reasonCode ?? null) &&
  [...(a.fields ?? [])].sort().join() === [...(b.fields ?? [])].sort().join()
