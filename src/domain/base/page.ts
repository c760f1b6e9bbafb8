/** Rules for pages of lists. */

/** The requested page of a list. The property names match the query parameters. */
export interface Page {
  /** The number of the page, starting at 1. */
  readonly page: number
  readonly per_page: number
}
