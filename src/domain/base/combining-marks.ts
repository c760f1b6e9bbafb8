/** Rules for normalising names within a time that does not grow with the square of their length. */
import { UNSEEN } from './clean-text.ts'

/** Runs of combining marks. The voiced marks of half width become combining marks. */
const RUNS = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu

/** Truncates runs of combining marks to 30 (Unicode stream-safe format), because normalisation takes quadratic time. */
export const limitCombiningMarks = (text: string): string => text.replace(RUNS, '$1')

/** Removes invisible characters, which could divide a run of marks, and replaces variants of letters. */
export const normalised = (text: string): string =>
  limitCombiningMarks(text.replace(UNSEEN, '')).normalize('NFKC')

/** The letters that comparisons and searches read. No real name is longer. Some letters, such as \ufdfa, stand for 18. */
export const MAX_LETTERS = 500
