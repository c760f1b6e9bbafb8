/**
 * Converts between records and JSON. A field in snake case is the record's field in camel case, and a time in Unix
 * seconds is a date.
 */
import type { z } from 'zod'
import { type CamelCase, inCamelCase } from '../domain/base/camel-case.ts'
import { unixSeconds } from '../domain/base/unix-time.ts'

type DeepReadonly<T> = T extends (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T

/** The JSON of a schema, which handlers and presenters do not change. */
export type Presented<S extends z.ZodType> = DeepReadonly<z.output<S>>

/** A record with the fields of a JSON object. Numbers can be dates. */
type RecordOf<T> = {
  readonly [K in keyof T as CamelCase<K & string>]: T[K] | (number extends T[K] ? Date : never)
}

/** Creates a function that presents a record with the fields of the schema, and without the record's other fields. */
export function presenterOf<S extends z.ZodObject>({ shape }: S) {
  const fields = Object.keys(shape).map((name) => [name, inCamelCase(name)] as const)
  return (record: RecordOf<Presented<S>>): Presented<S> =>
    Object.fromEntries(
      fields.map(([name, field]) => {
        const value: unknown = record[field as keyof typeof record]
        return [name, value instanceof Date ? unixSeconds(value) : value]
      }),
    ) as Presented<S>
}

/** Returns the fields of a parsed body under the names of the record. */
export const recordOf = <T extends object>(body: T) =>
  Object.fromEntries(Object.entries(body).map(([name, value]) => [inCamelCase(name), value])) as {
    [K in keyof T as CamelCase<K & string>]: T[K]
  }
