/** Reads the filters of the queue and of the case list from a query string. */
import type { z } from 'zod'
import {
  type CaseQuery,
  caseFilter,
  type QueueQuery,
  queryText,
  queueFilter,
} from '../../../contracts/queue.ts'

type Query = Readonly<Record<string, unknown>>

/** Returns the filter in the query. Ignores invalid parameters. */
function readQuery<F extends z.ZodObject>(filter: F, query: Query): z.output<F> {
  const right = Object.entries(filter.shape).flatMap(([name, schema]) => {
    const parsed = (schema as z.ZodType).safeParse(query[name])
    return parsed.success && parsed.data !== undefined ? [[name, query[name]]] : []
  })
  return filter.parse(Object.fromEntries(right))
}

export const readQueueQuery = (query: Query): QueueQuery => readQuery(queueFilter, query)
export const readCaseQuery = (query: Query): CaseQuery => readQuery(caseFilter, query)
export const caseQueryText = (asked: CaseQuery): string => queryText(caseFilter, asked)
