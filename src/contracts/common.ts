/** Schemas that requests share, such as IDs, pages and texts. Also describes the problems of invalid values. */
import { z } from 'zod'
import { cleanText } from '../domain/base/clean-text.ts'
import type { ErrorCode, Problem } from '../domain/base/errors.ts'
import type { Page } from '../domain/base/page.ts'

/** Maps a schema that parses in several steps to the schema that the reference shows. */
export const SHOWN = new WeakMap<z.ZodType, z.ZodType>()

/** Describes a schema in the reference. The examples are values that the schema accepts. */
export const described = <S extends z.ZodType>(
  schema: S,
  description: string,
  ...examples: readonly unknown[]
): S => schema.meta({ description, ...(examples.length > 0 && { examples: [...examples] }) })

/** Marks a check whose failure returns 400 instead of 422. */
export const malformed = { params: { code: 'malformed_request' } } as const

/** Converts IDs to lower case, because workflows and counters use them as names. */
const inLowerCase = (id: string) => id.toLowerCase()

const AN_ID = 'Send an ID, a UUID such as 018f4d2e-7c1a-7b3e-9d55-0a1b2c3d4e5f.'

const guid = z.guid()

/** An ID in a body, in lower case. */
export const id = guid.toLowerCase()

/** An ID in a path or a query. Any value except a UUID makes the request malformed. */
export const idParam = z
  .string()
  .refine((value) => guid.safeParse(value).success, { ...malformed, error: AN_ID })
  .meta({ format: 'uuid', description: 'ID of the resource, from a response.' })
  .transform(inLowerCase)

export const idParams = z.object({ id: idParam })

const CONTROLS = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f'
/** The invisible characters, as the content of a character class. */
const BLANKS =
  '\\t\\n\\r \\u00a0\\u00ad\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f\\u2000-\\u200f\\u2028-\\u202f' +
  '\\u205f-\\u206f\\u2800\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0'
const VISIBLE = new RegExp(`[^${BLANKS}]`)
export const isVisible = (value: string): boolean => VISIBLE.test(value)

const PLAIN = /^(?:[^\p{Cc}\p{Cs}]|[\n\r\t])*$/u
export const isPlainText = (value: string): boolean => PLAIN.test(value)
export const NO_CONTROLS = 'Control characters are not allowed.'

/** Returns text unchanged. A client's own ID must remain the ID that the client compares. */
export const unchanged = (value: string): string => value

/**
 * Returns the schema of text without lone surrogates or control characters, except line breaks and tabs. Removes
 * direction marks and invisible characters.
 */
export const text = (max: number, clean = cleanText) =>
  z
    .string()
    .overwrite(clean)
    .max(max)
    .regex(PLAIN, NO_CONTROLS)
    // Repeats the rule as a JSON Schema pattern, for programs that do not support Unicode classes.
    .meta({ pattern: `^[^${CONTROLS}]*$` })

/** Returns true if the text contains no whitespace and no invisible characters, which URLs must not contain. */
const hasNoWhitespace = (value: string): boolean =>
  /^[^\s\p{Cc}\p{Cs}]*$/u.test(value) && cleanText(value) === value

export const MAX_URL = 2_000

/** The maximum length of a host, which is longer than any real host with a port. */
const MAX_HOST = 260

/** Limits the part before the path, because the parser takes quadratic time for hosts in non-Latin scripts. */
const hasShortHost = (value: string): boolean =>
  (/^[^:]*:[/\\]*([^/\\?#]*)/.exec(value)?.[1] ?? '').length <= MAX_HOST

/**
 * Creates the schema of a URL. Refuses whitespace before parsing, because parsers drop line breaks and accept the rest.
 */
export const urlOf = (protocol: RegExp, error?: string) =>
  z
    .string()
    .max(MAX_URL)
    .refine(hasNoWhitespace, { error: 'Remove spaces and invisible characters from the URL.', abort: true })
    .refine(hasShortHost, { error: 'The host name of the URL is too long.', abort: true })
    .check(z.url({ protocol, error, abort: true }))

/** The URL of a page that people are redirected to. */
export const httpsUrl = urlOf(/^https$/, 'Send an https URL.')
  // If a slash is missing, browsers treat the URL as a path on the page's own host.
  .regex(/^https:\/\/[^/\\]/i, 'Send an https URL.')

/** Accepts HTTPS, and HTTP on the developer's own machine. */
export const httpsOrLocalUrl = urlOf(/^https?$/, 'Send an https URL, or http://localhost.').regex(
  /^(https:\/\/[^/\\]|http:\/\/localhost(:\d+)?([/?#]|$))/i,
  'Send an https URL, or http://localhost.',
)

/** Returns the schema of text with at least one visible character. */
export const requiredText = (max: number, clean = cleanText) =>
  text(max, clean)
    .min(1, { error: 'This field is required.', abort: true })
    .refine(isVisible, {
      error: 'This field is required. The value is blank.',
      params: { code: 'required' },
    })
    .meta({ pattern: `^[^${CONTROLS}]*[^${CONTROLS}${BLANKS}][^${CONTROLS}]*$` })

const isoDate = z.iso.date()
export const isDate = (value: string): boolean => isoDate.safeParse(value).success

/** A calendar date. Other values, such as 2026-02-30 or 0000-01-01, make the request malformed. */
export const calendarDate = z
  .string('Send the date as YYYY-MM-DD.')
  .refine((value) => isDate(value) && !value.startsWith('0000'), {
    ...malformed,
    error: 'Send the date as YYYY-MM-DD. It must exist in the calendar.',
  })
  .meta({ format: 'date' })

const MAX_PER_PAGE = 100

/** Lies beyond the last page of any list, and is small enough for exact arithmetic. */
const MAX_PAGE = 1_000_000_000

export const wholeNumber = (shown: object) =>
  z
    .string()
    .refine((value) => /^-?\d+$/.test(value), { ...malformed, error: 'Send a whole number.' })
    .meta({ type: 'integer', ...shown })
    .transform((value) => Math.min(Number(value), MAX_PAGE + 1))
const fromOne = z.number().min(1, 'The smallest value is 1.')

/** Returns the schemas of `page` and `per_page`. A `per_page` above 100 is treated as 100. */
export const pageQuery = (perPage: number) => ({
  page: wholeNumber({
    minimum: 1,
    default: 1,
    maximum: MAX_PAGE,
    description: 'Number of the page, starting at 1.',
  })
    .pipe(fromOne.max(MAX_PAGE, `The largest value is ${MAX_PAGE}.`))
    .default(1),
  per_page: wholeNumber({
    minimum: 1,
    default: perPage,
    description: 'Number of entries on a page. Values above 100 are treated as 100.',
  })
    .pipe(fromOne)
    .default(perPage)
    .transform((count) => Math.min(count, MAX_PER_PAGE)),
})

/** Creates the schema of an object with any names. Refuses `__proto__`, which the record would omit. */
export function dictionaryOf<V extends z.ZodType>(name: z.ZodString, value: V) {
  const record = z.record(name, value)
  const { $schema: _, ...shape } = z.toJSONSchema(record)
  return z
    .unknown()
    .superRefine((given, context) => {
      if (given && Object.hasOwn(given, '__proto__'))
        context.addIssue({
          code: 'custom',
          path: ['__proto__'],
          message: 'This name is not allowed. Remove it.',
        })
    })
    .pipe(record)
    .meta(shape)
}

/** A duration in a query, in seconds. */
export const seconds = wholeNumber({ minimum: 0, maximum: MAX_PAGE }).pipe(
  z.number().min(0, 'The smallest value is 0.').max(MAX_PAGE, `The largest value is ${MAX_PAGE}.`),
)

/** The vault of a request, if no other parameter determines the vault. */
export const vaultQuery = {
  vault_id: idParam
    .optional()
    .describe('A vault that the caller can access. If omitted, the caller’s first vault.'),
}
export const ofVaultQuery = z.strictObject(vaultQuery)

/** The end of the year 9999, in Unix seconds. */
export const LATEST = 253_402_300_799

/** A time in a query, in Unix seconds. */
export const unixQuery = z
  .string()
  .refine((value) => /^\d+$/.test(value) && Number(value) <= LATEST, {
    ...malformed,
    error: ({ input }) =>
      /^\d+$/.test(String(input))
        ? 'Send the time in Unix seconds, such as 1767225600. This value is too large. Milliseconds are not accepted.'
        : 'Send the time in Unix seconds, such as 1767225600.',
  })
  .meta({ type: 'integer', minimum: 0, maximum: LATEST })
  .transform(Number)

/** The start and end of a period in a query. */
export const periodQuery = {
  from: unixQuery
    .meta({ description: 'Earliest time, in Unix seconds.', examples: [1_767_225_600] })
    .optional(),
  to: unixQuery
    .meta({
      description: 'Latest time, in Unix seconds. This second is included.',
      examples: [1_767_312_000],
    })
    .optional(),
}

interface PeriodQuery {
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** Refuses a period that ends before it starts. */
export const inOrder = <S extends z.ZodType<PeriodQuery>>(schema: S) =>
  schema.refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
    path: ['to'],
    error: 'Send a time that is not earlier than `from`.',
  })

/** Converts the period to times. The end is inclusive in the query, but exclusive in the result. */
export const periodOf = ({ from, to }: PeriodQuery) => ({
  from: from === undefined ? undefined : new Date(from * 1_000),
  // PostgreSQL does not accept the year 10000.
  before: to === undefined ? undefined : new Date(Math.min(to + 1, LATEST) * 1_000),
})

/** Wraps a page of a list for a response. Reports at least one page, so that paging always ends. */
export const listResponse = <T>(data: readonly T[], totalCount: number, { page, per_page }: Page) => ({
  data,
  pagination: {
    current_page: page,
    per_page,
    total_pages: Math.max(1, Math.ceil(totalCount / per_page)),
    total_count: totalCount,
  },
})

export const unixSeconds = (moment: Date): number => Math.floor(moment.getTime() / 1000)

const A_VALUE: Record<string, string> = {
  string: 'a JSON string, such as "text"',
  int: 'a whole number, such as 1',
  record: 'a JSON object, such as {}',
  file: 'a file',
  boolean: 'true or false',
  number: 'a number, such as 1.5',
  array: 'a JSON array, such as []',
  object: 'a JSON object, such as {}',
}

const A_FORMAT: Record<string, string> = {
  url: 'Send a URL, such as https://example.com.',
  email: 'Send an email address, such as ada@example.com.',
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

const REMOVE = 'This field does not exist. Remove it.'

/** Returns the message for an unknown field. `known` is the message that `PARSING` creates. */
function unknownField(name: string, known: string): string {
  const near = namesIn(known).find((each) => nameParts(each).some((part) => isNear(part, lettersOf(name))))
  return near === undefined ? REMOVE : `This field does not exist. Did you mean ${near}?`
}

const namesIn = (known: string): string[] =>
  known.startsWith(KNOWN) ? known.slice(KNOWN.length).split(' ').filter(Boolean) : []

/** Returns the letters of the name and, if it has one, of its part in brackets, such as `filter[external_uuid]`. */
const nameParts = (name: string): string[] => [name, /\[(.*)\]$/.exec(name)?.[1] ?? name].map(lettersOf)

const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

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

/** Returns every problem of a value that failed its schema when parsed with `PARSING`. */
export function problemsOf(error: Pick<z.ZodError, 'issues'>): Problem[] {
  return withoutEchoes(error.issues).flatMap((issue): Problem[] => {
    const at = (...more: PropertyKey[]) => {
      const path = [...issue.path, ...more].map(String).join('.')
      return path === '' ? {} : { field: path }
    }
    const hint = hintFor(issue)
    const told = (code: ErrorCode): Problem[] => [{ code, ...(hint && { message: hint }), ...at() }]
    switch (issue.code) {
      case 'unrecognized_keys':
        return issue.keys.map((key) => {
          if (issue.message === 'unknown_topic') return { code: issue.message, ...at(key) }
          return { code: 'unknown_field', message: unknownField(key, issue.message), ...at(key) }
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
  const pathOf = ({ path }: z.core.$ZodIssue) => path.map(String).join('.')
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
