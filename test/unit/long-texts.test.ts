/** Tests that no text in a request takes a time that grows with the square of its length. */
import { expect, test } from 'vitest'
import type { z } from 'zod'
import { createRoutes } from '../../src/api/routes/index.ts'
import { cpuMsOf } from '../support/cpu-time.ts'

const LENGTH = 60_000
const LIMIT_MS = 300
/** A text of a third of the length takes a ninth of the time, if the time grows with the square. */
const SUSPECT_MS = LIMIT_MS / 9 / 3

/** Returns texts that repeat signs for which patterns and parsers have rules. */
const textsOf = (length: number) =>
  ['a', '(0', '( 0', '. ', 'a-', 'a.', 'é', '\u0301', '０', ',', '\u200d', '١']
    .map((part) => part.repeat(length / part.length))
    .flatMap((text) => [`+${text}x`, `https://a.de/${text}`, `a@${text}`])

/** Returns the schemas of all texts in the schema. */
function textsIn(schema: z.core.$ZodType): z.core.$ZodType[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'object':
      return Object.values(def.shape).flatMap(textsIn)
    case 'array':
      return textsIn(def.element)
    case 'record':
      return [def.keyType, ...textsIn(def.valueType)]
    case 'union':
      return def.options.flatMap(textsIn)
    case 'pipe':
      return [schema, ...textsIn(def.in), ...textsIn(def.out)]
    case 'optional':
    case 'nullable':
    case 'default':
      return textsIn(def.innerType)
    case 'transform':
      return []
    default:
      return [schema]
  }
}

const { client, operator } = createRoutes({ ENVIRONMENT: 'sandbox', WEBHOOK_ALLOW_PRIVATE: true })
const schemas = new Set(
  [...client, ...operator].flatMap(({ schemas: { params, query, body } }) =>
    [params, query, body].flatMap((schema) => (schema ? textsIn(schema) : [])),
  ),
)

test('parses long texts quickly', () => {
  const slow: string[] = []
  const [short, long] = [textsOf(LENGTH / 3), textsOf(LENGTH)]
  for (const schema of schemas) {
    const msOf = (text: string) => cpuMsOf(() => (schema as z.ZodType).safeParse(text))
    for (const [n, text] of long.entries())
      if (msOf(short[n] ?? '') > SUSPECT_MS && msOf(text) > LIMIT_MS) slow.push(text.slice(0, 20))
  }
  expect(slow).toEqual([])
})
