/** Reads the filters of the queue and of the case list from a query string, and writes them to one. */
import type { z } from 'zod'
import { type CaseQuery, caseFilter, type QueueQuery, queueFilter } from '../../contracts/queue.ts'

type Query = Readonly<Record<string, unknown>>

/** Returns the filter in the query. Ignores invalid parameters. */
function readQuery<F extends z.ZodObject>(filter: F, query: Query): z.output<F> {
  const right = Object.entries(filter.shape).flatMap(([name, schema]) => {
    const parsed = (schema as z.ZodType).safeParse(query[name])
    return parsed.success && parsed.data !== undefined ? [[name, query[name]]] : []
  })
  return filter.parse(Object.fromEntries(right))
}

/** Returns the query string of a filter. Equal filters have equal query strings. */
const queryText = <Q extends object>(filter: z.ZodObject, asked: Q): string =>
  new URLSearchParams(
    Object.keys(filter.shape).flatMap((name) => {
      const value = asked[name as keyof Q]
      return value === undefined ? [] : [[name, String(value)]]
    }),
  ).toString()

export const readQueueQuery = (query: Query): QueueQuery => readQuery(queueFilter, query)
export const queueQueryText = (asked: QueueQuery): string => queryText(queueFilter, asked)
export const readCaseQuery = (query: Query): CaseQuery => readQuery(caseFilter, query)
export const caseQueryText = (asked: CaseQuery): string => queryText(caseFilter, asked)
