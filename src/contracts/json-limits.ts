/**
 * Checks a JSON body before it is parsed: its depth, its number of values, whether its names are unique, and whether
 * its numbers are exact. Parsing and validating a megabyte of brackets would block the process for at least a quarter of
 * a second.
 */
import { isUtf8 } from 'node:buffer'
import { fieldPath, RequestRefused } from '../domain/base/errors.ts'
import { problemsOfNumbers } from './json-numbers.ts'

const MAX_DEPTH = 20
const MAX_VALUES = 20_000

const [QUOTE, BACKSLASH, COLON, COMMA, BRACE] = [...Buffer.from('"\\:,{')]
const OPENING = new Set(Buffer.from('{['))
const CLOSING = new Set(Buffer.from('}]'))

/** An object or a list that is not closed yet, with the name or the index of its current value. */
interface Level {
  /** The names so far, or null in a list. */
  readonly names: Set<string> | null
  at: string | number
}

/**
 * Throws RequestRefused if a limit is exceeded, a name is repeated or a number would be rounded. The parser refuses
 * invalid JSON later.
 */
export function checkJson(body: Buffer): void {
  // Refuses invalid UTF-8, because the parser would replace different byte sequences with the same character.
  if (!isUtf8(body)) throw refused('The body is not valid UTF-8. Encode it in UTF-8.')
  const levels: Level[] = []
  let values = 1
  let textStart: number | null = null
  let isName = false
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index] as number
    const level = levels.at(-1)
    if (textStart !== null) {
      if (byte === BACKSLASH) index += 1
      else if (byte === QUOTE) {
        if (isName && level?.names) addName(levels, level.names, body.toString('utf8', textStart, index))
        textStart = null
      }
    } else if (byte === QUOTE) textStart = index + 1
    else if (byte === COLON) isName = false
    else if (byte === COMMA) {
      values += 1
      isName = Boolean(level?.names)
      if (typeof level?.at === 'number') level.at += 1
    } else if (OPENING.has(byte)) {
      values += 1
      isName = byte === BRACE
      levels.push({ names: isName ? new Set() : null, at: 0 })
    } else if (CLOSING.has(byte)) levels.pop()
    if (levels.length > MAX_DEPTH)
      throw refused(`The body is nested deeper than ${MAX_DEPTH} levels. Use fewer levels.`)
    if (values > MAX_VALUES) throw refused(`The body has more than ${MAX_VALUES} values. Send fewer values.`)
  }
  const problems = problemsOfNumbers(body.toString())
  if (problems.length > 0) throw new RequestRefused(...problems)
}

/** Refuses a name that its object already has, because the parser would drop the first value. */
function addName(levels: readonly Level[], names: Set<string>, source: string): void {
  const name = unescaped(source)
  Object.assign(levels.at(-1) as Level, { at: name })
  if (names.has(name)) throw refused('Send this field once.', fieldPath(levels.map(({ at }) => at)))
  names.add(name)
}

/** Returns the name without escape sequences, so that two spellings of a name count as one. */
function unescaped(source: string): string {
  try {
    return source.includes('\\') ? JSON.parse(`"${source}"`) : source
  } catch {
    return source
  }
}

const refused = (message: string, field?: string) =>
  new RequestRefused({ code: 'malformed_request', message, ...(field && { field }) })
