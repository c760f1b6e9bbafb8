/** Who verifies: one port, and the two providers that come with Gatehouse. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Identification } from '../src/db/identification.ts'
import type { CheckOutcome } from '../src/domain/identification.ts'

/** Decides about an identification. May take long, and may throw: then it is asked again later. */
export type VerificationProvider = (identification: Identification) => Promise<CheckOutcome>

/** Everything is for an operator to decide. */
const manualProvider: VerificationProvider = () => Promise.resolve('manual')

const PREFIXES: readonly (readonly [prefix: string, outcome: CheckOutcome | 'unavailable'])[] = [
  ['approved', 'approved'],
  ['rejected', 'rejected'],
  ['attention', 'attention'],
  ['unavailable', 'unavailable'],
]

/** The sandbox's: the beginning of the name decides, after a delay; every other name is for an operator. */
function sandboxProvider(delayMs: number): VerificationProvider {
  return async ({ name }) => {
    await sleep(delayMs)
    const outcome = PREFIXES.find(([prefix]) => name.toLowerCase().startsWith(prefix))?.[1] ?? 'manual'
    if (outcome === 'unavailable') throw new Error('the provider is down')
    return outcome
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
