/** Rules for transitions, which are pure functions. The time, the actor and new IDs come from the caller. */

/** The external values that transitions use. */
export interface TransitionContext {
  readonly now: Date
  readonly actor: string
  readonly newId: () => string
}

/** A command with the state that resulted from it, regardless of later changes. */
export interface Applied<Command, State> {
  readonly command: Command
  readonly state: State
  readonly appliedAt: Date
}
