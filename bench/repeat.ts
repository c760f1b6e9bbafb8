/** Repeats a measurement until its spread is small enough, or the maximum number of runs is reached. */
import { middle } from './middle.ts'

const MIN_TIMES = 3
const MAX_TIMES = 5
/** The repetition ends at this relative standard error of the mean. */
const ENOUGH = 0.03

export interface Repeated<T> {
  readonly runs: readonly T[]
  /** The relative standard error of the mean of `figureOf`, in percent, and the number of runs. */
  readonly spread: string
  median(figureOf: (run: T) => number): number
}

/** Measures at least three times, and at most five times if `figureOf` varies. */
export async function repeat<T>(
  measure: () => Promise<T>,
  figureOf: (run: T) => number,
): Promise<Repeated<T>> {
  const runs: T[] = []
  let error = Number.POSITIVE_INFINITY
  while (runs.length < MIN_TIMES || (error > ENOUGH && runs.length < MAX_TIMES)) {
    runs.push(await measure())
    error = relativeErrorOf(runs.map(figureOf))
  }
  return {
    runs,
    spread: `±${(error * 100).toFixed(0)}% of ${runs.length}`,
    median: (of) => middle(runs.map(of), 0.5),
  }
}

/** Returns the relative standard error of the mean, which is infinite for a single value. */
export function relativeErrorOf(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return Math.sqrt(squares / (values.length - 1) / values.length) / mean || Number.POSITIVE_INFINITY
}
