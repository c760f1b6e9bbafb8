/** An identification as transitions read and change it, and the services that its holds block. */
import type { Assignment } from '../decision/assignment.ts'
import type { ReviewPolicy } from '../decision/confirmation.ts'
import type { Correction, Decision, Finding, Reply } from '../decision/decision.ts'
import type { ReviewProgress } from '../decision/review-progress.ts'
import type { Risk } from '../decision/risk.ts'
import type { Screened } from '../screening/screening.ts'
import { type HoldOwner, isCaseOwner, type Service } from './holds.ts'
import type {
  IdentificationSnapshot,
  IdentificationState,
  MoveKind,
  Outcome,
  Standing,
} from './identification.ts'
import { hasDeclined } from './person-form.ts'
import type { Profile } from './profile.ts'

export interface Account {
  readonly id: string
  /** 8 characters that people can read out. */
  readonly referral: string
}

/** Who or what can decide a verification; the client does before an import. */
export const VERIFIERS = ['provider', 'operator', 'application', 'client'] as const
export type Verifier = (typeof VERIFIERS)[number]

/** The newest decision, as the client may see it. */
export interface IdentificationReview {
  readonly outcome: Outcome
  readonly reasonCode: string
  readonly clientComment: string | null
  /** Unix seconds. */
  readonly decidedAt: number
  readonly findings: readonly Finding[]
  /** The person or company as an approval found it; later edits do not change it. */
  readonly verified?: Profile
  readonly by?: Verifier
  /** What the applicant still has to correct. */
  readonly corrections: readonly Correction[]
  /** To the newest request for changes. */
  readonly replies: readonly Reply[]
}

export interface IdentificationDecision extends Decision {
  readonly kind: MoveKind
  /** What the applicant is asked to mend. */
  readonly fields?: readonly string[] | undefined
}

/** The closing of a case by an operator. */
export interface CaseClosing {
  readonly kind: 'close_case'
  readonly caseId: string
  /** Of the identification, as it was read. */
  readonly version?: number | undefined
}

export interface IdentificationRecord extends Pick<IdentificationSnapshot, 'kind' | 'origin'>, Screened {
  readonly id: string
  readonly externalUuid: string
  readonly state: IdentificationState
  readonly profile: Profile
  /** Oldest first; the verification of a beneficiary has none. */
  readonly accounts: readonly Account[]
  /** Whether the vault has internal settlements, so that blocks cover them too. */
  readonly internalSettlements: boolean
  readonly review: IdentificationReview | null
  /** The decision that waits for a second operator, in its words. */
  readonly proposal: IdentificationDecision | CaseClosing | null
  /** What makes a company's application a high risk; none of a person. */
  readonly companyRisks: readonly Risk[]
  /** What its vault wants of reviews. */
  readonly policy: ReviewPolicy
  /** When what is personal of it was erased. */
  readonly erasedAt: Date | null
}

/** One service of one account, blocked by one hold. */
export interface ServiceBlock {
  readonly holdId: string
  readonly accountId: string
  readonly service: Service
}

/** Holds on an identification that is not approved yet block nothing; they take effect on approval. */
export function serviceBlocksOf({ state, accounts }: IdentificationRecord): ServiceBlock[] {
  if (state.verification !== 'approved') return []
  return state.holds.flatMap((hold) =>
    accounts.flatMap(({ id }) =>
      hold.services.map((service) => ({ holdId: hold.id, accountId: id, service })),
    ),
  )
}

/** Who blocks, as the client is told: which case it is, is internal. */
export const BLOCKERS = ['client', 'internal_case', 'closure'] as const
type Blocker = (typeof BLOCKERS)[number]

const blockerOf = (owner: HoldOwner): Blocker => (isCaseOwner(owner) ? 'internal_case' : owner)

/** What the client, all cases together, and the closing block of every account; what blocks nothing is left out. */
export function blocksOf({ verification, holds }: Standing): { by: Blocker; services: Service[] }[] {
  if (verification !== 'approved') return []
  return BLOCKERS.flatMap((by) => {
    const held = holds.filter(({ owner }) => blockerOf(owner) === by).flatMap(({ services }) => services)
    return held.length > 0 ? [{ by, services: [...new Set(held)] }] : []
  })
}

/**
 * Rejected, closed, closed for good after approval, or without the consent of its applicant: from then on it is kept
 * only as long as it must be.
 */
export const isConcluded = ({
  state: { verification, holds },
  profile,
}: Pick<IdentificationRecord, 'state' | 'profile'>): boolean =>
  verification === 'rejected' ||
  verification === 'closed' ||
  holds.some(({ owner }) => owner === 'closure') ||
  (verification === 'initiated' && hasDeclined(profile))

/** Nobody has looked at it, and nobody was to. */
export const isUnsubmitted = ({ state, review }: Pick<IdentificationRecord, 'state' | 'review'>): boolean =>
  state.verification === 'initiated' && state.waitingOn === 'applicant' && review === null

/** As it is shown. */
export interface Identification extends Omit<IdentificationRecord, 'companyRisks'>, Assignment {
  readonly vaultId: string
  /** The application that it was created with, of a company. */
  readonly kybId: string | null
  readonly name: string
  readonly surname: string
  /** Since when whoever acts next is waited for. */
  readonly waitingSince: Date
  /** Of its application, if it has one. */
  readonly kybProgress: ReviewProgress | null
  /** When the version last changed. */
  readonly updatedAt: Date
  readonly createdAt: Date
}

/** As clients see it in a list. */
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
    | 'review'
    | 'updatedAt'
    | 'createdAt'
    | 'erasedAt'
  > {
  readonly state: Standing & Pick<IdentificationState, 'waitingOn' | 'awaitsKyb' | 'version'>
}

/** As it is decided on: a company's application says how risky it is. */
export interface DecidedIdentification extends Identification, IdentificationRecord {}
