/** Rules for stored KYB applications, with their links, assignments and times. */
import type { Assignment } from '../decision/assignment.ts'
import type { Verification } from '../identification/identification.ts'
import type { KybRecord } from './transition.ts'

export interface KybApplication extends KybRecord, Assignment {
  readonly vaultId: string
  readonly clientKyc: boolean
  readonly internal: boolean
  readonly waitingSince: Date
  /** When the version last changed. */
  readonly updatedAt: Date
  readonly createdAt: Date
  /** The links to the beneficiaries' own verifications, keyed by beneficiary. */
  readonly links: ReadonlyMap<string, BeneficiaryLink>
}

export interface BeneficiaryLink {
  readonly token: string
  readonly expiresAt: Date
  /** The ID of the person's check. The check may not have begun yet. */
  readonly checkId: string
  readonly verification: Verification
  /** Whether the person has opened the link. */
  readonly isBegun: boolean
}
