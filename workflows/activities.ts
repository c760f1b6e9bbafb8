/** Workflow: the activities that workflows call. `activities/` implements them. */
import type { Ref } from '../src/domain/entity.ts'
import type { IdentificationSnapshot } from '../src/domain/identification/identification.ts'
import type { KybSnapshot } from '../src/domain/kyb/application.ts'
import type { CommandOutcome } from './messages.ts'

export interface CommandsInput extends Ref {
  /** In the order in which they came. */
  readonly commandIds: readonly string[]
  /** The version of the state that the workflow holds. */
  readonly version: number
}

export interface FactInput extends Ref {
  /** The message as it came. The activity parses it. */
  readonly fact: unknown
  /** Identifies the timeline entry of a malformed message, which has no id of its own. */
  readonly malformedId: string
  /** The version of the state that the workflow holds. */
  readonly version: number
}

/** The result of an activity that applies a fact or reads the database. */
export interface Transition<State> {
  /** `stale`: the row has another version than the one given, and nothing was written. */
  readonly outcome: 'applied' | 'stale'
  /** The row's state, or null if nothing was read. */
  readonly state: State | null
}

/** The result of an activity that applies commands. */
export type CommandsResult<State> =
  | { readonly outcome: 'stale'; readonly state: State }
  | {
      readonly outcome: 'applied'
      /** Null if all commands were withdrawn: then nothing was read. */
      readonly state: State | null
      /** One for each command. */
      readonly outcomes: readonly CommandOutcome[]
    }

export interface KybApplicationActivities {
  applyKybCommands(input: CommandsInput): Promise<CommandsResult<KybSnapshot>>
  /** Applies a fact once. A duplicate, late, untrue or malformed one changes only the timeline. */
  applyKybFact(input: FactInput): Promise<Transition<KybSnapshot>>
  loadKybApplication(ref: Ref): Promise<Transition<KybSnapshot>>
  /** Reports the end of the review to the company's identification. The fact may arrive twice. */
  signalKybProcessed(ref: Ref): Promise<void>
}

export interface IdentificationActivities {
  applyIdentificationCommands(input: CommandsInput): Promise<CommandsResult<IdentificationSnapshot>>
  /** Applies a fact once. A duplicate, late, untrue or malformed one changes only the timeline. */
  applyIdentificationFact(input: FactInput): Promise<Transition<IdentificationSnapshot>>
  loadIdentification(ref: Ref): Promise<Transition<IdentificationSnapshot>>
  /** Reports the closing to the company's application, if there is one. */
  signalIdentificationClosed(ref: Ref): Promise<void>
  /** Reports to the application of a beneficiary that the person is verified. */
  signalBeneficiaryVerified(ref: Ref): Promise<void>
}

/** A check that the provider has accepted, and how long to wait for its answer. */
export interface PendingCheck {
  readonly checkId: string
  readonly waitMs: number
}

export interface VerificationCheckActivities {
  /**
   * Asks the provider and signals its result as a fact. If the provider answers later, returns the check to wait for,
   * else null. Also null if the identification no longer waits on the provider.
   */
  runVerificationCheck(ref: Ref): Promise<PendingCheck | null>
  /** Is completed by the API when the provider answers. */
  awaitVerificationAnswer(checkId: string): Promise<void>
}

/** The remaining logs of a run: those that no URL accepted, and those that wait for slow hosts. */
interface LeftDeliveries {
  readonly notAccepted: readonly string[]
  readonly slow: readonly string[]
}

export interface WebhookDeliveryActivities {
  /**
   * Throws `not_accepted`, which the retry policy counts, until the state of every log is final. As a local activity,
   * it returns the logs that wait for slow hosts, for the queue of those, and the other remaining logs.
   */
  deliverWebhooks(ids: readonly string[]): Promise<LeftDeliveries>
}

/** By step: how many items it found or did, or the reason why it failed. */
export type HousekeepingResult = Readonly<Record<string, number | string>>

export interface HousekeepingActivities {
  runHousekeeping(): Promise<HousekeepingResult>
}

export type Activities = KybApplicationActivities &
  IdentificationActivities &
  VerificationCheckActivities &
  WebhookDeliveryActivities &
  HousekeepingActivities
