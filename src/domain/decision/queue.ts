/** What waits for someone: applications and identifications together. */
import type { Entity } from '../entity.ts'
import type { IdentificationParty } from '../identification/identification.ts'
import type { Assignment } from './assignment.ts'

/** The assignment is the one in force. */
export interface QueueEntry extends Assignment {
  readonly kind: Entity
  readonly id: string
  readonly vaultId: string
  readonly status: string
  readonly version: number
  readonly waitingOn: IdentificationParty
  readonly waitingSince: Date
  readonly openHits: number
  /** A decision waits for a second operator. */
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
  /** With open hits, whomever they wait for. */
  readonly hits?: boolean | undefined
  /** To an actor, or to nobody. */
  readonly assigned?: { readonly to: string | null } | undefined
  /** Without what this actor has decided and another is to confirm. */
  readonly notDecidedBy?: string
}

/** What an application or identification is looked for by: all that is given must match. */
export interface Lookup {
  readonly vaultId?: string | undefined
  /** The client's own id. */
  readonly externalId?: string | undefined
  readonly email?: string | undefined
  /** A company's legal name, or the first name of a person whose `surname` is given. */
  readonly name?: string | undefined
  readonly surname?: string | undefined
}
