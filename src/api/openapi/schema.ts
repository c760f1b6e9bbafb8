/** Converts the validation schemas to JSON Schema, and adds examples. */
import { z } from 'zod'
import { SHOWN } from '../../contracts/common.ts'

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
  readonly pattern?: string
  readonly minimum?: number
  readonly minItems?: number
  readonly description?: string
}

/** The named schemas, keyed by name. */
export type Components = Record<string, JsonSchema>

/** Converts a schema, moves its named schemas to `components` and refers to them. */
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
  const read = io === 'output' ? (each: JsonSchema) => completed(withMore(each)) : completed
  for (const [name, each] of Object.entries($defs)) components[name] = read(each)
  return read(rest)
}

/** Allows unknown fields, because responses and events may gain fields without a new API version. */
const withMore = (schema: JsonSchema): JsonSchema =>
  JSON.parse(
    JSON.stringify(schema, (key, value) =>
      key === 'additionalProperties' && value === false ? undefined : value,
    ),
  )

const inComponents = (json: unknown): unknown =>
  JSON.parse(JSON.stringify(json).replaceAll('"#/$defs/', '"#/components/schemas/'))

/** Adds an example, and copies the description of a nullable field from its non-null type. */
function completed(given: JsonSchema): JsonSchema {
  const schema = withoutPattern(withoutConstant(given))
  const { properties, items, additionalProperties, anyOf, oneOf } = schema
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, each]) => [name, fieldOf(completed(each))]),
      ),
    }),
    ...(items && { items: completed(items) }),
    ...(additionalProperties && { additionalProperties: completed(additionalProperties) }),
    ...(anyOf && { anyOf: anyOf.map(completed) }),
    ...(oneOf && { oneOf: oneOf.map(completed) }),
  }
}

/** Describes a constant that is not text only as an example, because generated clients compare it with its text. */
function withoutConstant({ const: constant, ...schema }: JsonSchema): JsonSchema {
  if (constant === undefined) return schema
  return typeof constant === 'string' ? { ...schema, const: constant } : { ...schema, examples: [constant] }
}

/** The formats for which generated clients have a type of their own, which they cannot compare with a pattern. */
const TYPED_FORMATS = new Set(['uuid', 'date'])

const withoutPattern = ({ pattern, ...schema }: JsonSchema): JsonSchema =>
  pattern === undefined || TYPED_FORMATS.has(schema.format ?? '') ? schema : { ...schema, pattern }

function fieldOf(schema: JsonSchema): JsonSchema {
  const [choice] = schema.anyOf ?? []
  const description = schema.description ?? choice?.description
  const examples = schema.examples ?? choice?.examples ?? usualExamples(schema)
  return { ...schema, ...(description && { description }), ...(examples && { examples }) }
}

/** Returns examples of a value, or null if the type does not determine its format. */
function usualExamples(schema: JsonSchema): readonly unknown[] | null {
  if (schema.const !== undefined) return [schema.const]
  if (schema.default !== undefined) return [schema.default]
  if (schema.enum) return schema.enum.slice(0, 1)
  const [type] = [schema.type].flat()
  if (type === 'boolean') return [true]
  if (type === 'integer' && schema.minimum !== undefined) return [schema.minimum]
  const text = TEXTS[schema.format ?? '']
  if (type === 'string') return text === undefined ? null : [text]
  const [inner] = schema.anyOf ?? []
  if (inner) return usualExamples(inner)
  const entry = schema.items && (schema.items.examples ?? usualExamples(schema.items))
  return entry ? [entry.slice(0, 1)] : null
}

const TEXTS: Record<string, string> = {
  uuid: '018f4d2e-7c1a-7b3e-9d55-0a1b2c3d4e5f',
  date: '2015-02-28',
  email: 'ada@example.com',
  uri: 'https://client.example.com',
  e164: '+4930123456',
  binary: '%PDF-1.7',
}

/**
 * Returns an example that the schema allows. If `whole` is true, includes optional fields and a list entry. Otherwise,
 * includes only required fields.
 */
export function exampleOf(schema: JsonSchema, components: Components, whole: boolean): unknown {
  const more = (each: JsonSchema) => exampleOf(each, components, whole)
  const own = [...(schema.examples ?? []), schema.const, schema.default, schema.enum?.[0]]
  const given = own.find((value) => value !== undefined)
  if (given !== undefined) return given
  if (schema.$ref) return more(components[schema.$ref.split('/').at(-1) ?? ''] ?? {})
  const [choice] = schema.anyOf ?? schema.oneOf ?? []
  if (choice) return more(choice)
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object': {
      const all = Object.entries(schema.properties ?? {})
      const required = all.filter(([name]) => schema.required?.includes(name))
      // If no field is required, includes one to show the format.
      const shown = whole ? all : required.length > 0 ? required : all.slice(0, 1)
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
