/** Rules for links to hosted verification. */
import type { Vault } from '../access/vault.ts'
import type { IdentificationParty, Origin } from './identification.ts'

export interface VerificationLink {
  readonly token: string
  /** The redirect URL. If absent, the redirect URL of the earlier link remains. */
  readonly redirectUrl?: string | null
}

/** The identification or beneficiary's verification that a link opens. */
export interface LinkedVerification {
  /** The ID of the identification. Opening a beneficiary's link for the first time creates the identification. */
  readonly id: string
  readonly vault: Vault
  readonly kind: 'person' | 'company'
  readonly origin: Origin
  readonly waitingOn: IdentificationParty
  /** The application whose form the link opens, or null for a person. */
  readonly kybId: string | null
}
