/** Rules for queue filters that operators save. */

export interface SavedFilter {
  readonly name: string
  /** The query string of the queue's URL. */
  readonly query: string
}
