/** What is asked of the queue, as its queries take it. */
import { type QueueQuery, queueFilter } from '../../contracts/queue.ts'
import type { QueueFilter } from '../../db/cases/queue.ts'

export const queueFilterOf = (asked: QueueQuery, actor: string): QueueFilter => ({
  kind: asked.kind,
  waitingOn: asked.waiting_on,
  vaultId: asked.vault_id,
  status: asked.status,
  waitingLongerThan: asked.waiting_longer_than,
  hits: asked.hits === 'true',
  assigned: asked.assigned === undefined ? undefined : { to: holderOf(asked.assigned, actor) },
})

const holderOf = (assigned: string, actor: string): string | null =>
  assigned === 'nobody' ? null : assigned === 'me' ? actor : assigned

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
