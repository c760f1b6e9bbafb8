/** Use case for the feed, from which clients read all events of a vault in one order. */
import { type FeedQuery, readEventFeed } from '../../db/webhooks/event-feed.ts'
import { type Refusals, RequestRefused } from '../../domain/base/errors.ts'
import type { FeedCursor, FeedPage } from '../../domain/webhook/event-feed.ts'
import { type Caller, requireVault } from '../access/caller.ts'
import type { Deps } from '../base/deps.ts'

interface Asked extends Pick<FeedQuery, 'topic' | 'limit'> {
  readonly after?: FeedCursor | undefined
  /** How long to wait if there are no events. */
  readonly waitMs: number
}

interface Waiting {
  /** Runs each read. Between reads, the request only waits. */
  readonly read: <T>(work: () => Promise<T>) => Promise<T>
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
  /** Returns the caller, or null if the credential is no longer valid. */
  readonly authenticate: () => Promise<Caller | null>
}

/**
 * Returns the events after the cursor, or from the oldest on. Throws `invalid` for a cursor of another vault, and
 * `cursor_expired` if the feed no longer contains all events after the cursor.
 */
export async function readEvents(
  { db, feedWatch }: Pick<Deps, 'db' | 'feedWatch'>,
  caller: Caller,
  ownVault: string | undefined,
  { after, topic, limit, waitMs }: Asked,
  { read, signal, authenticate }: Waiting,
): Promise<FeedPage> {
  const vaultId = requireVault(caller, 'api_read', ownVault)
  if (after && after.vaultId !== vaultId)
    throw new RequestRefused({ code: 'invalid', field: 'after', message: OF_ANOTHER_VAULT })
  const end = performance.now() + waitMs
  for (let from = after ?? null; ; ) {
    const query = { vaultId, after: from, topic, limit }
    const page = await read(() => readEventFeed(db, query))
    if (page === null) throw new RequestRefused({ code: 'cursor_expired', field: 'after' })
    const left = end - performance.now()
    if (page.events.length > 0 || page.hasMore || left <= 0 || signal.aborted || feedWatch.isStopping())
      return page
    if (!(await feedWatch.wait({ ...page.cursor, caller: caller.actor }, left, signal)))
      throw new RequestRefused({ code: 'service_unavailable', message: TOO_MANY_WAITING })
    const known = await authenticate()
    // The next request is refused with the reason.
    if (!known) return page
    requireVault(known, 'api_read', vaultId)
    from = page.cursor
  }
}

readEvents.refuses = ['cursor_expired'] as const satisfies Refusals

const OF_ANOTHER_VAULT = 'The cursor belongs to another vault. Send a cursor from a response for this vault.'
const TOO_MANY_WAITING =
  'Too many requests of this vault wait for events. Send fewer at the same time, or retry after the number of seconds in Retry-After.'
