/**
 * No letter has thirty marks (Unicode's stream-safe text). Of more in a row the others are left out before they are put
 * in order, which takes their number squared.
 */
export const limitCombiningMarks = (text: string): string => text.replace(/(\p{M}{30})\p{M}+/gu, '$1')
