/** Events that the platform publishes to a vault's webhooks. */
import { v7 as newId } from 'uuid'
import { ownIdOf, type PublishedEvent, publishEventsBody, publishedAnswer } from '../../contracts/event.ts'
import { withIdentity } from '../../db/webhooks/outbox.ts'
import { type NewEvent, type PublishOutcome, publishEvents } from '../../db/webhooks/published-event.ts'
import { type Problem, RequestRefused } from '../../domain/errors.ts'
import { eventBody } from '../../domain/webhook/events.ts'
import type { Encryption } from '../../storage/encryption.ts'
import { canonical } from '../../use-cases/idempotency.ts'
import type { Publisher } from '../../webhooks/publisher.ts'
import { type Route, route } from '../route.ts'

export const eventRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/events',
    role: 'operator_admin',
    summary: 'Publish one event or many to the webhooks of vaults',
    lost: 'event_id',
    errors: ['event_id_taken'],
    response: { 202: publishedAnswer },
    body: publishEventsBody,
    handler: async ({ deps: { db, publisher, notifier }, body, effect }) => {
      const many = Array.isArray(body)
      const events = many ? body : [body]
      const problems = await unknownVaults(publisher, events, many)
      if (problems.length > 0) throw new RequestRefused(...problems)

      const rows = events.map((event) => toEvent(db.encryption, event))
      const answerOf = (outcome: PublishOutcome | undefined) => {
        if (!outcome || 'taken' in outcome) throw refusalOf(outcome?.taken ?? [], many)
        const answers = rows.map(({ eventId }, i) => ({
          event_id: eventId,
          webhook_log_ids: outcome.logIds[i] ?? [],
        }))
        const [first] = answers
        return { status: 202 as const, body: { data: many || !first ? answers : first } }
      }
      if (!effect.isKeyed) return answerOf(await publisher.publish(rows))
      // With a key, the events and the answer that names them are one transaction.
      return effect.commit(async (tx) => {
        const { outcomes, written } = await publishEvents(tx, [rows])
        return { answer: answerOf(outcomes[0]), afterwards: () => notifier.tell([...written]) }
      })
    },
  }),
]

const refusalOf = (taken: readonly number[], many: boolean) =>
  new RequestRefused(
    ...taken.map((n): Problem => ({ code: 'event_id_taken', field: many ? `${n}.event_id` : 'event_id' })),
  )

async function unknownVaults(
  { isVault }: Publisher,
  events: readonly PublishedEvent[],
  many: boolean,
): Promise<Problem[]> {
  const ids = [...new Set(events.map((event) => event.vault_id))]
  const found = await Promise.all(ids.map(isVault))
  const unknown = new Set(ids.filter((_, i) => !found[i]))
  const problem = { code: 'invalid', message: 'There is no vault with this id.' } as const
  return events.flatMap(({ vault_id }, i): Problem[] =>
    unknown.has(vault_id) ? [{ ...problem, field: many ? `${i}.vault_id` : 'vault_id' }] : [],
  )
}

function toEvent(encryption: Encryption, published: PublishedEvent): NewEvent & { eventId: string } {
  const { vault_id: vaultId, topic, event, key, attributes } = published
  const eventId = ownIdOf(published)
  const all = withIdentity({ ...attributes, ...(eventId && { event_id: eventId }) })
  const { event_id: _, ...said } = attributes
  return {
    id: newId(),
    vaultId,
    topic,
    payload: eventBody({ name: event, attributes: all }, key),
    eventId: String(all.event_id),
    own: eventId === null ? null : { eventId, contentHash: hashOf(encryption, [topic, event, key, said]) },
  }
}

/** Of what its publisher says; what is added to it is another each time. */
const hashOf = (encryption: Encryption, said: readonly unknown[]): string =>
  encryption.hash(canonical(said), 'published_event').toString('hex')
