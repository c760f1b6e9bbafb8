/** Rules for the reference of a case, which applicants state in questions. */
const REFERENCE_LENGTH = 8

/** Returns the end of the ID, which is short enough to read out. */
export const referenceOf = (id: string): string => id.slice(-REFERENCE_LENGTH).toUpperCase()
