/** Presents a page of the event feed. */
import { unixSeconds } from '../../contracts/common.ts'
import { type FeedPage, writeCursor } from '../../domain/webhook/event-feed.ts'
import { readEventBody } from '../../domain/webhook/events.ts'

export const presentFeedPage = ({ events, cursor, hasMore }: FeedPage) => ({
  data: events.map(({ topic, payload, createdAt }) => {
    const { id, name, body } = readEventBody(payload)
    return { id, topic, event: name, created_at: unixSeconds(createdAt), payload: body }
  }),
  cursor: writeCursor(cursor),
  has_more: hasMore,
})
