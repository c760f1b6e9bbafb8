/** What operators read of an application or identification before they decide about it. */
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
import type { Risk } from './risk.ts'

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

/** What is known beside an application or identification itself. */
export interface UnderReview {
  readonly vault: VaultName
  readonly waitingOn: IdentificationParty
  readonly risks: readonly Risk[]
  /** Those in force and the newest that were lifted, oldest first. */
  readonly holds: readonly HoldWithNotes[]
  /** In whichever vault they are. */
  readonly duplicates: Duplicates
  readonly screening: ScreeningResult
  /** With its place in Temporal's UI, if the UI's address is known. */
  readonly workflow: { readonly id: string; readonly url: string | null }
}

/** A beneficiary's own check, the current one or an earlier one of a person whom the application named before. */
export interface PersonCheck {
  readonly id: string
  readonly status: IdentificationStatus
  readonly version: number
  readonly waitingOn: IdentificationParty
  readonly waitingSince: Date
  /** Names, birth date, nationality and document; null unless the check was approved. */
  readonly verified: Profile | null
}

export interface PersonChecks {
  /** Null until its link is first opened. */
  readonly current: PersonCheck | null
  /** Newest first. */
  readonly earlier: readonly PersonCheck[]
}

export interface KybUnderReview extends UnderReview {
  readonly application: KybApplication
  /** What is due, and why. */
  readonly due: readonly Due[]
  /** By beneficiary. */
  readonly checks: ReadonlyMap<string, PersonChecks>
  /** Who made the newest decision, and with what note; null before the first. */
  readonly decided: { readonly actor: string; readonly internalNote: string | null } | null
  /** Since the last decision. */
  readonly changes: readonly Change[]
}

/** A picture that a person took. */
export interface PersonPhoto extends StoredFile {
  readonly attribute: PersonFile
}

export interface IdentificationUnderReview extends UnderReview {
  readonly identification: Identification
  readonly photos: readonly PersonPhoto[]
  /** By providers, oldest first. */
  readonly checks: readonly VerificationCheck[]
  /** The application of the company, or the one that names the person as a beneficiary. */
  readonly kybId: string | null
}
