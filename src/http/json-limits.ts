/**
 * Checks a JSON body before it is parsed: its depth, its number of values, and whether its numbers are exact. Parsing
 * and validating a megabyte of brackets would block the process for at least a quarter of a second.
 */
import { isUtf8 } from 'node:buffer'
import { type Problem, RequestRefused } from '../domain/base/errors.ts'
import { problemsOfNumbers } from './json-numbers.ts'

const MAX_DEPTH = 20
const MAX_VALUES = 20_000

const [QUOTE, BACKSLASH, COMMA] = [...Buffer.from('"\\,')]
const OPENING = new Set(Buffer.from('{['))
const CLOSING = new Set(Buffer.from('}]'))

/**
 * Throws RequestRefused if a limit is exceeded or a number would be rounded. The parser refuses invalid JSON later.
 */
export function checkJson(body: Buffer): void {
  // Refuses invalid UTF-8, because the parser would replace different byte sequences with the same character.
  if (!isUtf8(body)) throw refused('The body is not valid UTF-8. Encode it in UTF-8.')
  let depth = 0
  let values = 1
  let inText = false
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index] as number
    if (inText) {
      if (byte === BACKSLASH) index += 1
      else if (byte === QUOTE) inText = false
    } else if (byte === QUOTE) inText = true
    else if (byte === COMMA) values += 1
    else if (OPENING.has(byte)) {
      values += 1
      depth += 1
    } else if (CLOSING.has(byte)) depth -= 1
    if (depth > MAX_DEPTH)
      throw refused(`The body is nested deeper than ${MAX_DEPTH} levels. Use fewer levels.`)
    if (values > MAX_VALUES) throw refused(`The body has more than ${MAX_VALUES} values. Send fewer values.`)
  }
  const problems = problemsOfNumbers(body.toString())
  if (problems.length > 0) throw new RequestRefused(...problems)
}

const refused = (message: string) =>
  new RequestRefused({ code: 'malformed_request', message } satisfies Problem)
