/** Links to hosted verification. */
import type { Vault } from '../access/vault.ts'
import type { IdentificationParty, Origin } from './identification.ts'

export interface VerificationLink {
  readonly token: string
  /** If absent, the earlier link's stays. */
  readonly redirectUrl?: string | null
}

/** The verification that a link opens: of an identification, or of a beneficiary. */
export interface LinkedVerification {
  /** The identification's id. A beneficiary's identification is created when the link is first opened. */
  readonly id: string
  readonly vault: Vault
  readonly kind: 'person' | 'company'
  readonly origin: Origin
  readonly waitingOn: IdentificationParty
  /** The application whose form the link opens, for a company. */
  readonly kybId: string | null
}
