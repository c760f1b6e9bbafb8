// @ts-check
/**
 * Evaluates conditions as the server does after saving (src/domain/fields/condition.ts). The page contains each
 * condition with the groups of countries as lists and with periods as dates.
 */

/** @typedef {{ all?: Condition[], any?: Condition[], not?: Condition, field?: string, [test: string]: any }} Condition */

/** @param {string} number */
const parts = (number) =>
  number
    .replace(',', '.')
    .replace(/^0+(?=\d)/, '')
    .split('.')

/**
 * Returns whether one decimal number is less than the other, or null if one is not a number.
 * @param {string | undefined} one
 * @param {unknown} other
 */
function isLess(one = '', other) {
  if (![one, String(other)].every((each) => /^\d+([.,]\d+)?$/.test(each))) return null
  const [[a = '', ofA = ''], [b = '', ofB = '']] = [parts(one), parts(String(other))]
  const width = Math.max(a.length, b.length)
  const digits = Math.max(ofA.length, ofB.length)
  return a.padStart(width, '0') + ofA.padEnd(digits, '0') < b.padStart(width, '0') + ofB.padEnd(digits, '0')
}

/** @type {Record<string, (values: readonly string[], by: any) => boolean>} */
const TESTS = {
  is: (values, by) => values.includes(String(by)),
  isNot: (values, by) => values.length > 0 && !values.includes(String(by)),
  in: (values, by) => values.some((value) => by.includes(value)),
  has: (values, by) => values.includes(by),
  given: (values, by) => values.length > 0 === by,
  at_least: ([value], by) => isLess(value, by) === false,
  below: ([value], by) => isLess(value, by) === true,
  older_than: ([value], by) => value !== undefined && value <= by,
}

/**
 * @param {Condition} condition
 * @param {(field: string) => readonly string[]} valuesOf the entries of a field that are not empty
 * @returns {boolean}
 */
export function isMet(condition, valuesOf) {
  const { all, any, not, field = '', ...tests } = condition
  if (all) return all.every((each) => isMet(each, valuesOf))
  if (any) return any.some((each) => isMet(each, valuesOf))
  if (not) return !isMet(not, valuesOf)
  return Object.entries(tests).every(([name, by]) => TESTS[name]?.(valuesOf(field), by))
}
