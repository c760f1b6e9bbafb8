/** Rules for whether a field has a value. */

/** Returns whether the text contains only spaces and invisible characters. */
export const isBlank = (value: unknown): boolean =>
  !/[^\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u.test(String(value))

/** Returns whether the field has a value, whether or not this value counts. */
export const isGiven = (value: unknown): boolean => value !== undefined && value !== null && !isBlank(value)
