/** What requests have in common: identifiers, pages, texts, and how a failed check becomes problems. */
import { z } from 'zod'
import type { Problem } from '../domain/errors.ts'
import type { Page } from '../domain/page.ts'

/** What the reference shows of a schema that reads a value in several steps. */
export const SHOWN = new WeakMap<z.ZodType, z.ZodType>()

/** A check that ends in the answer 400 rather than 422. */
const malformed = { params: { code: 'malformed_request' } } as const

/** In whatever case it is written, an id is one id: workflows and counters are named by it. */
const inLowerCase = (id: string) => id.toLowerCase()

/** An id in a body. */
export const id = z.guid().transform(inLowerCase)

/** An id in a path or a query: anything but a UUID makes the request malformed. */
export const idParam = z
  .string()
  .refine((value) => z.guid().safeParse(value).success, { ...malformed, error: 'The id is no UUID.' })
  .meta({ format: 'uuid' })
  .transform(inLowerCase)

export const idParams = z.object({ id: idParam })

/** Text as people write it: no control characters but line breaks and tabs, no halves of characters. */
export const text = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^(?:[^\p{Cc}\p{Cs}]|[\n\r\t])*$/u, 'Control characters are not allowed.')
    // The same for programs that know no classes of Unicode.
    .meta({ pattern: '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*$' })

/** Whether a text is in one piece, as URLs are. Parsers pass over what does not belong into one. */
export const isUnbroken = (value: string): boolean => /^[^\s\p{Cc}\p{Cs}]*$/u.test(value)

/** Of a page that people are sent to. */
export const httpsUrl = z
  .url({ protocol: /^https$/, error: 'Write an https URL.' })
  .max(2_000)
  .refine(isUnbroken, 'Leave spaces out of the URL.')

export const requiredText = (max: number) => text(max).min(1, 'This field is required.')

/** A date that is none, or no calendar date (2026-02-30), makes the request malformed. */
export const calendarDate = z
  .string()
  .refine((value) => z.iso.date().safeParse(value).success, {
    ...malformed,
    error: 'Write the date as YYYY-MM-DD; it must exist in the calendar.',
  })
  .meta({ format: 'date' })

const MAX_PER_PAGE = 100

/** Far beyond any last page, and small enough to be counted with. */
const MAX_PAGE = 1_000_000_000

const wholeNumber = (shown: object) =>
  z
    .string()
    .refine((value) => /^-?\d+$/.test(value), { ...malformed, error: 'Write a whole number.' })
    .meta({ type: 'integer', ...shown })
    .transform((value) => Math.min(Number(value), MAX_PAGE + 1))
const fromOne = z.number().min(1, 'The smallest value is 1.')

/** `page` and `per_page`; more than 100 is served as 100. */
export const pageQuery = (perPage: number) => ({
  page: wholeNumber({ minimum: 1, default: 1, maximum: MAX_PAGE })
    .pipe(fromOne.max(MAX_PAGE, `The largest value is ${MAX_PAGE}.`))
    .default(1),
  per_page: wholeNumber({
    minimum: 1,
    default: perPage,
    description: 'More than 100 is served as 100.',
  })
    .pipe(fromOne)
    .default(perPage)
    .transform((count) => Math.min(count, MAX_PER_PAGE)),
})

/** A length of time in a query. */
export const seconds = wholeNumber({ minimum: 0, maximum: MAX_PAGE }).pipe(
  z.number().min(0, 'The smallest value is 0.').max(MAX_PAGE, `The largest value is ${MAX_PAGE}.`),
)

/** The end of the year 9999. */
const LATEST = 253_402_300_799

/** A moment in a query. */
export const unixQuery = z
  .string()
  .refine((value) => /^\d+$/.test(value) && Number(value) <= LATEST, {
    ...malformed,
    error: 'Write a moment in Unix seconds.',
  })
  .meta({ type: 'integer', minimum: 0, maximum: LATEST })
  .transform(Number)

/** The envelope of every list; there is always at least one page, so that reading on always ends. */
export const listAnswer = <T>(data: readonly T[], totalCount: number, { page, per_page }: Page) => ({
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
  string: 'a text',
  boolean: 'true or false',
  number: 'a number',
  array: 'a list',
  object: 'an object',
}

/** What to write instead, in plain words; never the value that was sent. A schema's own words go first. */
function hintFor(issue: z.core.$ZodIssue): string {
  if (!issue.message.startsWith('Invalid ')) return issue.message
  if (issue.code === 'invalid_type') return `Write ${A_VALUE[issue.expected] ?? issue.expected} here.`
  if (issue.code === 'invalid_value') return `Choose from: ${issue.values.map(String).join(', ')}.`
  if (issue.code === 'invalid_format' && issue.format === 'url')
    return 'Write a URL, such as https://example.com.'
  if (issue.code === 'invalid_format' && issue.format === 'email') return 'Write an e-mail address.'
  return issue.message
}

/** Every problem of a value that failed its schema; `parse` must have been told to report input. */
export function problemsOf(error: Pick<z.ZodError, 'issues'>): Problem[] {
  return withoutEchoes(error.issues).flatMap((issue): Problem[] => {
    const at = (...more: PropertyKey[]) => {
      const path = [...issue.path, ...more].map(String).join('.')
      return path === '' ? {} : { field: path }
    }
    switch (issue.code) {
      case 'unrecognized_keys':
        return issue.keys.map((key) => {
          const code = issue.message === 'unknown_topic' ? issue.message : 'unknown_field'
          return { code, ...at(key) }
        })
      case 'too_big':
        return issue.origin === 'string'
          ? [{ code: 'too_long', message: `At most ${issue.maximum} characters are allowed.`, ...at() }]
          : [{ code: issue.origin === 'array' ? 'too_many' : 'invalid', message: issue.message, ...at() }]
      case 'too_small':
        return issue.origin === 'string' && issue.minimum === 1
          ? [{ code: 'required', ...at() }]
          : [{ code: 'invalid', message: issue.message, ...at() }]
      case 'invalid_union':
        return problemsOf({ issues: inUnion(issue) })
      case 'custom':
        return [{ code: issue.params?.code ?? 'invalid', message: issue.message, ...at() }]
      default:
        return issue.input === undefined && issue.code !== 'invalid_format'
          ? [{ code: 'required', ...at() }]
          : [{ code: 'invalid', message: hintFor(issue), ...at() }]
    }
  })
}

/** What one alternative says of the value: the first that takes values of its type. */
function inUnion({ path, errors }: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue[] {
  const takesType = (issues: readonly z.core.$ZodIssue[]) =>
    !issues.some((issue) => issue.code === 'invalid_type' && issue.path.length === 0)
  const issues = errors.find(takesType) ?? errors[0] ?? []
  return issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] }))
}

/** Lengths are checked of values of the wrong type too: what is no list has not too many entries. */
function withoutEchoes(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const isMistyped = ({ code }: z.core.$ZodIssue) => code === 'invalid_type'
  const pathOf = ({ path }: z.core.$ZodIssue) => path.map(String).join('.')
  const mistyped = new Set(issues.filter(isMistyped).map(pathOf))
  return issues.filter((issue) => isMistyped(issue) || !mistyped.has(pathOf(issue)))
}
