/** The filter of the queue as an address says it. */
import { type QueueQuery, queueFilter } from '../../contracts/queue.ts'

/** What an address says; what it says wrongly is as if it were not said. */
export function readQueueQuery(query: Readonly<Record<string, unknown>>): QueueQuery {
  const right = Object.entries(queueFilter.shape).flatMap(([name, schema]) => {
    const parsed = schema.safeParse(query[name])
    return parsed.success && parsed.data !== undefined ? [[name, query[name]]] : []
  })
  return queueFilter.parse(Object.fromEntries(right))
}

/** Such an address, the same for the same filter. */
export const queueQueryText = (asked: QueueQuery): string =>
  new URLSearchParams(
    Object.keys(queueFilter.shape).flatMap((name) => {
      const value = asked[name as keyof QueueQuery]
      return value === undefined ? [] : [[name, String(value)]]
    }),
  ).toString()
