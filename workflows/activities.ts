/** What workflows ask of the world; `activities/` does it. */
import type { Ref } from '../src/domain/entity.ts'
import type { IdentificationFact, IdentificationSnapshot } from '../src/domain/identification.ts'
import type { KybFact, KybSnapshot } from '../src/domain/kyb-application.ts'
import type { CommandOutcome } from './messages.ts'

export interface CommandsInput extends Ref {
  /** In the order in which they came. */
  readonly commandIds: readonly string[]
  /** The version of the state on which the workflow let the commands pass. */
  readonly version: number
}

interface FactInput<Fact> extends Ref {
  readonly fact: Fact
  /** The version of the state that the workflow holds. */
  readonly version: number
}

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

export interface KybApplicationActivities {
  applyKybCommands(input: CommandsInput): Promise<CommandsResult<KybSnapshot>>
  /** Abandons an application whose identification was closed; one that has ended stays as it is. */
  applyKybFact(input: FactInput<KybFact>): Promise<Transition<KybSnapshot>>
  recordMalformedKybFact(input: Ref & { readonly factId: string }): Promise<void>
  loadKybApplication(ref: Ref): Promise<Transition<KybSnapshot>>
  /** Tells the company's identification how the review ended; the same fact may arrive twice. */
  tellIdentification(ref: Ref): Promise<void>
}

export interface IdentificationActivities {
  applyIdentificationCommands(input: CommandsInput): Promise<CommandsResult<IdentificationSnapshot>>
  /** Follows a fact once; a fact that comes twice or too late changes nothing but the timeline. */
  applyIdentificationFact(input: FactInput<IdentificationFact>): Promise<Transition<IdentificationSnapshot>>
  recordMalformedFact(input: Ref & { readonly factId: string }): Promise<void>
  loadIdentification(ref: Ref): Promise<Transition<IdentificationSnapshot>>
  /** Tells the company's application, if there is one, that its identification was closed. */
  tellKybApplication(ref: Ref): Promise<void>
  /** Tells the application of a beneficiary that the person is verified. */
  tellVerification(ref: Ref): Promise<void>
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

/** What the first attempts left: what no URL accepted, and what slow or busy hosts have not answered yet. */
interface FirstAttempts {
  readonly notAccepted: readonly string[]
  readonly underWay: readonly string[]
  /** They are another process's, which needs a moment more. */
  readonly elsewhere?: true
}

export interface WebhookDeliveryActivities {
  /**
   * `beganIn` is the process that began the attempts when it claimed the logs. Another one cannot know how
   * far they are, so it leaves them to the next attempt, by which they have ended or died.
   */
  attemptWebhooks(ids: readonly string[], beganIn?: string): Promise<FirstAttempts>
  /** Throws `not_accepted`, which the retry policy counts, until the state of every log is final. */
  deliverWebhooks(ids: readonly string[]): Promise<void>
}

export interface HousekeepingActivities {
  startMissingWorkflows(): Promise<number>
  /** Tells workflows again what they have not followed: cases, ended reviews, closings, checks, removed beneficiaries. */
  repeatFacts(): Promise<{
    cases: number
    reviews: number
    closings: number
    checks: number
    removals: number
  }>
  recoverDeliveries(): Promise<{ unfinishedBatches: number }>
  deleteLeftovers(): Promise<{ commands: number; files: number }>
  /** Screens who has changed, and everybody when the lists have. */
  screenDue(): Promise<number>
}

export type Activities = KybApplicationActivities &
  IdentificationActivities &
  VerificationCheckActivities &
  WebhookDeliveryActivities &
  HousekeepingActivities
