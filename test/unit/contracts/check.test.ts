/** Tests that validation reports names which a schema would drop from its result. */
import { expect, test } from 'vitest'
import { z } from 'zod'
import { checkValue, findProblems, parseOrRefuse } from '../../../src/contracts/check.ts'
import { dictionaryOf } from '../../../src/contracts/common.ts'

const name = z.string()
const free = z.record(name, z.unknown())

test.each([
  ['a record', free, '{"a":1,"__proto__":{"b":1}}', ['unknown_field __proto__']],
  ['a nested value', free, '{"a":[{"b":{"__proto__":1}}]}', ['unknown_field a.0.b.__proto__']],
  ['a loose object', z.looseObject({ a: name }), '{"a":"x","__proto__":1}', ['unknown_field __proto__']],
  ['a stripped object', z.object({ a: name }), '{"a":"x","__proto__":1}', ['unknown_field __proto__']],
  ['a strict object', z.strictObject({ a: name }), '{"a":"x","__proto__":1}', ['unknown_field __proto__']],
  ['a dictionary', dictionaryOf(name, name), '{"__proto__":"x"}', ['invalid __proto__']],
  ['an invalid value', free, '[{"__proto__":1}]', ['invalid', 'unknown_field 0.__proto__']],
  ['an object without the name', free, '{"a":{"proto":1,"constructor":{}}}', []],
  ['a text', z.unknown(), '"__proto__"', []],
  ['null', z.unknown(), 'null', []],
])('reports __proto__ in %s once', (_, schema, body, expected) => {
  const value = JSON.parse(body)
  const codes = findProblems(schema, value).map(({ code, field }) => [code, field].filter(Boolean).join(' '))
  expect(codes).toEqual(expected)
  if (expected.length === 0) {
    expect(checkValue(schema, value).data).toEqual(value)
    expect(parseOrRefuse(schema, value)).toEqual(value)
  } else {
    expect(checkValue(schema, value).data).toBeUndefined()
    expect(() => parseOrRefuse(schema, value)).toThrow()
  }
})
