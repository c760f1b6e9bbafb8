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

type Say = (identification: Identification) => Promise<CheckResult>

const sayManual: Say = () => Promise.resolve({ outcome: 'manual' })

/** Everything is for an operator to decide. */
export const manualProvider: VerificationProvider = { name: 'manual', verify: sayManual }

/** What the sandbox's says, by the beginning of the name. */
const SAID: Readonly<Record<string, Say>> = {
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
    const [, say = sayManual] = Object.entries(SAID).find(([prefix]) => name.startsWith(prefix)) ?? []
    return say(identification)
  },
})
