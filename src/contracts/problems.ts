/** Explains why a value does not match its schema, with what to send instead. */
import { z } from 'zod'
import { type ErrorCode, fieldPath, type Problem } from '../domain/base/errors.ts'
import { AN_ID } from './common.ts'
import { AN_EMAIL } from './contact.ts'

const A_VALUE: Record<string, string> = {
  string: 'a JSON string, such as "text"',
  int: 'a whole number, such as 1',
  record: 'a JSON object, such as {}',
  file: 'a file',
  boolean: 'true or false',
  number: 'a number, such as 1',
  array: 'a JSON array, such as []',
  object: 'a JSON object, such as {}',
}

const A_FORMAT: Record<string, string> = {
  url: 'Send a URL, such as https://example.com.',
  email: AN_EMAIL,
  guid: AN_ID,
}

/** The beginning of the message for unknown fields. The names of the known fields follow. */
const KNOWN = 'Unrecognized, known: '

/** The parse options that let `problemsOf` name missing fields and suggest similar ones. */
export const PARSING: z.core.ParseContext<z.core.$ZodIssue> = {
  reportInput: true,
  error(issue) {
    if (issue.code !== 'unrecognized_keys' || !(issue.inst instanceof z.ZodObject)) return undefined
    return KNOWN + Object.keys(issue.inst.shape).join(' ')
  },
}

export const REMOVE = 'This field does not exist. Remove it.'

/** The maximum number of problems with a suggestion, and of letters that are compared. A comparison takes time. */
const [MAX_SUGGESTED, MAX_COMPARED] = [50, 100]

/** Returns the message for an unknown field. `known` is the message that `PARSING` creates. */
function unknownField(name: string, known: string): string {
  const short = name.slice(0, MAX_COMPARED)
  const [names, letters, words] = [namesIn(known), lettersOf(short), wordsOf(short)]
  const near = names.find((each) => nameParts(each).some((part) => isNear(part, letters)))
  const longer = names.filter(
    (each) => words.length > 0 && words.every((word) => wordsOf(each).includes(word)),
  )
  const meant = near === undefined ? longer.slice(0, 3) : [near]
  return meant.length === 0 ? REMOVE : `This field does not exist. Did you mean ${meant.join(' or ')}?`
}

const namesIn = (known: string): string[] =>
  known.startsWith(KNOWN) ? known.slice(KNOWN.length).split(' ').filter(Boolean) : []

/** Returns the letters of the name and, if it has one, of its part in brackets, such as `filter[external_uuid]`. */
const nameParts = (name: string): string[] => [name, /\[(.*)\]$/.exec(name)?.[1] ?? name].map(lettersOf)

const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** Returns the words of a name. Those of `legal_name` and `legalName` are also words of `legal_company_name`. */
const wordsOf = (name: string): string[] =>
  name
    .split(/[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])/)
    .map((word) => word.toLowerCase())
    .filter(Boolean)

/** Returns true if two names differ by one letter, or by two swapped letters. */
function isNear(one: string, other: string): boolean {
  let start = 0
  while (start < one.length && one[start] === other[start]) start += 1
  const rest = [one.slice(start), other.slice(start)] as const
  let end = 0
  while (end < rest[0].length && rest[0].at(-1 - end) === rest[1].at(-1 - end)) end += 1
  const [left = '', right = ''] = rest.map((each) => each.slice(0, each.length - end))
  return (
    Math.max(left.length, right.length) <= 1 ||
    (left.length === 2 && left[0] === right[1] && left[1] === right[0])
  )
}

/** Matches the validator's own messages. Messages in schemas begin differently. */
const ITS_OWN = /^(Invalid|Too (big|small)|Unrecognized)\b/

/** Returns what to send instead, without quoting the submitted value. A schema's own message has priority. */
function hintFor(issue: z.core.$ZodIssue): string | undefined {
  if (!ITS_OWN.test(issue.message)) return issue.message
  switch (issue.code) {
    case 'invalid_type':
      return `Send ${A_VALUE[issue.expected] ?? 'another type of value'}.`
    case 'invalid_value':
      return `Choose from: ${issue.values.map(String).join(', ')}.`
    case 'invalid_format':
      return A_FORMAT[issue.format]
    case 'too_big':
      if (issue.origin === 'string') return `At most ${issue.maximum} characters are allowed.`
      return issue.origin === 'array'
        ? `At most ${issue.maximum} entries are allowed.`
        : `The largest value is ${issue.maximum}.`
    case 'too_small':
      if (issue.origin === 'string') return `At least ${issue.minimum} characters are required.`
      return issue.origin === 'array'
        ? `At least ${issue.minimum} ${issue.minimum === 1 ? 'entry is' : 'entries are'} required.`
        : `The smallest value is ${issue.minimum}.`
    default:
      return undefined
  }
}

const NO_NULL = 'Null is not allowed here.'

/** Returns every problem of a value that failed its schema when parsed with `PARSING`. */
export function problemsOf(error: Pick<z.ZodError, 'issues'>): Problem[] {
  return withoutEchoes(error.issues).flatMap((issue, nth): Problem[] => {
    const at = (...more: PropertyKey[]) => {
      const path = fieldPath([...issue.path, ...more])
      return path === '' ? {} : { field: path }
    }
    const hint = [hintFor(issue), issue.input === null && NO_NULL].filter(Boolean).join(' ')
    const told = (code: ErrorCode): Problem[] => [{ code, ...(hint && { message: hint }), ...at() }]
    switch (issue.code) {
      case 'unrecognized_keys':
        return issue.keys.map((key, index) => {
          if (issue.message === 'unknown_topic') return { code: issue.message, ...at(key) }
          const message = nth + index < MAX_SUGGESTED ? unknownField(key, issue.message) : REMOVE
          return { code: 'unknown_field', message, ...at(key) }
        })
      case 'too_big':
        return told(TOO_BIG[issue.origin] ?? 'invalid')
      case 'too_small':
        return issue.origin === 'string' && issue.minimum === 1
          ? [{ code: 'required', ...at() }]
          : told('invalid')
      case 'invalid_union':
        return problemsOf({ issues: inUnion(issue) })
      case 'invalid_key':
        return problemsOf({ issues: issue.issues.map((each) => ({ ...each, path: issue.path })) })
      case 'custom':
        return told(issue.params?.code ?? 'invalid')
      default:
        if (issue.input !== undefined || issue.code === 'invalid_format') return told('invalid')
        return [
          {
            code: 'required',
            ...(issue.code === 'invalid_value' && hint && { message: `This field is required. ${hint}` }),
            ...at(),
          },
        ]
    }
  })
}

const TOO_BIG: Partial<Record<string, ErrorCode>> = { string: 'too_long', array: 'too_many' }

/** Returns the issues of the first alternative in a union that accepts the type of the value. */
function inUnion({ path, errors }: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue[] {
  const takesType = (issues: readonly z.core.$ZodIssue[]) =>
    !issues.some((issue) => issue.code === 'invalid_type' && issue.path.length === 0)
  const issues = errors.find(takesType) ?? errors[0] ?? []
  return issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] }))
}

/**
 * Removes misleading issues. The validator also checks the length of values of the wrong type, which is meaningless. If
 * a value exceeds two limits, the later issue is about the narrower limit, and only this issue remains.
 */
function withoutEchoes(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const isMistyped = ({ code }: z.core.$ZodIssue) => code === 'invalid_type'
  const pathOf = ({ path }: z.core.$ZodIssue) => fieldPath(path)
  const mistyped = new Set(issues.filter(isMistyped).map(pathOf))
  const limited = new Set<string>()
  // Goes through the issues once, from the end, because a body can have thousands of issues.
  const isWiderLimit = (issue: z.core.$ZodIssue) =>
    issue.code === 'too_big' && limited.size === limited.add(pathOf(issue)).size
  return issues
    .toReversed()
    .filter((issue) => (isMistyped(issue) || !mistyped.has(pathOf(issue))) && !isWiderLimit(issue))
    .toReversed()
}
