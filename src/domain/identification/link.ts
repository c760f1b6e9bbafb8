/** Rules for links to hosted verification. */
import type { Vault } from '../access/vault.ts'
import type { IdentificationParty, Origin } from './identification.ts'

export interface VerificationLink {
  readonly token: string
  /** The redirect URL. If absent, the redirect URL of the earlier link remains. */
  readonly redirectUrl?: string | null
  /**
   * The address to which the link and later emails are sent. If absent, the link is not sent, and later emails still go
   * to the earlier address. Null removes the address.
   */
  readonly email?: string | null | undefined
}

/** The identification or beneficiary's verification that a link opens. */
export interface LinkedVerification {
  /** The ID of the identification. Opening a beneficiary's link for the first time creates the identification. */
  readonly id: string
  readonly vault: Vault
  readonly kind: 'person' | 'company'
  readonly origin: Origin
  readonly waitingOn: IdentificationParty
  /** Whether the latest decision requests changes. */
  readonly requestsChanges: boolean
  /** The application whose form the link opens, or null for a person. */
  readonly kybId: string | null
  /** The role in a company for which a beneficiary is verified, or null for others. */
  readonly named: NamedPerson | null
}

/** A person as the application of a company names them. Texts are empty if they are not known yet. */
export interface NamedPerson {
  readonly fullName: string
  readonly roles: readonly string[]
  readonly companyName: string
}
