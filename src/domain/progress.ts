/** Rules for progress: the part of a total that is done, such as of the required documents. */

export interface Progress {
  readonly done: number
  readonly total: number
}
