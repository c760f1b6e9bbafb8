/** A page of a list, by the names that requests give it. */
export interface Page {
  /** From 1. */
  readonly page: number
  readonly per_page: number
}
