/** Rules for progress, which is the completed part of a total, such as the number of provided documents. */

export interface Progress {
  readonly done: number
  readonly total: number
}
