/** Defines the interface of verification providers, and the providers that Gatehouse includes. */

import { setTimeout as sleep } from 'node:timers/promises'
import { type CheckResult, isFilledIn } from '../src/domain/identification/identification.ts'
import type { Identification } from '../src/domain/identification/record.ts'
import type { ProviderName, VerificationCheck } from '../src/domain/identification/verification-check.ts'
import type { Span } from '../src/process/span.ts'

/** The result of a check, `later` if the provider will call back, or `refused` if it never will. */
export type ProviderAnswer = CheckResult | 'later' | 'refused'

export interface VerificationProvider {
  readonly name: ProviderName
  /**
   * Checks an identification, which may take minutes. If this throws, the workflow calls it again with the same check.
   * The provider's requests belong to `span`.
   */
  verify(identification: Identification, check: VerificationCheck, span: Span): Promise<ProviderAnswer>
}

type Decide = (identification: Identification) => Promise<CheckResult>

const decideManually: Decide = () => Promise.resolve({ outcome: 'manual' })

/** The provider that leaves every decision to an operator. */
export const manualProvider: VerificationProvider = { name: 'manual', verify: decideManually }

/** The sandbox's decisions, keyed by the beginning of the person's name. */
const SANDBOX_DECISIONS: Readonly<Record<string, Decide>> = {
  approved: async () => ({ outcome: 'approved' }),
  rejected: async () => ({ outcome: 'rejected' }),
  attention: async () => ({ outcome: 'attention' }),
  unavailable: () => Promise.reject(new Error('the provider is down')),
  /** Requests a new photo once, if the applicant filled in the form. */
  retry: async (identification) =>
    isFilledIn(identification) && identification.review === null
      ? { outcome: 'initiated', reasonCode: 'documents_unreadable', fields: ['document_front'] }
      : { outcome: 'approved' },
}

/**
 * Creates a provider whose result depends on the beginning of the name, and arrives after a delay. Leaves all other
 * names to an operator.
 */
export const sandboxProvider = (delayMs: number): VerificationProvider => ({
  name: 'sandbox',
  async verify(identification) {
    await sleep(delayMs)
    const name = identification.name.toLowerCase()
    const [, decide = decideManually] =
      Object.entries(SANDBOX_DECISIONS).find(([prefix]) => name.startsWith(prefix)) ?? []
    return decide(identification)
  },
})
