/** Workflow: the messages that an entity's workflow accepts, and its input. */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow'
import type { Problem } from '../src/domain/base/errors.ts'
import type { Ref } from '../src/domain/entity/entity.ts'
import type { Hold } from '../src/domain/identification/holds.ts'

/** A workflow's input. Histories are stored and shown, so the state contains no personal data. */
export interface EntityStart<State> extends Ref {
  readonly state: State
}

/** The key in a workflow's memo for the console address of the entity. */
export const CONSOLE = 'console'

/** Refers to the row of a command in the database. */
export interface CommandMessage {
  readonly commandId: string
  readonly kind: string
}

export type CommandOutcome =
  | { readonly outcome: 'applied' }
  | { readonly outcome: 'refused'; readonly problems: readonly Problem[] }
  | { readonly outcome: 'withdrawn' }

/** The paths of the first missing fields of an application, and the total number of missing fields. */
interface Requirements {
  readonly missing: readonly string[]
  readonly missingCount: number
}

/** The failure type with which a workflow refuses a command. The database has the reason. */
export const REFUSED = 'refused'
/** The failure type with which a workflow that is about to continue as new requests a retry. */
export const DRAINING = 'draining'

/** Update: a command, which may be refused. Its sender receives the outcome. */
export const command = defineUpdate<CommandOutcome, [CommandMessage]>('command')
/** Signal: reads the state from the database again. */
export const resync = defineSignal('resync')
/** Signal: a fact from outside, which the entity applies. */
export const fact = defineSignal<[unknown]>('fact')
/** Returns the kind of a message for a summary. People can send any message by hand. */
export function kindOf(message: unknown): string {
  const { kind } = Object(message) as { kind?: unknown }
  return typeof kind === 'string' ? kind.slice(0, 40) : 'malformed'
}
/** Query: the state of the entity. It contains no personal data. */
export const state = defineQuery<unknown>('state')
/** Query: the holds that block services of an identification. */
export const holds = defineQuery<readonly Hold[]>('holds')
/** Query: the paths of an application's missing fields. */
export const requirements = defineQuery<Requirements>('requirements')
/** Query: the reason why an application cannot be edited, or null if it can. */
export const editLock = defineQuery<Problem | null>('editLock')
