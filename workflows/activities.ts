/** Workflow: the interface of the activities that workflows call. `activities/` implements them. */
import type { Ref } from '../src/domain/entity/entity.ts'
import type { IdentificationSnapshot } from '../src/domain/identification/identification.ts'
import type { KybSnapshot } from '../src/domain/kyb/application.ts'
import type { CommandOutcome } from './messages.ts'

export interface CommandsInput extends Ref {
  /** The IDs, in the order in which the commands arrived. */
  readonly commandIds: readonly string[]
  readonly version: number
}

export interface FactInput extends Ref {
  /** The message as received. The activity parses it. */
  readonly fact: unknown
  /** Identifies the timeline entry of a malformed message, which has no ID of its own. */
  readonly malformedId: string
  readonly version: number
}

/** The result of an activity that applies a fact or reads the database. */
export interface Transition<State> {
  /** `stale` means that the row has a different version, so nothing was written. */
  readonly outcome: 'applied' | 'stale'
  /** The row's state, or null if nothing was read. */
  readonly state: State | null
}

export type CommandsResult<State> =
  | { readonly outcome: 'stale'; readonly state: State }
  | {
      readonly outcome: 'applied'
      /** The row's state, or null if all commands were withdrawn and the row was not read. */
      readonly state: State | null
      /** The outcome of each command, in the same order. */
      readonly outcomes: readonly CommandOutcome[]
    }

export interface KybApplicationActivities {
  applyKybCommands(input: CommandsInput): Promise<CommandsResult<KybSnapshot>>
  /** Applies a fact once. A duplicate, late, untrue or malformed fact changes only the timeline. */
  applyKybFact(input: FactInput): Promise<Transition<KybSnapshot>>
  loadKybApplication(ref: Ref): Promise<Transition<KybSnapshot>>
  /** Reports the end of the review to the company's identification. The fact may arrive twice. */
  signalKybProcessed(ref: Ref): Promise<void>
}

export interface IdentificationActivities {
  applyIdentificationCommands(input: CommandsInput): Promise<CommandsResult<IdentificationSnapshot>>
  /** Applies a fact once. A duplicate, late, untrue or malformed fact changes only the timeline. */
  applyIdentificationFact(input: FactInput): Promise<Transition<IdentificationSnapshot>>
  loadIdentification(ref: Ref): Promise<Transition<IdentificationSnapshot>>
  /** Reports to the company's application that the identification is closed, if there is an application. */
  signalIdentificationClosed(ref: Ref): Promise<void>
  /** Reports to a beneficiary's application that the person is verified. */
  signalBeneficiaryVerified(ref: Ref): Promise<void>
}

/** A check that the provider has accepted, and how long to wait for its result. */
export interface PendingCheck {
  readonly checkId: string
  readonly waitMs: number
}

export interface VerificationCheckActivities {
  /**
   * Calls the provider. If the provider responds at once, signals its result as a fact and returns null. If the result
   * arrives later, returns the check to wait for. Also returns null if the identification no longer waits on the
   * provider.
   */
  runVerificationCheck(ref: Ref): Promise<PendingCheck | null>
  /** The API completes this activity when the provider's result arrives. */
  awaitVerificationAnswer(checkId: string): Promise<void>
}

/** The remaining logs after a run, in groups whose next attempts are due together. */
interface LeftDeliveries {
  /** Logs that no URL accepted, or whose attempts failed in Gatehouse. */
  readonly notAccepted: readonly (readonly string[])[]
  /** Logs that wait for slow hosts. */
  readonly slow: readonly (readonly string[])[]
}

export interface WebhookDeliveryActivities {
  /**
   * Makes an attempt for each log. Throws `not_accepted`, which the retry policy counts, until the status of every log
   * is final. As a local activity, returns instead if the logs must continue separately. This is the case if their next
   * attempts are not due together, or if any of them wait for slow hosts, which have their own queue.
   */
  deliverWebhooks(ids: readonly string[]): Promise<LeftDeliveries>
}

export interface EmailActivities {
  /** Sends an email. Returns if it has ended, whatever the result. Throws if the mail server may accept it later. */
  sendEmail(id: string): Promise<void>
}

/** For each step, the number of items that it found or handled, or the reason why it failed. */
export type HousekeepingResult = Readonly<Record<string, number | string>>

export interface HousekeepingActivities {
  runHousekeeping(): Promise<HousekeepingResult>
}

export type Activities = KybApplicationActivities &
  IdentificationActivities &
  VerificationCheckActivities &
  WebhookDeliveryActivities &
  EmailActivities &
  HousekeepingActivities
