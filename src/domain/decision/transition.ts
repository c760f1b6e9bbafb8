/** Rules for transitions, which are pure functions. The time, the actor and new IDs come from the caller. */

/** The external values that transitions use. */
export interface TransitionContext {
  readonly now: Date
  readonly actor: string
  readonly newId: () => string
}
