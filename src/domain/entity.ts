/** What has a workflow of its own, and what can be asked of each. */
import type {
  IdentificationFact,
  IdentificationSnapshot,
  IdentificationState,
} from './identification/identification.ts'
import type { IdentificationCommand } from './identification/transition.ts'
import type { KybFact, KybSnapshot, KybState } from './kyb/application.ts'
import type { KybCommand } from './kyb/transition.ts'

/** The commands of each kind of entity: one is the same value from its route to its transition. */
export interface Commands {
  kyb: KybCommand
  identification: IdentificationCommand
}

/** The facts that each kind of entity follows. */
export interface Facts {
  kyb: KybFact
  identification: IdentificationFact
}

/** What decides a command, and what is kept of where it led. */
export interface States {
  kyb: KybState
  identification: IdentificationState
}

/** The state of each kind of entity as its workflow carries it. */
export interface Snapshots {
  kyb: KybSnapshot
  identification: IdentificationSnapshot
}

export type Entity = keyof Commands
export const ENTITY_KINDS = ['kyb', 'identification'] as const satisfies readonly Entity[]

const CONSOLE_FOLDERS: Record<Entity, string> = { kyb: 'kyb', identification: 'identifications' }
/** Where the console shows it. */
export const consolePath = (entity: Entity, id: string): string => `/console/${CONSOLE_FOLDERS[entity]}/${id}`

/** Something of a vault, by its id. */
export interface Ref {
  readonly id: string
  readonly vaultId: string
}

export interface EntityRef<E extends Entity = Entity> extends Ref {
  readonly entity: E
}
