/** Rules for entities, each of which has a workflow, and for their commands, facts and states. */
import type {
  IdentificationFact,
  IdentificationSnapshot,
  IdentificationState,
} from '../identification/identification.ts'
import type { IdentificationCommand } from '../identification/transition.ts'
import type { KybFact, KybSnapshot, KybState } from '../kyb/application.ts'
import type { KybCommand } from '../kyb/record.ts'

/** The commands of each kind of entity. Routes, workflows and transitions use the same values. */
export interface Commands {
  kyb: KybCommand
  identification: IdentificationCommand
}

export interface Facts {
  kyb: KybFact
  identification: IdentificationFact
}

/** The state of each kind of entity, which determines whether a command is allowed. */
export interface States {
  kyb: KybState
  identification: IdentificationState
}

/** The state that the workflow of each kind of entity keeps. */
export interface Snapshots {
  kyb: KybSnapshot
  identification: IdentificationSnapshot
}

export type Entity = keyof Commands
export const ENTITY_KINDS = ['kyb', 'identification'] as const satisfies readonly Entity[]

/** A resource of a vault. */
export interface Ref {
  readonly id: string
  readonly vaultId: string
}

export interface EntityRef<E extends Entity = Entity> extends Ref {
  readonly entity: E
}

/** Identifies an entity whose vault does not matter. */
export type EntityKey = Omit<EntityRef, 'vaultId'>
