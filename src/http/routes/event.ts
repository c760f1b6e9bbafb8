/** Events that the platform publishes to a vault's webhooks. */
import { v7 as newId } from 'uuid'
import { type PublishedEvent, publishEventsBody, publishedAnswer } from '../../contracts/event.ts'
import { insertWebhookLogRows, withIdentity } from '../../db/webhook-outbox.ts'
import { type Problem, RequestRefused } from '../../domain/errors.ts'
import { eventBody } from '../../domain/events.ts'
import { logIdsOf, type Publisher } from '../../webhooks/publisher.ts'
import { type Route, route } from '../route.ts'

export const eventRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/events',
    role: 'operator_admin',
    summary: 'Publish one event or many to the webhooks of vaults',
    response: { 202: publishedAnswer },
    body: publishEventsBody,
    handler: async ({ deps: { publisher, notifier }, body, effect }) => {
      const many = Array.isArray(body)
      const events = many ? body : [body]
      const problems = await unknownVaults(publisher, events, many)
      if (problems.length > 0) throw new RequestRefused(...problems)

      const rows = events.map(toLog)
      const logs = rows.map(({ log }) => log)
      const answerOf = (logIds: readonly (readonly string[])[]) => {
        const answers = rows.map(({ eventId }, i) => ({
          event_id: eventId,
          webhook_log_ids: logIds[i] ?? [],
        }))
        const [first] = answers
        return { status: 202 as const, body: { data: many || !first ? answers : first } }
      }
      if (!effect.keyed) return answerOf(await publisher.publish(logs))
      // With a key, the events and the answer that names them are one transaction.
      return effect.commit(async (tx) => {
        const logged = new Set(await insertWebhookLogRows(tx, logs))
        return { answer: answerOf(logIdsOf(logs, logged)), afterwards: () => notifier.tell([...logged]) }
      })
    },
  }),
]

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

function toLog({ vault_id, topic, event, key, attributes }: PublishedEvent) {
  const all = withIdentity(attributes)
  const payload = eventBody({ name: event, attributes: all }, key)
  return { eventId: String(all.event_id), log: { id: newId(), vaultId: vault_id, topic, payload } }
}
