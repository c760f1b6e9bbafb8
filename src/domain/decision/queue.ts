/** Rules for the queue of cases that wait for an action: applications and identifications. */
import type { Entity } from '../entity.ts'
import type { IdentificationParty } from '../identification/identification.ts'
import type { Assignment } from './assignment.ts'

/** An entry of the queue, with the assignment in force. */
export interface QueueEntry extends Assignment {
  readonly kind: Entity
  readonly id: string
  readonly vaultId: string
  readonly status: string
  readonly version: number
  readonly waitingOn: IdentificationParty
  readonly waitingSince: Date
  readonly openHits: number
  /** A decision awaits a second approval. */
  readonly isPending: boolean
}

export interface TitledEntry extends QueueEntry {
  /** The name of the company or the person; null if none is known. */
  readonly title: string | null
}

export interface QueueFilter {
  readonly kind?: Entity | undefined
  readonly waitingOn: string
  readonly vaultId?: string | undefined
  readonly status?: string | undefined
  /** In seconds. */
  readonly waitingLongerThan?: number | undefined
  /** Only cases with open hits, whichever party acts next. */
  readonly hits?: boolean | undefined
  /** Assigned to this actor, or unassigned if `to` is null. */
  readonly assigned?: { readonly to: string | null } | undefined
  /** Excludes cases with a pending decision of this actor. */
  readonly notDecidedBy?: string
}

/** Search terms for an application or identification, all of which must match. */
export interface Lookup {
  readonly vaultId?: string | undefined
  /** The client's own ID. */
  readonly externalId?: string | undefined
  readonly email?: string | undefined
  /** A company's legal name, or the first name of a person whose `surname` is given. */
  readonly name?: string | undefined
  readonly surname?: string | undefined
}
