/** Names the unnamed objects and enums of the OpenAPI document, so that generated clients have readable type names. */
import { inPascalCase } from '../../contracts/response.ts'
import type { OpenApiDocument, Operation } from './document.ts'
import type { Components, JsonSchema } from './schema.ts'

/** Moves the schemas into the components. Schemas with the same content share the first name found. */
export function nameSchemas(document: OpenApiDocument): OpenApiDocument {
  const components: Components = {}
  const names = createNames(components, document.components.schemas, choicesIn(document))
  for (const [name, schema] of Object.entries(document.components.schemas))
    components[name] = names.within(schema, name)

  const ofOperation = (operation: Operation): Operation => {
    const { operationId, parameters, requestBody, responses } = operation
    const base = inPascalCase(operationId)
    return {
      ...operation,
      parameters: parameters.map((each) => ({
        ...each,
        schema: names.as(each.schema, each.name, base + inPascalCase(each.name)),
      })),
      ...(requestBody && { requestBody: ofContent(requestBody, `${base}Request`) }),
      responses: mapValues(responses, (response) => ofContent(response, `${base}Result`)),
    }
  }
  const ofContent = <T extends { readonly content: Operation['responses'][string]['content'] }>(
    part: T,
    name: string,
  ): T => ({
    ...part,
    content: mapValues(part.content, ({ schema, example }, type) => ({
      // Leaves the schemas of forms unnamed, because Swagger UI fills in all fields of a form with a named schema.
      schema: type === 'multipart/form-data' ? names.within(schema, name) : names.as(schema, '', name),
      example,
    })),
  })

  return {
    ...document,
    paths: mapValues(document.paths, (methods) => mapValues(methods, ofOperation)),
    ...(document.webhooks && {
      webhooks: mapValues(document.webhooks, ({ post }) => ({ post: ofOperation(post) })),
    }),
    components: { ...document.components, schemas: components },
  }
}

/** Names a schema. `field` is the property that has the schema, and `name` describes the schema's position. */
type Name = (schema: JsonSchema, field: string, name: string) => JsonSchema

function createNames(components: Components, named: Components, choices: Choices) {
  const takenNames = new Set(Object.keys(named))
  const nameOf = new Map(Object.entries(named).map(([name, schema]) => [keyOf(schema), name]))

  const as: Name = (schema, field, name) => {
    const inner = within(schema, name, field)
    if (inner.type === 'object' && inner.properties !== undefined) return reference(inner, name)
    if ((inner.enum?.length ?? 0) < 2) return inner
    const isOnly = choices.get(field)?.size === 1
    return reference(inner, isOnly ? inPascalCase(field) : name)
  }

  function within(schema: JsonSchema, name: string, field = ''): JsonSchema {
    const { properties, items, additionalProperties, anyOf, oneOf } = schema
    return {
      ...schema,
      ...(properties && {
        properties: mapValues(properties, (each, own) => as(each, own, name + inPascalCase(own))),
      }),
      ...(items && { items: as(items, field, `${name}Entry`) }),
      ...(additionalProperties && { additionalProperties: as(additionalProperties, field, `${name}Entry`) }),
      ...(anyOf && { anyOf: anyOf.map((each) => as(each, field, name + variantOf(each))) }),
      ...(oneOf && { oneOf: oneOf.map((each) => as(each, field, name + variantOf(each))) }),
    }
  }

  function reference(schema: JsonSchema, wanted: string): JsonSchema {
    const { description, examples, default: usual } = schema
    const key = keyOf(schema)
    const name = nameOf.get(key) ?? unused(wanted)
    nameOf.set(key, name)
    components[name] ??= schema
    return {
      $ref: `#/components/schemas/${name}`,
      ...(description && { description }),
      ...(examples && { examples }),
      ...(usual !== undefined && { default: usual }),
    }
  }

  function unused(wanted: string): string {
    let [name, number] = [wanted, 2]
    for (; takenNames.has(name); number += 1) name = `${wanted}${number}`
    takenNames.add(name)
    return name
  }

  return { as, within }
}

/** Returns the content of a schema, which schemas with different descriptions can share. */
const keyOf = ({ description: _, examples: _examples, default: _usual, ...content }: JsonSchema): string =>
  JSON.stringify(content)

/** Returns the constant that identifies a variant, in Pascal case. */
const variantOf = ({ properties = {} }: JsonSchema): string =>
  inPascalCase(String(Object.values(properties).find((each) => each.const !== undefined)?.const ?? ''))

/** Maps the name of a property to the enums of all properties with that name. */
type Choices = ReadonlyMap<string, ReadonlySet<string>>

function choicesIn(document: OpenApiDocument): Choices {
  const choices = new Map<string, Set<string>>()
  const walk = (schema: JsonSchema, field: string): void => {
    if ((schema.enum?.length ?? 0) > 1)
      choices.set(field, (choices.get(field) ?? new Set()).add(JSON.stringify(schema.enum)))
    for (const [name, each] of Object.entries(schema.properties ?? {})) walk(each, name)
    const { items, additionalProperties, anyOf = [], oneOf = [] } = schema
    for (const each of [items, additionalProperties, ...anyOf, ...oneOf]) if (each) walk(each, field)
  }
  for (const schema of Object.values(document.components.schemas)) walk(schema, '')
  for (const { parameters, requestBody, responses } of operationsIn(document)) {
    for (const { name, schema } of parameters) walk(schema, name)
    for (const { content } of [...(requestBody ? [requestBody] : []), ...Object.values(responses)])
      for (const { schema } of Object.values(content)) walk(schema, '')
  }
  return choices
}

const operationsIn = ({ paths, webhooks = {} }: OpenApiDocument): Operation[] => [
  ...Object.values(paths).flatMap((methods) => Object.values(methods)),
  ...Object.values(webhooks).map(({ post }) => post),
]

const mapValues = <T, U>(record: Readonly<Record<string, T>>, change: (value: T, name: string) => U) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)] as const))
