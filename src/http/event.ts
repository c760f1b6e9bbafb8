/** Events that the platform publishes to a vault's webhooks (design, section 6.7). */
import { v7 as newId } from 'uuid'
import { type PublishedEvent, publishEvents, publishedAnswer } from '../contracts/event.ts'
import { findVault } from '../db/vault.ts'
import { insertWebhookLogRows, type NewWebhookLog, withIdentity } from '../db/webhook-outbox.ts'
import { type Problem, RequestRefused } from '../domain/errors.ts'
import { eventBody } from '../domain/events.ts'
import { createGroupCommit } from '../group-commit.ts'
import type { AppDeps } from './deps.ts'
import { type Route, route } from './route.ts'

const MAX_WRITTEN_TOGETHER = 500

export const eventRoutes = ({ db, dispatcher }: AppDeps): Route[] => {
  /** Requests that arrive side by side share a commit. */
  const write = createGroupCommit(
    async (requests: readonly (readonly NewWebhookLog[])[]) => {
      const logged = new Set(await insertWebhookLogRows(db, requests.flat()))
      dispatcher.add([...logged])
      return requests.map((rows) => logIdsOf(rows, logged))
    },
    { max: MAX_WRITTEN_TOGETHER, weigh: (rows) => rows.length },
  )

  /** Vaults are never deleted. */
  const known = new Set<string>()
  async function isVault(id: string): Promise<boolean> {
    if (!known.has(id) && (await findVault(db, id))) known.add(id)
    return known.has(id)
  }

  async function problemsOf(events: readonly PublishedEvent[], many: boolean): Promise<Problem[]> {
    const ids = [...new Set(events.map((event) => event.vault_id))]
    const found = await Promise.all(ids.map(isVault))
    const unknown = new Set(ids.filter((_, i) => !found[i]))
    return events.flatMap(({ vault_id }, i): Problem[] =>
      unknown.has(vault_id)
        ? [
            {
              code: 'invalid',
              field: many ? `${i}.vault_id` : 'vault_id',
              message: 'There is no vault with this id.',
            },
          ]
        : [],
    )
  }

  return [
    route({
      method: 'post',
      path: '/events',
      role: 'operator_admin',
      summary: 'Publish one event or many to the webhooks of vaults',
      response: { 202: publishedAnswer },
      body: publishEvents,
      handler: async ({ body, effect }) => {
        const many = Array.isArray(body)
        const events = many ? body : [body]
        const problems = await problemsOf(events, many)
        if (problems.length > 0) throw new RequestRefused(...problems)

        const rows = events.map(toLog)
        const answerOf = (logIds: readonly (readonly string[])[]) => {
          const answers = rows.map(({ eventId }, i) => ({
            event_id: eventId,
            webhook_log_ids: logIds[i] ?? [],
          }))
          const [first] = answers
          return { status: 202 as const, body: { data: many || !first ? answers : first } }
        }
        if (!effect.keyed) return answerOf(await write(rows.map(({ log }) => log)))
        // With a key, the events and the answer that names them are one transaction.
        return effect.commit(async (tx) => {
          const logs = rows.map(({ log }) => log)
          const logged = new Set(await insertWebhookLogRows(tx, logs))
          return { answer: answerOf(logIdsOf(logs, logged)), afterwards: () => dispatcher.add([...logged]) }
        })
      },
    }),
  ]
}

/** For each event the log it left, if its topic has URLs. */
const logIdsOf = (rows: readonly NewWebhookLog[], logged: ReadonlySet<string>): string[][] =>
  rows.map(({ id }) => (logged.has(id) ? [id] : []))

function toLog({ vault_id, topic, event, key, attributes }: PublishedEvent) {
  const all = withIdentity(attributes)
  const payload = eventBody({ name: event, attributes: all }, key)
  return { eventId: String(all.event_id), log: { id: newId(), vaultId: vault_id, topic, payload } }
}
