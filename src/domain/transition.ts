/** What transitions need of the world, which they do not reach themselves. */
export interface TransitionContext {
  readonly now: Date
  /** For what a transition brings into being. */
  readonly newId: () => string
}
