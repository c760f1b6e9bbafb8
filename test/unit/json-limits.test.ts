/** What a JSON body may not be is found whatever else it says. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkJson } from '../../src/http/json-limits.ts'

const check = (text: string) => () => checkJson(Buffer.from(text))
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

describe('refused', () => {
  test.each([
    ['a name twice', '{"a":1,"a":1}'],
    ['a name twice, further in', '{"x":[{"a":{},"b":[1,2],"a":3}]}'],
    ['a name twice, written in two ways', '{"a":1,"\\u0061":2}'],
    ['__proto__ twice', '{"__proto__":1,"__proto__":2}'],
    ['21 levels', nested(21)],
    ['1,001 entries', `[${Array(1_001).fill(1)}]`],
    ['1,001 names', `{${Array.from({ length: 1_001 }, (_, n) => `"${n}":1`)}}`],
  ])('%s', (_, text) => {
    expect(check(text)).toThrow('malformed_request')
  })
})

describe('allowed', () => {
  test.each([
    ['20 levels', nested(20)],
    ['1,000 entries', `[${Array(1_000).fill(1)}]`],
    ['the same name in different objects', '[{"a":{"a":1}},{"a":2}]'],
    ['equal values', '{"a":"a","b":"a"}'],
    ['brackets, commas and quotes in texts', '{"a":"[[[{{,,\\"","b":"}]","c":"a"}'],
    ['nothing', ''],
  ])('%s', (_, text) => {
    expect(check(text)).not.toThrow()
  })
  test('every value that JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => checkJson(Buffer.from(JSON.stringify(value)))),
    )
  })
  test('and what is no JSON, which the parser refuses, never makes it fail otherwise', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[],:"\\a1 ') }), (text) => {
        try {
          checkJson(Buffer.from(text))
        } catch (error) {
          expect((error as Error).name).toBe('RequestRefused')
        }
      }),
    )
  })
})
