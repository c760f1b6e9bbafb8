/** Tests the limits on the structure of a JSON body. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkJson } from '../../src/api/json-limits.ts'

const check = (text: string) => () => checkJson(Buffer.from(text))
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const list = (values: number) => `[${Array(values).fill(1)}]`

describe('checkJson for excessive JSON', () => {
  test.each([
    ['21 levels', nested(21)],
    ['21 levels that never close', '{"a":'.repeat(21)],
    ['20,001 values', list(20_000)],
    ['20,001 lists', `[${Array(10_001).fill('[]')}]`],
  ])('refuses %s', (_, text) => {
    expect(check(text)).toThrow('malformed_request')
  })
})

describe('checkJson for permitted JSON', () => {
  test.each([
    ['20 levels', nested(20)],
    ['19,999 entries', list(19_998)],
    ['a name twice, of which the last counts', '{"a":1,"a":2}'],
    ['brackets, commas and quotes in texts', `{"a":"${'[{,\\"'.repeat(20_000)}","b":"}]","c":"a"}`],
    ['a text that never ends', `"${'\\"'.repeat(500_000)}`],
    ['nothing', ''],
  ])('accepts %s', (_, text) => {
    expect(check(text)).not.toThrow()
  })
  test('accepts every value that JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => checkJson(Buffer.from(JSON.stringify(value)))),
    )
  })
  test('accepts any text or throws RequestRefused, and no other error', () => {
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
