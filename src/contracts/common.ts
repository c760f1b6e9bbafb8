/** Schemas that requests share, such as IDs, pages and texts. */
import { z } from 'zod'
import { cleanText } from '../domain/base/clean-text.ts'
import type { Listed, Page } from '../domain/base/page.ts'
import { timeOf } from '../domain/base/unix-time.ts'

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

export const AN_ID = 'Send an ID, a UUID such as 018f4d2e-7c1a-7b3e-9d55-0a1b2c3d4e5f.'

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
export const NO_CONTROLS = 'Remove control characters and incomplete Unicode characters.'

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
  from: timeOf(from),
  // PostgreSQL does not accept the year 10000.
  before: to === undefined ? undefined : new Date(Math.min(to + 1, LATEST) * 1_000),
})

/** Presents a page of a list for a response. Reports at least one page, so that paging always ends. */
export const listResponse = <T, P>(
  { entries, totalCount }: Listed<T>,
  { page, per_page }: Page,
  present: (entry: T) => P,
) => ({
  data: entries.map((entry) => present(entry)),
  pagination: {
    current_page: page,
    per_page,
    total_pages: Math.max(1, Math.ceil(totalCount / per_page)),
    total_count: totalCount,
  },
})
