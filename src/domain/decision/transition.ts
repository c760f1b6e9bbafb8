/** What transitions need of the world, which they do not reach themselves. */
export interface TransitionContext {
  readonly now: Date
  /** Who asks. */
  readonly actor: string
  /** For what a transition brings into being. */
  readonly newId: () => string
}
