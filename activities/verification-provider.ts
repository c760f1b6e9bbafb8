/** Who verifies: one port, and the two providers that come with Gatehouse. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Identification } from '../src/db/identification.ts'
import { type CheckResult, isFilledIn } from '../src/domain/identification.ts'

/** Decides about an identification. May take long, and may throw: then it is asked again later. */
export type VerificationProvider = (identification: Identification) => Promise<CheckResult>

/** Everything is for an operator to decide. */
const manualProvider: VerificationProvider = () => Promise.resolve({ outcome: 'manual' })

/** What the sandbox's says, by the beginning of the name. */
const SAID: Readonly<Record<string, VerificationProvider>> = {
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
function sandboxProvider(delayMs: number): VerificationProvider {
  return async (identification) => {
    await sleep(delayMs)
    const name = identification.name.toLowerCase()
    const [, say = manualProvider] = Object.entries(SAID).find(([prefix]) => name.startsWith(prefix)) ?? []
    return say(identification)
  }
}

interface ProviderSettings {
  readonly VERIFICATION_PROVIDER: 'manual' | 'sandbox'
  readonly SANDBOX_CHECK_DELAY_MS: number
}

/** The provider that the settings of a process name. */
export const verificationProvider = (settings: ProviderSettings): VerificationProvider =>
  settings.VERIFICATION_PROVIDER === 'sandbox'
    ? sandboxProvider(settings.SANDBOX_CHECK_DELAY_MS)
    : manualProvider
