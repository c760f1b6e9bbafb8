/** Rules for progress: how much of a total is complete, such as how many required documents are provided. */

export interface Progress {
  readonly done: number
  readonly total: number
}
