/** Who verifies: one port, and the providers that come with Gatehouse. */

import { setTimeout as sleep } from 'node:timers/promises'
import { type CheckResult, isFilledIn } from '../src/domain/identification/identification.ts'
import type { Identification } from '../src/domain/identification/record.ts'
import type { ProviderName, VerificationCheck } from '../src/domain/identification/verification-check.ts'

/** What it says at once; or that it answers later, or never will. */
export type ProviderAnswer = CheckResult | 'later' | 'refused'

export interface VerificationProvider {
  readonly name: ProviderName
  /** Decides about an identification. May take minutes, and may throw: then it is asked again, about the same check. */
  verify(identification: Identification, check: VerificationCheck): Promise<ProviderAnswer>
}

type Decide = (identification: Identification) => Promise<CheckResult>

const decideManually: Decide = () => Promise.resolve({ outcome: 'manual' })

/** Everything is for an operator to decide. */
export const manualProvider: VerificationProvider = { name: 'manual', verify: decideManually }

/** What the sandbox's says, by the beginning of the name. */
const SANDBOX_DECISIONS: Readonly<Record<string, Decide>> = {
  approved: async () => ({ outcome: 'approved' }),
  rejected: async () => ({ outcome: 'rejected' }),
  attention: async () => ({ outcome: 'attention' }),
  unavailable: () => Promise.reject(new Error('the provider is down')),
  /** Asks once for a better picture of who can give it. */
  retry: async (identification) =>
    isFilledIn(identification) && identification.review === null
      ? { outcome: 'initiated', reasonCode: 'documents_unreadable', fields: ['document_front'] }
      : { outcome: 'approved' },
}

/** The sandbox's: the beginning of the name decides, after a delay; every other name is for an operator. */
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
