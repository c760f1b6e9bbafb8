/** Finds numbers in a JSON body that JavaScript would round, because Gatehouse never changes a value silently. */
import { randomUUID } from 'node:crypto'
import type { Problem } from '../domain/base/errors.ts'

/** The range of bytes of a number in the body. */
export type NumberRange = readonly [start: number, end: number]

const IN_NUMBER = new Set(Buffer.from('0123456789+-.eE'))
const FIRST_OF_NUMBER = new Set(Buffer.from('-0123456789'))
export const startsNumber = (byte: number): boolean => FIRST_OF_NUMBER.has(byte)

export function endOfNumber(body: Buffer, start: number): number {
  let end = start
  while (IN_NUMBER.has(body[end] as number)) end += 1
  return end
}

/** The number of digits that every decimal number keeps. */
const ALWAYS_EXACT = 15

/** Returns whether JavaScript keeps the number's value. Also returns true for text that is not a JSON number. */
export function isExactNumber(literal: string): boolean {
  if (literal.length <= ALWAYS_EXACT && !/e/i.test(literal)) return true
  const value = decimalOf(literal)
  return value === null || value === decimalOf(String(Number(literal)))
}

/** Returns the same text for all notations of a value, such as 1.50 and 15e-1. Returns null if it is not a number. */
function decimalOf(literal: string): string | null {
  const [, whole, fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(literal) ?? []
  if (whole === undefined) return null
  const digits = whole + fraction
  let [from, to] = [0, digits.length]
  while (digits[from] === '0') from += 1
  while (to > from && digits[to - 1] === '0') to -= 1
  if (from === to) return '0'
  return `${digits.slice(from, to)}e${Number(exponent) - fraction.length + digits.length - to}`
}

const ROUNDED = 'This number has too many digits to be exact. Send it as a string, or with fewer digits.'

/** Returns a problem for each of these numbers, with the path of its field. Returns none if the body is not JSON. */
export function problemsOfNumbers(body: Buffer, ranges: readonly NumberRange[]): Problem[] {
  // Replaces the numbers with a text that no request can contain, so that the parser finds their paths.
  const mark = randomUUID()
  let from = 0
  const parts = ranges.flatMap(([start, end]) => {
    const before = body.subarray(from, start)
    from = end
    return [before, Buffer.from(`"${mark}"`)]
  })
  try {
    const marked: unknown = JSON.parse(Buffer.concat([...parts, body.subarray(from)]).toString('utf8'))
    return pathsOf(mark, marked).map((path) => ({
      code: 'invalid',
      message: ROUNDED,
      ...(path.length > 0 && { field: path.join('.') }),
    }))
  } catch {
    return []
  }
}

function pathsOf(mark: string, value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (value === mark) return [path]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => pathsOf(mark, each, [...path, name]))
}
