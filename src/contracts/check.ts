/** Validates values against their schemas. */
import type { z } from 'zod'
import { fieldPath, type Problem, RequestRefused } from '../domain/base/errors.ts'
import { checkJson } from './json-limits.ts'
import { PARSING, problemsOf, REMOVE } from './problems.ts'

type Checked<S extends z.ZodType> =
  | { readonly problems: readonly []; readonly data: z.output<S> }
  | { readonly problems: readonly Problem[]; readonly data?: undefined }

/** Returns the parsed value, or every problem. */
export function checkValue<S extends z.ZodType>(schema: S, value: unknown): Checked<S> {
  const parsed = schema.safeParse(value, PARSING)
  const found = parsed.error ? problemsOf(parsed.error) : []
  const reported = new Set(found.map(({ field }) => field))
  const omitted = pathsOfOmitted(value)
    .map(fieldPath)
    .filter((field) => !reported.has(field))
  const problems = [
    ...found,
    ...omitted.map((field): Problem => ({ code: 'unknown_field', message: REMOVE, field })),
  ]
  return parsed.success && problems.length === 0 ? { problems: [], data: parsed.data } : { problems }
}

/** An object or a list in a value, with its name there. */
interface Place {
  readonly value: object
  readonly name: PropertyKey | null
  readonly parent: Place | null
}

/**
 * Returns the paths of all values that are named `__proto__`, which records and loose objects omit from the result.
 * Does not call itself, because a value can be nested more deeply than the stack. Collects no paths on the way, because
 * that would take longer than the validation of a long body.
 */
function pathsOfOmitted(value: unknown): (readonly PropertyKey[])[] {
  const omitted: (readonly PropertyKey[])[] = []
  const open: Place[] = []
  const add = (value: unknown, name: PropertyKey | null, parent: Place | null) => {
    if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value))
      open.push({ value, name, parent })
  }
  add(value, null, null)
  for (const place of open) {
    if (Array.isArray(place.value)) for (const [n, each] of place.value.entries()) add(each, n, place)
    else
      for (const name of Object.keys(place.value)) {
        if (name === '__proto__') omitted.push([...pathOf(place), name])
        else add(place.value[name as keyof object], name, place)
      }
  }
  return omitted
}

function pathOf({ name, parent }: Place): PropertyKey[] {
  const path = name === null ? [] : [name]
  for (let place = parent; place?.name != null; place = place.parent) path.push(place.name)
  return path.reverse()
}

/** Returns the parsed value. Throws RequestRefused with every problem. */
export function parseOrRefuse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const { problems, data } = checkValue(schema, value)
  if (problems.length > 0) throw new RequestRefused(...problems)
  return data as z.output<S>
}

/** Returns the parsed JSON. Throws RequestRefused with every problem, or SyntaxError if it is not JSON. */
export function parseJsonOrRefuse<S extends z.ZodType>(schema: S, content: Buffer): z.output<S> {
  checkJson(content)
  return parseOrRefuse(schema, JSON.parse(content.toString('utf8')))
}

/** Returns every problem of the value, or an empty list if it is valid. */
export const findProblems = (schema: z.ZodType, value: unknown): readonly Problem[] =>
  checkValue(schema, value).problems
