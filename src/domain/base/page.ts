/** Rules for pages of lists. */

/** The requested page of a list. The property names match the query parameters. */
export interface Page {
  /** The number of the page, starting at 1. */
  readonly page: number
  readonly per_page: number
}

/** A page of a list, with the number of entries on all pages. */
export interface Listed<T> {
  readonly entries: readonly T[]
  readonly totalCount: number
}

/** The period of a list's entries, which by default is that of their creation. */
export interface Period {
  readonly from?: Date | undefined
  /** The end of the period, exclusive. */
  readonly before?: Date | undefined
}
