/** Rules for pages of lists. */

/** A page of a list, with the names of the query parameters. */
export interface Page {
  /** Starts at 1. */
  readonly page: number
  readonly per_page: number
}
