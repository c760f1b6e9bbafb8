/** Tests the conversion of failed validation into problems, and IDs, text, dates and pages. */
import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import {
  calendarDate,
  httpsUrl,
  id,
  idParam,
  listResponse,
  pageQuery,
  requiredText,
  text,
} from '../../../src/contracts/common.ts'
import {
  createIdentifyProcessBody,
  fillInBodyOf,
  softKycBody,
} from '../../../src/contracts/identification.ts'
import { problemsOf } from '../../../src/contracts/problems.ts'
import { ERRORS, type ErrorCode, RequestRefused, statusOf } from '../../../src/domain/base/errors.ts'
import { DEFAULT_APPLICANT_FORM } from '../../../src/domain/identification/person-form.ts'
import { company, person } from '../../support/identification-bodies.ts'

const problems = (schema: z.ZodType, value: unknown) => {
  const { error } = schema.safeParse(value, { reportInput: true })
  return error ? problemsOf(error) : []
}
/** Returns the code of a character. Throws for other values. */
function codeOf(value: unknown): number {
  if (typeof value !== 'string' || [...value].length !== 1) throw new TypeError('This is not one character')
  return value.codePointAt(0) as number
}
const codes = (schema: z.ZodType, value: unknown) =>
  problems(schema, value).map(({ code, field }) => [code, field])

describe('validation of redirect URLs', () => {
  const isAccepted = (isSandbox: boolean, redirect_url: string) =>
    createIdentifyProcessBody({ isSandbox }).safeParse({ type: 'kyc', redirect_url }).success
  test('accepts an HTTPS URL, and localhost over HTTP in the sandbox', () => {
    const local = ['http://localhost', 'http://localhost:8080/done?a=b', 'HTTP://LOCALHOST/']
    for (const url of local)
      expect([isAccepted(true, url), isAccepted(false, url)], url).toEqual([true, false])
    const others = ['http://example.com', 'http://localhost.example.com', 'http://localhost@example.com']
    for (const url of [...others, 'http:localhost', 'http://localhost:x'])
      expect([isAccepted(true, url), isAccepted(false, url)], url).toEqual([false, false])
    expect([isAccepted(true, 'https://a.example'), isAccepted(false, 'https://a.example')]).toEqual([
      true,
      true,
    ])
  })
})

describe('problemsOf', () => {
  const schema = z.strictObject({
    name: requiredText(5),
    list: z
      .array(z.strictObject({ n: z.number().max(3) }))
      .max(3)
      .optional(),
    tags: z.array(z.string()).max(2).optional(),
    kind: z.enum(['a', 'b']).optional(),
    born: calendarDate.optional(),
  })
  test('returns every problem at once, with the path of its field', () => {
    const value = {
      name: 'too long',
      list: [{ n: 'x' }, { n: 4 }, { m: 1 }],
      kind: 'c',
      more: 1,
      born: 'x',
      tags: ['a', 'b', 'c'],
    }
    expect(codes(schema, value).sort()).toEqual(
      [
        ['too_long', 'name'],
        ['invalid', 'list.0.n'],
        ['invalid', 'list.1.n'],
        ['required', 'list.2.n'],
        ['unknown_field', 'list.2.m'],
        ['too_many', 'tags'],
        ['invalid', 'kind'],
        ['malformed_request', 'born'],
        ['unknown_field', 'more'],
      ].sort(),
    )
  })
  test.each([
    [{}, [['required', 'name']]],
    [{ name: '' }, [['required', 'name']]],
    [{ name: null }, [['invalid', 'name']]],
    [{ name: undefined }, [['required', 'name']]],
    [[], [['invalid', undefined]]],
    [null, [['invalid', undefined]]],
    ['name', [['invalid', undefined]]],
  ])('returns for %j the problems %j', (value, expected) => {
    expect(codes(schema, value)).toEqual(expected)
  })
  test('reports only one problem for a value of the wrong type', () => {
    expect(codes(schema, { name: 'a', tags: 'a text for a list' })).toEqual([['invalid', 'tags']])
  })
  test.each([
    [z.int(), '1', 'Send a number, such as 1.'],
    [z.int(), 1.5, 'Send a whole number, such as 1.'],
    [z.boolean(), null, 'Send true or false. Null is not allowed here.'],
  ])('states what to send instead of a value of the wrong type', (type, n, message) => {
    expect(problems(z.object({ n: type }), { n })).toMatchObject([{ message }])
  })
  test('reports the narrower of two limits that a value exceeds', () => {
    const found = problems(z.object({ name: z.string().max(9).max(5) }), { name: 'x'.repeat(10) })
    expect(found).toMatchObject([{ message: 'At most 5 characters are allowed.' }])
  })
  test('takes at most ten times the work for ten times the problems', () => {
    const readsFor = (count: number) => {
      let reads = 0
      const { error } = z.array(text(1)).safeParse(Array(count).fill('xx'), { reportInput: true })
      const issues = (error?.issues ?? []).map(
        (issue) =>
          new Proxy(issue, {
            get(target, name) {
              reads += 1
              return Reflect.get(target, name)
            },
          }),
      )
      expect(problemsOf({ issues })).toHaveLength(count)
      return reads
    }
    expect(readsFor(1_000)).toBeLessThanOrEqual(10 * readsFor(100))
  })
  test('never quotes a submitted value', () => {
    const value = { name: 'SECRET!', list: 'SECRET!', kind: 'SECRET!', born: 'SECRET!' }
    expect(JSON.stringify(problems(schema, value))).not.toContain('SECRET')
  })
})

describe('validation of values', () => {
  const UUID = '0190c2d3-4e5f-7abc-8def-0123456789ab'
  test.each([UUID, UUID.toUpperCase(), '11111111-1111-1111-1111-111111111111'])(
    'accepts %s as an ID',
    (value) => {
      expect(idParam.parse(value)).toBe(value.toLowerCase())
      expect(id.parse(value)).toBe(value.toLowerCase())
    },
  )
  test.each(['', '1', UUID.replaceAll('-', ''), `${UUID}x`, `{${UUID}}`, ` ${UUID}`, `${UUID}\n`])(
    'reports %j in a path as malformed',
    (value) => {
      expect(codes(idParam, value)).toEqual([['malformed_request', undefined]])
    },
  )

  test.each(['2026-02-28', '2024-02-29', '0001-01-01', '9999-12-31'])('accepts %s as a date', (value) => {
    expect(problems(calendarDate, value)).toEqual([])
  })
  test.each([
    '2026-02-30',
    '2025-02-29',
    '2026-13-01',
    '2026-00-10',
    '0000-01-01',
    '2026-1-1',
    '01.02.2026',
    '2026-02-28T00:00:00Z',
    '',
    'today',
  ])('reports %j as a malformed date', (value) => {
    expect(codes(calendarDate, value)).toEqual([['malformed_request', undefined]])
  })
  test('accepts exactly the dates of the calendar', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1900, max: 2100 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 31 }),
        (y, m, d) => {
          const value = `${y}-${String(m).padStart(2, '0')}-${String(d).padStart(2, '0')}`
          const exists = new Date(`${value}T00:00:00Z`).getUTCDate() === d
          expect(problems(calendarDate, value).length === 0).toBe(exists)
        },
      ),
    )
  })

  test('accepts a date that is today in any time zone', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-05T10:00:00Z') })
    onTestFinished(() => void vi.useRealTimers())
    const inFuture = (day: string) => [
      ...codes(softKycBody, person({ birthdate: day })),
      ...codes(softKycBody, company({ incorporation_date: day })),
      ...codes(fillInBodyOf(DEFAULT_APPLICANT_FORM), { birthdate: day }),
    ]
    expect(inFuture('2026-11-06')).toEqual([])
    expect(inFuture('2026-11-07').map(([, field]) => field)).toEqual([
      'birthdate',
      'incorporation_date',
      'birthdate',
    ])
  })

  test('refuses an overlong host before parsing, which takes quadratic time', () => {
    const URL = vi.spyOn(globalThis, 'URL')
    onTestFinished(() => URL.mockRestore())
    const host = String.fromCodePoint(...Array.from({ length: 1_500 }, (_, n) => 0x4e00 + n))
    for (const url of [`https://${host}.example/a?b`, `https:\\\\${host}`, `https:${host}`])
      expect(problems(httpsUrl, url)).toContainEqual({
        code: 'invalid',
        message: 'The host name of the URL is too long.',
      })
    expect(URL).not.toHaveBeenCalled()
    expect(problems(httpsUrl, `https://client.example/${'ä'.repeat(1_000)}`)).toEqual([])
  })

  test.each(['Zürich', 'line\nbreak\ttab\r\n', '𝒳 is one character', '日本', '<b>&"\''])(
    'accepts %j as text',
    (value) => {
      expect(text(100).parse(value)).toBe(value)
    },
  )
  test.each(['nul\u0000', '\u001b[31m', 'del\u007f', '\u0085', '\ud800', 'half \udc00 of'])(
    'refuses %j as text',
    (value) => {
      expect(codes(text(100), value)).toEqual([['invalid', undefined]])
    },
  )
  test('preserves accepted text through UTF-8', () => {
    const short = text(100)
    // The unit `binary` takes a second to list the same characters.
    const character = fc
      .integer({ min: 0, max: 0x10ffff })
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code), codeOf)
    fc.assert(
      fc.property(fc.string({ unit: character }), (value) => {
        fc.pre(short.safeParse(value).success)
        expect(Buffer.from(value).toString()).toBe(value)
      }),
    )
  })
})

describe('pagination', () => {
  const query = z.strictObject(pageQuery(25))
  test.each([
    [{}, { page: 1, per_page: 25 }],
    [
      { page: '3', per_page: '7' },
      { page: 3, per_page: 7 },
    ],
    [{ per_page: '100' }, { page: 1, per_page: 100 }],
    [{ per_page: '101' }, { page: 1, per_page: 100 }],
    [{ per_page: '999999999' }, { page: 1, per_page: 100 }],
  ])('reads %j as %j', (given, expected) => {
    expect(query.parse(given)).toEqual(expected)
  })
  test.each(['0', '-1'])('returns 422 for %s, which is below 1', (value) => {
    expect(codes(query, { page: value })).toEqual([['invalid', 'page']])
    expect(codes(query, { per_page: value })).toEqual([['invalid', 'per_page']])
  })
  test.each(['abc', '1.5', '', ' 1', '1e3', '0x10'])(
    'returns 400 for %j, which is not an integer',
    (value) => {
      expect(codes(query, { page: value })).toEqual([['malformed_request', 'page']])
      expect(codes(query, { per_page: value })).toEqual([['malformed_request', 'per_page']])
    },
  )
  test('lets a client read every entry and stop at the last page', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.integer({ min: 1, max: 100 }), (total, per_page) => {
        let read = 0
        for (let page = 1; ; page++) {
          const { pagination } = listResponse({ entries: [], totalCount: total }, { page, per_page }, String)
          read += Math.min(per_page, Math.max(0, total - (page - 1) * per_page))
          expect(pagination.total_count).toBe(total)
          if (pagination.current_page === pagination.total_pages) break
        }
        expect(read).toBe(total)
      }),
    )
  })
})

describe('the errors', () => {
  const problem = (code: ErrorCode) => ({ code })
  test('return 400 if the status of any problem is 400, and otherwise the status of the first problem', () => {
    expect(statusOf([problem('required'), problem('malformed_request')])).toBe(400)
    expect(statusOf([problem('required'), problem('invalid')])).toBe(422)
    expect(statusOf([{ code: 'kyb_processed', status: 422 }])).toBe(422)
    expect(statusOf([problem('kyb_processed')])).toBe(403)
    expect(statusOf([])).toBe(500)
  })
  test('have a known status and a message for every code', () => {
    for (const { status, message } of Object.values(ERRORS)) {
      expect([400, 401, 403, 404, 405, 408, 409, 410, 413, 415, 422, 429, 431, 500, 503]).toContain(status)
      expect(message.length).toBeGreaterThan(10)
    }
    expect(ERRORS.not_found.message).toBe('Record not found')
  })
  test('contain their problems, but only the codes of the problems in their message', () => {
    const refusal = new RequestRefused({ code: 'invalid', field: 'name', message: 'SECRET' })
    expect(refusal.problems).toHaveLength(1)
    expect(refusal.message).toBe('invalid')
  })
})
