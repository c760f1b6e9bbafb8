/** What a route's handler gives back. */
export interface Answer {
  /** 200 unless said otherwise. */
  readonly status?: number
  /** Sent as JSON, unless it is a file. */
  readonly body: object
}
