/** Rules for stored identifications, and for the services that their holds block. */

import type { ReviewPolicy } from '../access/review-policy.ts'
import type { Assignment } from '../decision/assignment.ts'
import type { Correction, Decision, Finding, Place, Reply } from '../decision/decision.ts'
import type { Later } from '../decision/profile-change.ts'
import type { ReviewProgress } from '../decision/review-progress.ts'
import type { Risk } from '../decision/risk.ts'
import type { Screened } from '../screening/screening.ts'
import { type HoldOwner, isInternalOwner, type Service } from './holds.ts'
import type {
  IdentificationSnapshot,
  IdentificationState,
  MoveKind,
  Outcome,
  Standing,
} from './identification.ts'
import { type ApplicantForm, hasDeclined } from './person-form.ts'
import type { Profile } from './profile.ts'

export interface Account {
  readonly id: string
  /** The referral code, which has 8 characters that are easy to read aloud. */
  readonly referral: string
}

/** The parties that can decide on a verification. The client decides on an import. */
export const VERIFIERS = ['provider', 'operator', 'application', 'client'] as const
export type Verifier = (typeof VERIFIERS)[number]

/** The latest decision, with the details that the client may see. */
export interface IdentificationReview {
  readonly outcome: Outcome
  readonly reasonCode: string
  readonly clientComment: string | null
  /** When the decision was made, in Unix seconds. */
  readonly decidedAt: number
  readonly findings: readonly Finding[]
  /** The profile at the time of the approval. Later edits do not change this copy. */
  readonly verified?: Profile
  readonly by?: Verifier
  /** The corrections that the applicant still has to make. */
  readonly corrections: readonly Correction[]
  /** The applicant's replies to the latest request for changes. */
  readonly replies: readonly Reply[]
  /**
   * All requested corrections, including completed ones. A decision that an earlier version stored does not have them.
   */
  readonly places?: readonly Place[]
}

export interface IdentificationDecision extends Decision {
  readonly kind: MoveKind
  readonly fields?: readonly string[] | undefined
}

/** An operator's decision to lift an internal hold. */
export interface HoldLifting {
  readonly kind: 'close_case'
  readonly caseId: string
  /** The version of the identification that the operator read. */
  readonly version?: number | undefined
}

export interface IdentificationRecord extends Pick<IdentificationSnapshot, 'kind' | 'origin'>, Screened {
  readonly id: string
  readonly externalUuid: string
  readonly state: IdentificationState
  /** The fields of the person. If absent, they are the specified ones. */
  readonly form?: ApplicantForm
  /** The later versions of the vault's profile to which the verification can move. If absent, there are none. */
  readonly later?: readonly Later<ApplicantForm>[]
  readonly profile: Profile
  /** The accounts, oldest first. The verification of a beneficiary has none. */
  readonly accounts: readonly Account[]
  /** Whether the vault has internal settlements. If it has, blocks also cover them. */
  readonly internalSettlements: boolean
  readonly review: IdentificationReview | null
  /** The complete decision that awaits a second approval, or null. */
  readonly proposal: IdentificationDecision | HoldLifting | null
  /** The reasons why the company's application is high-risk. The list is empty for a person. */
  readonly companyRisks: readonly Risk[]
  readonly policy: ReviewPolicy
  /** When the personal data was erased, or null if it was not. */
  readonly erasedAt: Date | null
}

export interface ServiceBlock {
  readonly holdId: string
  readonly accountId: string
  readonly service: Service
}

/** Returns the services that the holds block. Holds take effect only while the identification is approved. */
export function serviceBlocksOf({ state, accounts }: IdentificationRecord): ServiceBlock[] {
  if (state.verification !== 'approved') return []
  return state.holds.flatMap((hold) =>
    accounts.flatMap(({ id }) =>
      hold.services.map((service) => ({ holdId: hold.id, accountId: id, service })),
    ),
  )
}

/** The origins of blocks, as clients see them. Clients do not see individual internal holds. */
export const BLOCKERS = ['client', 'internal_case', 'closure'] as const
type Blocker = (typeof BLOCKERS)[number]

const blockerOf = (owner: HoldOwner): Blocker => (isInternalOwner(owner) ? 'internal_case' : owner)

/**
 * Returns the services that are blocked by the client, by all internal holds together, and by a closure. Omits origins that
 * block nothing.
 */
export function blocksOf({ verification, holds }: Standing): { by: Blocker; services: Service[] }[] {
  if (verification !== 'approved') return []
  return BLOCKERS.flatMap((by) => {
    const held = holds.filter(({ owner }) => blockerOf(owner) === by).flatMap(({ services }) => services)
    return held.length > 0 ? [{ by, services: [...new Set(held)] }] : []
  })
}

/**
 * Returns whether the retention period has started, because the identification is rejected or closed or its applicant
 * has refused consent.
 */
export const isConcluded = ({
  state: { verification, holds },
  profile,
}: Pick<IdentificationRecord, 'state' | 'profile'>): boolean =>
  verification === 'rejected' ||
  verification === 'closed' ||
  holds.some(({ owner }) => owner === 'closure') ||
  (verification === 'initiated' && hasDeclined(profile))

/** Returns whether the applicant has not yet submitted the form and no review has taken place. */
export const isUnsubmitted = ({ state, review }: Pick<IdentificationRecord, 'state' | 'review'>): boolean =>
  state.verification === 'initiated' && state.waitingOn === 'applicant' && review === null

/** An identification as responses and pages show it. */
export interface Identification extends Omit<IdentificationRecord, 'companyRisks'>, Assignment {
  readonly vaultId: string
  /** The application that created the identification of a company, or null. */
  readonly kybId: string | null
  readonly name: string
  readonly surname: string
  /** When the identification began to wait on the current party. */
  readonly waitingSince: Date
  /** The review progress of the application, or null if there is no application. */
  readonly kybProgress: ReviewProgress | null
  /** When the newest email to the applicant failed, or null if it did not. */
  readonly undeliveredAt: Date | null
  /** When the version last changed. */
  readonly updatedAt: Date
  readonly createdAt: Date
}

/** An identification in a client's list. */
export interface ListedIdentification
  extends Pick<
    Identification,
    | 'id'
    | 'name'
    | 'surname'
    | 'externalUuid'
    | 'accounts'
    | 'kybId'
    | 'kybProgress'
    | 'undeliveredAt'
    | 'review'
    | 'updatedAt'
    | 'createdAt'
    | 'erasedAt'
  > {
  readonly state: Standing & Pick<IdentificationState, 'waitingOn' | 'awaitsKyb' | 'version'>
}

/** An identification with the risks of its company's application, which decisions need. */
export interface DecidedIdentification extends Identification, IdentificationRecord {}
