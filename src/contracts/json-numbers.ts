/** Finds numbers in a JSON body that JavaScript would round, because Gatehouse never changes a value silently. */
import { fieldPath, type Problem } from '../domain/base/errors.ts'

/** Matches if a text can contain a number with an exponent or with more digits than the 15 that every number keeps. */
const MAY_ROUND = /[-.\d]{16}|(?:^|[:,[\s])-?[\d.]+e/i

/** Returns whether JavaScript keeps the value of a JSON number. */
function isExactNumber(source: string): boolean {
  if (!MAY_ROUND.test(source)) return true
  return decimalOf(source) === decimalOf(String(Number(source)))
}

/** Returns the same text for all notations of a value, such as 1.50 and 15e-1. */
function decimalOf(source: string): string {
  const [, whole, fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(source) ?? []
  if (whole === undefined) return source
  const digits = whole + fraction
  let [from, to] = [0, digits.length]
  while (digits[from] === '0') from += 1
  while (to > from && digits[to - 1] === '0') to -= 1
  if (from === to) return '0'
  return `${digits.slice(from, to)}e${Number(exponent) - fraction.length + digits.length - to}`
}

const MESSAGE = 'This number has too many digits to be exact. Send it as a string, or with fewer digits.'

/** Replaces a number that would be rounded. */
const ROUNDED = Symbol('rounded')

const markRounded = (_name: string, value: unknown, context?: { readonly source?: string }) =>
  typeof value === 'number' && !isExactNumber(context?.source ?? '') ? ROUNDED : value

/** Returns a problem for each number that would be rounded, with its path. Returns none if the body is not JSON. */
export function problemsOfNumbers(body: string): Problem[] {
  if (!MAY_ROUND.test(body)) return []
  try {
    return pathsOfRounded(JSON.parse(body, markRounded)).map((path) => ({
      code: 'invalid',
      message: MESSAGE,
      ...(path.length > 0 && { field: fieldPath(path) }),
    }))
  } catch {
    return []
  }
}

function pathsOfRounded(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (value === ROUNDED) return [path]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => pathsOfRounded(each, [...path, name]))
}
