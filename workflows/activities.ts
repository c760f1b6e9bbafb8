/** What workflows ask of the world; `activities/` does it. */
import type { Ref } from '../src/domain/entity.ts'
import type { IdentificationSnapshot } from '../src/domain/identification/identification.ts'
import type { KybSnapshot } from '../src/domain/kyb/application.ts'
import type { CommandOutcome } from './messages.ts'

export interface CommandsInput extends Ref {
  /** In the order in which they came. */
  readonly commandIds: readonly string[]
  /** The version of the state on which the workflow let the commands pass. */
  readonly version: number
}

interface FactInput extends Ref {
  /** The message as it came: whether it states a fact is said here, and not by the workflow. */
  readonly fact: unknown
  /** What causes the entry of the timeline when it states none. */
  readonly malformedId: string
  /** The version of the state that the workflow holds. */
  readonly version: number
}

/** What an activity that applies a fact or reads the database did, and the state that the row has now. */
export interface Transition<State> {
  /** `stale`: the row has another version than the one expected, and nothing was written. */
  readonly outcome: 'applied' | 'stale'
  /** Null when nothing was read. */
  readonly state: State | null
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

export interface KybApplicationActivities {
  applyKybCommands(input: CommandsInput): Promise<CommandsResult<KybSnapshot>>
  /** Abandons an application whose identification was closed; one that has ended stays as it is. */
  applyKybFact(input: FactInput): Promise<Transition<KybSnapshot>>
  /** Of histories of before `leavesRules` (`workflows/entity.ts`). */
  recordMalformedKybFact(input: Ref & { readonly factId: string }): Promise<void>
  loadKybApplication(ref: Ref): Promise<Transition<KybSnapshot>>
  /** Tells the company's identification how the review ended; the same fact may arrive twice. */
  signalIdentification(ref: Ref): Promise<void>
}

export interface IdentificationActivities {
  applyIdentificationCommands(input: CommandsInput): Promise<CommandsResult<IdentificationSnapshot>>
  /** Follows a fact once; one that comes twice, too late or malformed changes nothing but the timeline. */
  applyIdentificationFact(input: FactInput): Promise<Transition<IdentificationSnapshot>>
  /** Likewise. */
  recordMalformedFact(input: Ref & { readonly factId: string }): Promise<void>
  loadIdentification(ref: Ref): Promise<Transition<IdentificationSnapshot>>
  /** Tells the company's application, if there is one, that its identification was closed. */
  signalKybApplication(ref: Ref): Promise<void>
  /** Tells the application of a beneficiary that the person is verified. */
  signalVerification(ref: Ref): Promise<void>
}

/** A check that the provider took on, and for how much longer its answer is waited for. */
export interface PendingCheck {
  readonly checkId: string
  readonly waitMs: number
}

export interface VerificationCheckActivities {
  /**
   * Asks the provider. What it says is signalled as a fact; when it answers later, gives the check that is to be
   * waited for. A check that is not waited for any more ends.
   */
  runVerificationCheck(ref: Ref): Promise<PendingCheck | null>
  /** Ends when the check is answered, by whoever takes the answer. */
  awaitVerificationAnswer(checkId: string): Promise<void>
}

/** What a run left: what no URL accepted, and what slow hosts have not answered yet. */
interface LeftDeliveries {
  readonly notAccepted: readonly string[]
  readonly slow: readonly string[]
}

export interface WebhookDeliveryActivities {
  /**
   * Throws `not_accepted`, which the retry policy counts, until the state of every log is final. As a local activity
   * it gives back what slow hosts keep, for the queue that waits for them, and what is left beside it.
   */
  deliverWebhooks(ids: readonly string[]): Promise<LeftDeliveries>
}

/** By the names of its steps, how much each found or did, or in words that it failed. */
export type HousekeepingResult = Readonly<Record<string, number | string>>

export interface HousekeepingActivities {
  housekeep(): Promise<HousekeepingResult>
}

export type Activities = KybApplicationActivities &
  IdentificationActivities &
  VerificationCheckActivities &
  WebhookDeliveryActivities &
  HousekeepingActivities
