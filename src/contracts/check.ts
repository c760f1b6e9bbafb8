/** Validates values against their schemas. */
import type { z } from 'zod'
import { fieldPath, type Problem, RequestRefused } from '../domain/base/errors.ts'
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

/**
 * Returns the paths of all values that are named `__proto__`, which records and loose objects omit from the result.
 * Does not call itself, because a value can be nested more deeply than the stack.
 */
function pathsOfOmitted(value: unknown): (readonly string[])[] {
  const omitted: (readonly string[])[] = []
  const open: { readonly value: unknown; readonly path: readonly string[] }[] = [{ value, path: [] }]
  for (const { value, path } of open) {
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) continue
    for (const [name, each] of Object.entries(value)) {
      const own = [...path, name]
      if (name === '__proto__') omitted.push(own)
      else open.push({ value: each, path: own })
    }
  }
  return omitted
}

/** Returns the parsed value. Throws RequestRefused with every problem. */
export function parseOrRefuse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const { problems, data } = checkValue(schema, value)
  if (problems.length > 0) throw new RequestRefused(...problems)
  return data as z.output<S>
}

/** Returns every problem of the value, or an empty list if it is valid. */
export const findProblems = (schema: z.ZodType, value: unknown): readonly Problem[] =>
  checkValue(schema, value).problems
