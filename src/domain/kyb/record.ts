/** A KYB application as it is read: with its links, its assignment and its times. */
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
  /** The links to the beneficiaries' own verification, by beneficiary. */
  readonly links: ReadonlyMap<string, BeneficiaryLink>
}

export interface BeneficiaryLink {
  readonly token: string
  readonly expiresAt: Date
  /** Of the person's own check, which may not have begun. */
  readonly checkId: string
  readonly verification: Verification
  /** The person has opened the link. */
  readonly isBegun: boolean
}
