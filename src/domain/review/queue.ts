/** Rules for the queue of cases, which are applications and identifications that await an action. */
import type { VaultScope } from '../access/grant.ts'
import type { Progress } from '../base/progress.ts'
import type { Assignment } from '../decision/assignment.ts'
import type { Pending, PROPOSED_OUTCOMES } from '../decision/confirmation.ts'
import type { Correction, Place } from '../decision/decision.ts'
import type { Party } from '../decision/review-progress.ts'
import type { RiskLevel } from '../decision/risk.ts'
import type { Entity } from '../entity/entity.ts'
import type { IdentificationParty } from '../identification/identification.ts'
import { countFieldCorrections } from '../kyb/corrections.ts'
import type { DuplicateReason } from '../screening/duplicate.ts'

/** A case in the queue, with its active assignment. */
export interface QueueEntry extends Assignment {
  readonly kind: Entity
  readonly id: string
  readonly vaultId: string
  readonly status: string
  readonly version: number
  readonly waitingOn: IdentificationParty
  readonly waitingSince: Date
  readonly createdAt: Date
  readonly openHits: number
  /** The number of true matches. */
  readonly confirmedHits: number
  /** The decision that awaits a second approval, or null. */
  readonly pending: Pick<Pending<keyof typeof PROPOSED_OUTCOMES>, 'kind' | 'by'> | null
}

export interface TitledEntry extends QueueEntry {
  /** The name of the company or person, or null if it is not known. */
  readonly title: string | null
}

export interface FoundEntry extends QueueEntry {
  /** The name that the search matched, such as that of an owner, if it is not the title. */
  readonly matched?: string
}

/** The approval or rejection of a case. */
export interface Decided {
  /** The operators or programs that decided. The first one proposed the decision. */
  readonly by: readonly string[]
  readonly at: Date
}

/** A case in a list of cases of any state. */
export interface ListedEntry extends DetailedEntry, Pick<FoundEntry, 'matched'> {
  readonly decided: Decided | null
}

/** The reasons why a case is in the queue, in descending order of importance. */
export const QUEUE_REASONS = [
  'second_review',
  'screening_hit',
  'resubmitted',
  'possible_duplicate',
  'new',
] as const
export type QueueReason = (typeof QUEUE_REASONS)[number]

const REVIEWERS: readonly IdentificationParty[] = ['operator', 'provider']

/**
 * Returns the most important reason why the case is in the queue. Returns null if the case waits on
 * neither an operator nor a provider. An operator has already seen the duplicates of a resubmitted case.
 */
export function queueReason(
  { pending, openHits, waitingOn }: Pick<QueueEntry, 'pending' | 'openHits' | 'waitingOn'>,
  isChangeRequested: boolean,
  hasDuplicates: boolean,
): QueueReason | null {
  if (pending) return 'second_review'
  if (openHits > 0) return 'screening_hit'
  if (!REVIEWERS.includes(waitingOn)) return null
  if (isChangeRequested) return 'resubmitted'
  return hasDuplicates ? 'possible_duplicate' : 'new'
}

/** Returns whether a duplicate could be the most important reason why the case is in the queue. */
export const canBeDuplicate = (entry: QueueEntry): boolean =>
  queueReason(entry, false, true) === 'possible_duplicate'

/** A request for changes, and the responses to it. */
interface Answered {
  /** The requested corrections. They are unknown if an earlier version stored the request. */
  readonly places?: readonly Place[] | undefined
  readonly corrections: readonly Correction[]
  readonly replies: readonly Correction[]
}

/**
 * Returns how many of the requested corrections are complete. A disputed correction is not complete. Returns null if no
 * correction of a field was requested.
 */
export function correctionProgress({ places = [], corrections, replies }: Answered): Progress | null {
  const total = countFieldCorrections(places)
  const left = countFieldCorrections(corrections) + countFieldCorrections(replies)
  return total > 0 ? { done: Math.max(0, total - left), total } : null
}

/** The states of a case in lists and in its header, from the operators' view. */
const CASE_OUTCOMES = [
  'not_submitted',
  'in_review',
  'changes_requested',
  'approved',
  'rejected',
  'blocked',
  'closed',
] as const
export type CaseOutcome = (typeof CASE_OUTCOMES)[number]

const FINAL: Readonly<Record<string, CaseOutcome>> = {
  approved: 'approved',
  rejected: 'rejected',
  blocked: 'blocked',
  closed: 'closed',
  abandoned: 'closed',
}

interface CaseState {
  readonly status: string
  readonly waitingOn: IdentificationParty
  /** The outcome of the latest decision, or null. */
  readonly decision: string | null
}

/** Returns the state of a case. The status `processed` of an application does not contain the outcome. */
export function caseOutcome({ status, waitingOn, decision }: CaseState): CaseOutcome {
  const final = FINAL[status === 'processed' ? (decision ?? '') : status]
  if (final !== undefined) return final
  if (REVIEWERS.includes(waitingOn)) return 'in_review'
  return isRequest(decision) ? 'changes_requested' : 'not_submitted'
}

/** Returns whether a decision asks the client or the applicant for something. */
export const isRequest = (decision: string | null): boolean =>
  decision === 'revision_requested' || decision === 'initiated'

/** A case with the details that the list shows. Values that cannot be decrypted are null. */
export interface DetailedEntry extends TitledEntry {
  /** The country of a company's incorporation, or of a person's residence or nationality (ISO 3166-1 alpha-2). */
  readonly country: string | null
  readonly riskLevel: RiskLevel | null
  readonly outcome: CaseOutcome
  /** How many of the required documents or photos are provided, or null if none are required. */
  readonly documents: Progress | null
  readonly reason: QueueReason | null
  /** How many of the requested corrections are complete, if the case was resubmitted. */
  readonly corrections: Progress | null
  /** Why the case is a possible duplicate. The list is empty if this is not the reason. */
  readonly duplicateReasons: readonly DuplicateReason[]
  /** The vault's review target, in hours. */
  readonly reviewTargetHours: number
  /** When the case becomes overdue, or null if it does not wait on an operator. */
  readonly dueAt: Date | null
}

/** The sort orders of lists of cases: of the queue by the start of the wait, and of all cases by their creation. */
export const QUEUE_ORDERS = ['oldest', 'newest'] as const
export type QueueOrder = (typeof QUEUE_ORDERS)[number]

export interface QueueFilter {
  readonly kind?: Entity | undefined
  readonly waitingOn: string
  readonly scope: VaultScope
  readonly status?: string | undefined
  /** The minimum duration of the wait, in seconds. */
  readonly waitingLongerThan?: number | undefined
  /** Selects only cases with open hits, whichever party acts next. */
  readonly hits?: boolean | undefined
  /** Selects only cases with a decision that this actor can confirm as the second operator. */
  readonly secondReviewBy?: string | undefined
  /** Selects only cases that have awaited review for longer than their vault's review target. */
  readonly isOverdue?: boolean | undefined
  readonly isNewestFirst?: boolean | undefined
  /** Selects only cases with this country (ISO 3166-1 alpha-2), as the list shows it. */
  readonly country?: string | undefined
  readonly riskLevel?: RiskLevel | undefined
  /** Selects only cases that are assigned to this actor. If `to` is null, selects only unassigned cases. */
  readonly assigned?: { readonly to: string | null } | undefined
  /** Excludes cases with a pending decision of this actor. */
  readonly notDecidedBy?: string
}

/**
 * The statuses of cases, which are applications or identifications without an application. An `open` case is in review
 * or with the applicant.
 */
export const CASE_STATUSES = [
  'open',
  'in_review',
  'with_applicant',
  'approved',
  'rejected',
  'closed',
] as const
export type CaseStatus = (typeof CASE_STATUSES)[number]

export interface CaseFilter {
  readonly kind?: Entity | undefined
  readonly scope: VaultScope
  readonly status?: CaseStatus | undefined
  /** The party that acts next. */
  readonly waitingOn?: Party | undefined
  /** The party whose turn it is not. */
  readonly notWaitingOn?: Party | undefined
  /** Selects only cases with this country (ISO 3166-1 alpha-2), as the list shows it. */
  readonly country?: string | undefined
  readonly riskLevel?: RiskLevel | undefined
  readonly isOldestFirst?: boolean | undefined
}

/** The search terms for an application or identification. All of them must match. */
export interface Lookup {
  readonly scope: VaultScope
  /** The client's own ID. */
  readonly externalId?: string | undefined
  readonly email?: string | undefined
  /** A company's legal name, or a person's first names if `surname` is present. */
  readonly name?: string | undefined
  readonly surname?: string | undefined
  /** The country (ISO 3166-1 alpha-2) and the risk level, as the list of all cases shows them. */
  readonly country?: string | undefined
  readonly riskLevel?: RiskLevel | undefined
}
