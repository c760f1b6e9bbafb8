/** Rules for combining marks in names. */

/** Truncates runs of combining marks to 30 (Unicode stream-safe format), because normalisation takes quadratic time. */
export const limitCombiningMarks = (text: string): string => text.replace(/(\p{M}{30})\p{M}+/gu, '$1')
