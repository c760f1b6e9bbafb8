/** What a workflow of an entity is started with, told and asked. */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow'
import type { Ref } from '../src/domain/entity.ts'
import type { Problem } from '../src/domain/errors.ts'
import type { Hold } from '../src/domain/identification/holds.ts'

/** An entity as its workflow is started: no personal data, since histories are kept and shown. */
export interface EntityStart<State> extends Ref {
  readonly state: State
}

/** In the memo of a workflow: where the console shows its entity. */
export const CONSOLE = 'console'

/** A command is a row in the database; its message names the row and the kind. */
export interface CommandMessage {
  readonly commandId: string
  readonly kind: string
}

/** What came of a command, once that is final. */
export type CommandOutcome =
  | { readonly outcome: 'applied' }
  | { readonly outcome: 'refused'; readonly problems: readonly Problem[] }
  | { readonly outcome: 'withdrawn' }

/** The first paths of what is missing, and how many there are. */
interface Requirements {
  readonly missing: readonly string[]
  readonly missingCount: number
}

/** The type of the failure by which a workflow says no; the database says why. */
export const REFUSED = 'refused'
/** The type of the failure by which a workflow that continues as new asks to be called again. */
export const DRAINING = 'draining'

/** Update: a command that may be refused and is answered. */
export const command = defineUpdate<CommandOutcome, [CommandMessage]>('command')
/** Signal: read the state again from the database. */
export const resync = defineSignal('resync')
/** Signal: something has happened that the entity follows. */
export const fact = defineSignal<[unknown]>('fact')
/** What the message says it is, for people to read; messages can be sent by hand. */
export function kindOf(message: unknown): string {
  const { kind } = Object(message) as { kind?: unknown }
  return typeof kind === 'string' ? kind.slice(0, 40) : 'malformed'
}
/** Query: what the workflow believes of its entity; nothing personal is in it. */
export const state = defineQuery<unknown>('state')
/** Query: what blocks services of an identification. */
export const holds = defineQuery<readonly Hold[]>('holds')
/** Query: what an application still lacks. */
export const requirements = defineQuery<Requirements>('requirements')
/** Query: may the application be edited, and if not, why. */
export const editLock = defineQuery<Problem | null>('editLock')
