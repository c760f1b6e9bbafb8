/** Rules for the data that operators see before they decide on a case. */

import type { StoredFile } from '../base/file.ts'
import type { Risk, RiskLevel } from '../decision/risk.ts'
import type { Entity } from '../entity/entity.ts'
import type { IdentificationParty, IdentificationStatus } from '../identification/identification.ts'
import type { PersonFile } from '../identification/person-form.ts'
import type { Profile } from '../identification/profile.ts'
import type { Identification } from '../identification/record.ts'
import type { HoldWithNotes } from '../identification/recorded-hold.ts'
import type { VerificationCheck } from '../identification/verification-check.ts'
import type { GivenName } from '../kyb/beneficiary-check.ts'
import type { Change } from '../kyb/changes.ts'
import type { KybApplication } from '../kyb/record.ts'
import type { Due } from '../kyb/requirements.ts'
import type { DuplicateReason } from '../screening/duplicate.ts'
import type { ScreeningResult } from '../screening/hit.ts'
import type { KeptValue } from './removed.ts'
import type { MarkRules } from './review-mark.ts'

interface VaultName {
  readonly id: string
  readonly name: string
}

/** Another application or identification that may concern the same company or person. */
export interface Duplicate {
  readonly kind: Entity
  readonly id: string
  readonly title: string | null
  readonly vault: VaultName
  readonly status: string
  readonly reasons: readonly DuplicateReason[]
}

export interface Duplicates {
  /** The possible duplicates, newest first. */
  readonly duplicates: readonly Duplicate[]
  readonly areMore: boolean
}

/** The data that a decision needs in addition to the application or identification. */
export interface UnderReview {
  readonly vault: VaultName
  /** The review target of the vault, in hours of working days. */
  readonly targetHours: number
  readonly waitingOn: IdentificationParty
  readonly risks: readonly Risk[]
  readonly riskLevel: RiskLevel
  /** The active holds and the latest lifted ones, oldest first. */
  readonly holds: readonly HoldWithNotes[]
  /** The possible duplicates in all vaults. */
  readonly duplicates: Duplicates
  readonly screening: ScreeningResult
  /** The values that were removed under a legal hold or an open case, oldest first. */
  readonly removed: readonly KeptValue[]
  /** The facts that determine which marks still apply, and which fields and files can have one. */
  readonly marked: MarkRules
  /** The workflow. Its URL in the Temporal UI is null if the address of the UI is not configured. */
  readonly workflow: { readonly id: string; readonly url: string | null }
}

/** A beneficiary's current check, or a check about a person whom the application named earlier. */
interface PersonCheck {
  readonly id: string
  readonly status: IdentificationStatus
  readonly version: number
  readonly waitingOn: IdentificationParty
  readonly waitingSince: Date
  /** The verified data: names, birth date, nationality and document. Null unless the check is approved. */
  readonly verified: Profile | null
}

export interface PersonChecks {
  /** The current check, or null until the person first opens the link. */
  readonly current: PersonCheck | null
  /** The earlier checks, newest first. */
  readonly earlier: readonly PersonCheck[]
}

export interface KybUnderReview extends UnderReview {
  readonly application: KybApplication
  /** The fields that are due, each with the reason. */
  readonly due: readonly Due[]
  /** The checks, keyed by beneficiary. */
  readonly checks: ReadonlyMap<string, PersonChecks>
  /** The operator and the internal note of the latest decision, or null if no decision has been made. */
  readonly decided: { readonly actor: string; readonly internalNote: string | null } | null
  /** The changes since the latest decision. */
  readonly changes: readonly Change[]
}

export interface PersonPhoto extends StoredFile {
  readonly attribute: PersonFile
}

export interface IdentificationUnderReview extends UnderReview {
  readonly identification: Identification
  readonly photos: readonly PersonPhoto[]
  /** The provider checks, oldest first. */
  readonly checks: readonly VerificationCheck[]
  /** The ID of the company's application, or of the application that lists this beneficiary. Otherwise null. */
  readonly kybId: string | null
  /** The name in the application that lists this beneficiary. Otherwise null. */
  readonly givenName: GivenName | null
}
