/** Tests the limits on the structure of a JSON body. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkJson } from '../../../src/contracts/json-limits.ts'
import { RequestRefused } from '../../../src/domain/base/errors.ts'
import { cpuMsOf } from '../../support/cpu-time.ts'

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

const problemsIn = (text: string) => {
  try {
    checkJson(Buffer.from(text))
    return []
  } catch (error) {
    return error instanceof RequestRefused ? error.problems.map(({ code, field }) => [code, field]) : [error]
  }
}

describe('checkJson for names', () => {
  test.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"a":1,"b":2,"\\u0061":1}', 'a'],
    ['{"a":{"b":1,"b":{}}}', 'a.b'],
    ['{"a":[1,{},{"b":null,"c":[{"d":":,"}],"b":1}]}', 'a.2.b'],
    ['[{"a":1},{"a":1,"a":1}]', '1.a'],
    ['{"ä":1,"\\u00e4":1}', 'ä'],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"":1,"":2}', undefined],
  ])('refuses %s, whose first value the parser would drop', (text, field) => {
    expect(problemsIn(text)).toEqual([['malformed_request', field]])
  })
})

describe('checkJson for numbers', () => {
  test.each([
    ...[
      '0',
      '-0',
      '0.1',
      '10.50',
      '1e3',
      '1E+3',
      '15e-1',
      '0.30000000000000004',
      '123456789012345',
      '1e15',
      '1e21',
    ],
    ...[
      '9007199254740991',
      '-9007199254740992',
      '0.000000000000000000000000000001',
      '1.50000000000000000000',
    ],
    ...['100000000000000000000000', '5e-324', '1.7976931348623157e308', '0e999', '0.0000000000000000e400'],
  ])('accepts %s, which stays exact', (number) => {
    expect(problemsIn(`{"a":${number}}`)).toEqual([])
  })
  test.each([
    ...[
      '0.123456789012345678',
      '9007199254740993',
      '-9007199254740993',
      '12345678901234567890',
      '1e400',
      '-1e400',
    ],
    ...['1e-400', '3.14159265358979323846', '0.1000000000000000055511151231257827', '1.00000000000000000001'],
    ...['1'.repeat(41), '123456789.123456789', '0.10000000000000000001e5', `1${'0'.repeat(400)}`],
  ])('refuses %s, which JavaScript would round', (number) => {
    expect(problemsIn(`{"a":${number}}`)).toEqual([['invalid', 'a']])
    expect(problemsIn(`{"a":1,"b":[0,{"c":${number}}],"d":${number}}`)).toEqual([
      ['invalid', 'b.1.c'],
      ['invalid', 'd'],
    ])
    expect(problemsIn(number)).toEqual([['invalid', undefined]])
  })
  test('ignores numbers in texts', () => {
    const number = '0.123456789012345678'
    expect(problemsIn(`{"a":"${number}","b\\"${number}":1}`)).toEqual([])
  })
  test.each(['{"a":0.123456789012345678', '[0.123456789012345678x]', '[1e400.5]', '[--------------------]'])(
    'leaves %s to the parser',
    (text) => {
      expect(problemsIn(text)).toEqual([])
    },
  )
  test('takes linear time for a number of a megabyte', () => {
    const ms = cpuMsOf(() => {
      for (const digit of ['0', '1']) problemsIn(`[0.${digit.repeat(500_000)}1]`)
    })
    expect(ms).toBeLessThan(500)
  })
})

test('checkJson repeats no long name for each number below it', () => {
  const problems = problemsIn(`{"${'a'.repeat(500_000)}":[${Array(19_000).fill('1e-400')}]}`)
  expect([problems.length, problems[0]]).toEqual([19_000, ['invalid', `${'a'.repeat(100)}.0`]])
})

describe('checkJson for permitted JSON', () => {
  test.each([
    ['20 levels', nested(20)],
    ['19,999 entries', list(19_998)],
    ['a name once in each object', '{"a":{"a":[{"a":"a"},{"a":1},"a","a"]},"":{},"A":1}'],
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
