/** Rules for the queue of cases that wait for an action: applications and identifications. */
import type { VaultScope } from '../access/grant.ts'
import type { Entity } from '../entity.ts'
import type { IdentificationParty } from '../identification/identification.ts'
import { countFieldCorrections } from '../kyb/content.ts'
import type { Progress } from '../progress.ts'
import type { Assignment } from './assignment.ts'
import type { Pending, PROPOSED_OUTCOMES } from './confirmation.ts'
import type { Correction, Place } from './decision.ts'
import type { RiskLevel } from './risk.ts'

/** An entry of the queue, with its active assignment. */
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
  /** True matches. */
  readonly confirmedHits: number
  /** A decision that awaits a second approval. */
  readonly pending: Pick<Pending<keyof typeof PROPOSED_OUTCOMES>, 'kind' | 'by'> | null
}

export interface TitledEntry extends QueueEntry {
  /** The name of the company or the person, or null if none is known. */
  readonly title: string | null
}

/** The reasons why a case is in the queue, most important first. */
export const QUEUE_REASONS = ['second_review', 'screening_hit', 'resubmitted', 'new'] as const
export type QueueReason = (typeof QUEUE_REASONS)[number]

const REVIEWERS: readonly IdentificationParty[] = ['operator', 'provider']

/**
 * Returns the most important reason why the case is in the queue, or null if it only waits on someone else.
 */
export function queueReason(
  { pending, openHits, waitingOn }: Pick<QueueEntry, 'pending' | 'openHits' | 'waitingOn'>,
  isChangeRequested: boolean,
): QueueReason | null {
  if (pending) return 'second_review'
  if (openHits > 0) return 'screening_hit'
  if (!REVIEWERS.includes(waitingOn)) return null
  return isChangeRequested ? 'resubmitted' : 'new'
}

/** The answers to the latest request for changes. */
interface Answered {
  /** The requested corrections. They are unknown for older requests. */
  readonly places?: readonly Place[] | undefined
  readonly corrections: readonly Correction[]
  readonly replies: readonly Correction[]
}

/**
 * Returns the number of completed corrections, without disputed ones. Returns null if no correction of a
 * field was requested.
 */
export function correctionProgress({ places = [], corrections, replies }: Answered): Progress | null {
  const total = countFieldCorrections(places)
  const left = countFieldCorrections(corrections) + countFieldCorrections(replies)
  return total > 0 ? { done: Math.max(0, total - left), total } : null
}

/** An entry with the data that its list shows. Values that cannot be decrypted are null. */
export interface DetailedEntry extends TitledEntry {
  /** ISO 3166-1 alpha-2 code of a company's incorporation, or of a person's residence or nationality. */
  readonly country: string | null
  readonly riskLevel: RiskLevel | null
  /** The required documents or photos that are provided. Null if none are required. */
  readonly documents: Progress | null
  readonly reason: QueueReason | null
  /** The corrections of a resubmitted case. */
  readonly corrections: Progress | null
  /** The vault's review target. */
  readonly reviewTargetHours: number
  /** When the target ends. Null unless the case waits on an operator. */
  readonly dueAt: Date | null
}

/** Sorted by the start of the wait. */
export const QUEUE_ORDERS = ['oldest', 'newest'] as const

export interface QueueFilter {
  readonly kind?: Entity | undefined
  readonly waitingOn: string
  readonly scope: VaultScope
  readonly status?: string | undefined
  /** In seconds. */
  readonly waitingLongerThan?: number | undefined
  /** Only cases with open hits, whichever party acts next. */
  readonly hits?: boolean | undefined
  /** Only cases with a decision that this actor can approve as the second operator. */
  readonly secondReviewBy?: string | undefined
  /** Only cases that have awaited review for longer than the review target of their vault. */
  readonly isOverdue?: boolean | undefined
  readonly isNewestFirst?: boolean | undefined
  /** Only cases that are assigned to this actor, or unassigned if `to` is null. */
  readonly assigned?: { readonly to: string | null } | undefined
  /** Excludes cases with a pending decision of this actor. */
  readonly notDecidedBy?: string
}

/** The statuses of cases of both types: applications, and identifications without an application. */
export const CASE_STATUSES = ['open', 'approved', 'rejected', 'closed'] as const
export type CaseStatus = (typeof CASE_STATUSES)[number]

export interface CaseFilter {
  readonly kind?: Entity | undefined
  readonly scope: VaultScope
  readonly status?: CaseStatus | undefined
}

/** Search terms for an application or identification, all of which must match. */
export interface Lookup {
  readonly scope: VaultScope
  /** The client's own ID. */
  readonly externalId?: string | undefined
  readonly email?: string | undefined
  /** A company's legal name, or the first name of a person whose `surname` is given. */
  readonly name?: string | undefined
  readonly surname?: string | undefined
}
