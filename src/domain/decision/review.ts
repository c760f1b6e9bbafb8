/** Rules for the review page: the data that operators see before they decide on a case. */
import type { Entity } from '../entity.ts'
import type { StoredFile } from '../file.ts'
import type { IdentificationParty, IdentificationStatus } from '../identification/identification.ts'
import type { PersonFile } from '../identification/person-form.ts'
import type { Profile } from '../identification/profile.ts'
import type { Identification } from '../identification/record.ts'
import type { HoldWithNotes } from '../identification/recorded-hold.ts'
import type { VerificationCheck } from '../identification/verification-check.ts'
import type { Change } from '../kyb/changes.ts'
import type { KybApplication } from '../kyb/record.ts'
import type { Due } from '../kyb/requirements.ts'
import type { DuplicateReason } from '../screening/duplicate.ts'
import type { ScreeningResult } from '../screening/hit.ts'
import type { Risk, RiskLevel } from './risk.ts'

interface VaultName {
  readonly id: string
  readonly name: string
}

/** Another application or identification that may be the same company or person. */
export interface Duplicate {
  readonly kind: Entity
  readonly id: string
  readonly title: string | null
  readonly vault: VaultName
  readonly status: string
  readonly reasons: readonly DuplicateReason[]
}

export interface Duplicates {
  /** Newest first. */
  readonly duplicates: readonly Duplicate[]
  readonly areMore: boolean
}

/** The data in addition to the application or identification itself. */
export interface UnderReview {
  readonly vault: VaultName
  /** The review target of the vault, in hours of working days. */
  readonly targetHours: number
  readonly waitingOn: IdentificationParty
  readonly risks: readonly Risk[]
  readonly riskLevel: RiskLevel
  /** The active holds and the latest lifted ones, oldest first. */
  readonly holds: readonly HoldWithNotes[]
  /** Across all vaults. */
  readonly duplicates: Duplicates
  readonly screening: ScreeningResult
  /** The URL in the Temporal UI is null if the UI's address is not configured. */
  readonly workflow: { readonly id: string; readonly url: string | null }
}

/** A beneficiary's own check: the current one, or one of a person whom the application named earlier. */
export interface PersonCheck {
  readonly id: string
  readonly status: IdentificationStatus
  readonly version: number
  readonly waitingOn: IdentificationParty
  readonly waitingSince: Date
  /** Names, birth date, nationality and document. Null unless the check is approved. */
  readonly verified: Profile | null
}

export interface PersonChecks {
  /** Null until the person first opens the link. */
  readonly current: PersonCheck | null
  /** Newest first. */
  readonly earlier: readonly PersonCheck[]
}

export interface KybUnderReview extends UnderReview {
  readonly application: KybApplication
  /** The missing fields and the reasons. */
  readonly due: readonly Due[]
  /** By beneficiary. */
  readonly checks: ReadonlyMap<string, PersonChecks>
  /** The operator and internal note of the latest decision. Null before the first decision. */
  readonly decided: { readonly actor: string; readonly internalNote: string | null } | null
  /** Changes since the latest decision. */
  readonly changes: readonly Change[]
}

/** A photo that a person uploaded. */
export interface PersonPhoto extends StoredFile {
  readonly attribute: PersonFile
}

export interface IdentificationUnderReview extends UnderReview {
  readonly identification: Identification
  readonly photos: readonly PersonPhoto[]
  /** Checks by providers, oldest first. */
  readonly checks: readonly VerificationCheck[]
  /** The ID of the company's application or, for a beneficiary, of the one that lists the person. Otherwise null. */
  readonly kybId: string | null
}
