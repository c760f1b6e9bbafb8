/** Routes for publishing platform events to the webhooks of vaults. */
import { ownIdOf, publishEventsBody, publishedResponse } from '../../contracts/event.ts'
import type { AcceptedEvent } from '../../domain/webhook/published-event.ts'
import { publishEvents } from '../../use-cases/webhooks/published-events.ts'
import { type Route, route } from '../routing/route.ts'

export const eventRoutes: readonly Route[] = [
  route({
    name: 'publishEvents',
    at: 'POST /events',
    role: 'administer',
    summary: 'Publish one or more events to the webhooks of vaults',
    retryGuidance: 'event_id',
    keepsAccess: true,
    errors: publishEvents.refuses,
    response: { 202: publishedResponse },
    body: publishEventsBody,
    handler: ({ deps, caller, by, body, effect }) => {
      const isList = Array.isArray(body)
      const events = (isList ? body : [body]).map((published) => {
        const { vault_id: vaultId, topic, event: name, key, attributes } = published
        return { vaultId, topic, name, key, attributes, ownId: ownIdOf(published) }
      })
      const fieldOf = (n: number, field: string) => (isList ? `${n}.${field}` : field)
      return effect.answering(
        (accepted: AcceptedEvent[]) => {
          const answers = accepted.map(present)
          const [first] = answers
          return { status: 202 as const, body: { data: isList || !first ? answers : first } }
        },
        (commit) => publishEvents(deps, caller, by, events, fieldOf, commit),
      )
    },
  }),
]

const present = ({ eventId, webhookLogIds }: AcceptedEvent) => ({
  event_id: eventId,
  webhook_log_ids: webhookLogIds,
})
