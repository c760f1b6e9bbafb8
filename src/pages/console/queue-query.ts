/** Reads the queue filter from a query string, and writes it. */
import { type QueueQuery, queueFilter } from '../../contracts/queue.ts'

/** Returns the filter of a query. Ignores invalid parameters. */
export function readQueueQuery(query: Readonly<Record<string, unknown>>): QueueQuery {
  const right = Object.entries(queueFilter.shape).flatMap(([name, schema]) => {
    const parsed = schema.safeParse(query[name])
    return parsed.success && parsed.data !== undefined ? [[name, query[name]]] : []
  })
  return queueFilter.parse(Object.fromEntries(right))
}

/** Returns the query string of a filter. Equal filters have equal query strings. */
export const queueQueryText = (asked: QueueQuery): string =>
  new URLSearchParams(
    Object.keys(queueFilter.shape).flatMap((name) => {
      const value = asked[name as keyof QueueQuery]
      return value === undefined ? [] : [[name, String(value)]]
    }),
  ).toString()
