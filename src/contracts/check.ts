/** Validates values against their schemas. */
import type { z } from 'zod'
import { type Problem, RequestRefused } from '../domain/base/errors.ts'
import { PARSING, problemsOf } from './problems.ts'

/** Returns the parsed value. Throws RequestRefused with every problem. */
export function parseOrRefuse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value, PARSING)
  if (!parsed.success) throw new RequestRefused(...problemsOf(parsed.error))
  return parsed.data
}

/** Returns every problem of the value, or an empty list if it is valid. */
export function findProblems(schema: z.ZodType, value: unknown): Problem[] {
  const { error } = schema.safeParse(value, PARSING)
  return error ? problemsOf(error) : []
}
