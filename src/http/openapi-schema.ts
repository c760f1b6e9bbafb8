/** JSON Schema for the reference: made from the schemas that validate, with an example of each. */
import { z } from 'zod'
import { SHOWN } from '../contracts/common.ts'

export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly propertyNames?: JsonSchema
  readonly additionalProperties?: JsonSchema | false
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly format?: string
  readonly minimum?: number
  readonly minItems?: number
  readonly maxLength?: number
  readonly description?: string
}

/** The schemas that have names, by their names. */
export type Components = Record<string, JsonSchema>

/** Puts named schemas into `components` and points there. */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output', components: Components): JsonSchema {
  const shown = SHOWN.get(schema) ?? schema
  const json = z.toJSONSchema(shown, { io, target: 'draft-2020-12', unrepresentable: 'any' })
  const {
    $schema: _,
    $defs = {},
    ...rest
  } = inComponents(json) as JsonSchema & {
    $schema?: string
    $defs?: Components
  }
  Object.assign(components, $defs)
  return rest
}

const inComponents = (json: unknown): unknown =>
  JSON.parse(JSON.stringify(json).replaceAll('"#/$defs/', '"#/components/schemas/'))

const TEXTS: Record<string, string> = {
  uuid: '018f4d2e-7c1a-7b3e-9d55-0a1b2c3d4e5f',
  date: '2015-02-28',
  email: 'ada@example.com',
  uri: 'https://client.example.com',
  e164: '+4930123456',
  binary: '%PDF-1.7',
}

/** A value that the schema allows: its own example where it has one; of requests, what is required. */
export function exampleOf(schema: JsonSchema, components: Components, whole: boolean): unknown {
  const more = (each: JsonSchema) => exampleOf(each, components, whole)
  if (schema.$ref) return more(components[schema.$ref.split('/').at(-1) ?? ''] ?? {})
  const own = [...(schema.examples ?? []), schema.const, schema.default, schema.enum?.[0]]
  const given = own.find((value) => value !== undefined)
  if (given !== undefined) return given
  const [choice] = schema.anyOf ?? schema.oneOf ?? []
  if (choice) return more(choice)
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object': {
      const shown = Object.entries(schema.properties ?? {}).filter(
        ([name, each]) => whole || schema.required?.includes(name) || each.examples,
      )
      return Object.fromEntries(shown.map(([name, each]) => [name, more(each)]))
    }
    case 'array':
      return whole || schema.minItems ? [more(schema.items ?? {})] : []
    case 'integer':
    case 'number':
      return schema.minimum ?? 0
    case 'boolean':
      return true
    default:
      return TEXTS[schema.format ?? ''] ?? 'text'
  }
}
