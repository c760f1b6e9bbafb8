/** A filter of the queue that an operator saves. */
export interface SavedFilter {
  readonly name: string
  /** As in the address of the queue. */
  readonly query: string
}
