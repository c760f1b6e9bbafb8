/** The route with which clients read all events of a vault. */

import { eventFeedResponse, readEventsQuery } from '../../contracts/event-feed.ts'
import { unixSeconds } from '../../domain/base/unix-time.ts'
import { type FeedPage, writeCursor } from '../../domain/webhook/event-feed.ts'
import { readEventBody } from '../../domain/webhook/events.ts'
import { shareOf } from '../../use-cases/access/caller.ts'
import { readEvents } from '../../use-cases/webhooks/event-feed.ts'
import { type Route, route } from '../routing/route.ts'

const presentFeedPage = ({ events, cursor, hasMore }: FeedPage) => ({
  data: events.map(({ topic, payload, createdAt }) => {
    const { id, name, body } = readEventBody(payload)
    return { id, topic, event: name, created_at: unixSeconds(createdAt), payload: body }
  }),
  cursor: writeCursor(cursor),
  has_more: hasMore,
})

export const eventFeedRoutes: readonly Route[] = [
  route({
    name: 'readEvents',
    at: 'GET /events',
    role: 'api_read',
    summary: 'Read the vault’s events in order, and wait for new ones',
    errors: readEvents.refuses,
    waits: true,
    response: { 200: eventFeedResponse },
    query: readEventsQuery,
    handler: async ({ deps, caller, query, req, res }) => {
      const { wait, vault_id, ...asked } = query
      const gone = new AbortController()
      res.on('close', () => gone.abort())
      const page = await readEvents(
        deps,
        caller,
        vault_id,
        { ...asked, waitMs: wait * 1_000 },
        {
          read: (work) => deps.reading.run(shareOf(caller), work),
          signal: gone.signal,
          authenticate: () => deps.authenticate('client', req.headers.authorization, async () => () => {}),
        },
      )
      return { body: presentFeedPage(page) }
    },
  }),
]
