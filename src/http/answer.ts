/** What a route's handler gives back. */
export interface Answer {
  /** 200 unless said otherwise. */
  readonly status?: number
  readonly body: object
}
