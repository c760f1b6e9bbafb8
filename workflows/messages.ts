/** What clients, workflows and activities say to each other: messages, their arguments and answers. */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow'
import type { Problem } from '../src/domain/errors.ts'
import type { IdentificationState, Origin } from '../src/domain/identification.ts'
import type { KybState, ReasonCode, ReviewOutcome } from '../src/domain/kyb-application.ts'

/** An entity as its workflow is started: no personal data, since histories are kept and shown. */
export interface EntityStart<State> {
  readonly id: string
  readonly vaultId: string
  readonly state: State
}

/** What the workflow of an application carries: what decides commands, and what an operator reads. */
export interface KybSnapshot extends KybState {
  readonly identificationId: string
  /** The first paths of what is missing, and how many there are. */
  readonly missing: readonly string[]
  readonly missingCount: number
  readonly review: {
    readonly outcome: ReviewOutcome
    readonly reasonCode: ReasonCode
    /** ISO 8601. */
    readonly decidedAt: string
  } | null
}

export interface IdentificationSnapshot extends IdentificationState {
  readonly kind: 'person' | 'company'
  readonly origin: Origin
}

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

/** What an activity that applies a fact or reads the database did, and the state that the row has now. */
export interface Transition<State> {
  /** `stale`: the row has another version than the one expected, and nothing was written. */
  readonly outcome: 'applied' | 'stale'
  readonly state: State
}

/** The same of an activity that applies commands, with what came of each. */
export type CommandsResult<State> =
  | { readonly outcome: 'stale'; readonly state: State }
  | {
      readonly outcome: 'applied'
      /** Null when all commands were withdrawn: then nothing was read. */
      readonly state: State | null
      readonly outcomes: readonly CommandOutcome[]
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
/** Query: may the application be edited, and if not, why. */
export const editLock = defineQuery<Problem | null>('editLock')
