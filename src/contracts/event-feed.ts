/** Schemas for the event feed. */
import { z } from 'zod'
import { TOPICS } from '../domain/base/topics.ts'
import { CURSOR, readCursor } from '../domain/webhook/event-feed.ts'
import { described, malformed, vaultQuery, wholeNumber } from './common.ts'
import { named, unixTime, uuid } from './response.ts'

const MAX_EVENTS = 500
const MAX_WAIT_SECONDS = 30
const A_CURSOR = 'AZJK7u5Rfd2qYyXe1p0K3gAAAAAAAAAqAZJK8AOMf1SYDbYRDqW3mQ'

const cursor = {
  description: 'Place in the feed.',
  examples: [A_CURSOR],
}

export const readEventsQuery = z.strictObject({
  after: z
    .string()
    .refine((text) => CURSOR.test(text), {
      ...malformed,
      error: 'Send the `cursor` of an earlier response, unchanged.',
      abort: true,
    })
    .meta({
      ...cursor,
      pattern: CURSOR.source,
      description: '`cursor` of the previous response. If omitted, the feed begins at its oldest event.',
    })
    .transform(readCursor)
    .optional(),
  topic: z.enum(TOPICS).optional().describe('Topic of the events. If omitted, events of all topics.'),
  limit: wholeNumber({
    minimum: 1,
    maximum: MAX_EVENTS,
    default: 100,
    description: 'Maximum number of events. A response can contain fewer, even if there are more.',
  })
    .pipe(
      z.number().min(1, 'The smallest value is 1.').max(MAX_EVENTS, `The largest value is ${MAX_EVENTS}.`),
    )
    .default(100),
  wait: wholeNumber({
    minimum: 0,
    maximum: MAX_WAIT_SECONDS,
    default: 0,
    description: 'Number of seconds to wait for the first event if there are none.',
  })
    .pipe(
      z
        .number()
        .min(0, 'The smallest value is 0.')
        .max(MAX_WAIT_SECONDS, `The largest value is ${MAX_WAIT_SECONDS}.`),
    )
    .default(0),
  ...vaultQuery,
})

export const eventFeedResponse = z.strictObject({
  data: z
    .array(
      named(
        'FeedEvent',
        z.strictObject({
          id: uuid.describe('The `event_id`. It is the same in all webhooks of the event.'),
          topic: z.enum(TOPICS).describe('Topic of the event.'),
          event: described(z.string(), 'Name of the event.', 'kyb_processed'),
          created_at: unixTime.describe('Time of the event, in Unix seconds.'),
          payload: described(z.record(z.string(), z.unknown()), 'Body of the webhook.', {
            data: { event: 'account_locked', attributes: {} },
          }),
        }),
      ),
    )
    .describe('Events, oldest first.'),
  cursor: z.string().meta({
    ...cursor,
    description:
      'The place after the last event. Send it as `after` in the next request, even if `data` is empty.',
  }),
  has_more: z.boolean().describe('Whether the feed contains more events after the cursor now.'),
})
