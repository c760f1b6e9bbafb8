/** Rules for links to hosted verification. */
import type { Vault } from '../access/vault.ts'
import type { IdentificationParty, Origin } from './identification.ts'

export interface VerificationLink {
  readonly token: string
  /** If absent, the redirect URL of the earlier link remains. */
  readonly redirectUrl?: string | null
}

/** The verification that a link opens, for an identification or a beneficiary. */
export interface LinkedVerification {
  /** The ID of the identification. Opening a beneficiary's link for the first time creates the identification. */
  readonly id: string
  readonly vault: Vault
  readonly kind: 'person' | 'company'
  readonly origin: Origin
  readonly waitingOn: IdentificationParty
  /** For a company, the application whose form the link opens. */
  readonly kybId: string | null
}
